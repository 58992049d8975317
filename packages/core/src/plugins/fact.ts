/**
 * Who may rely on a fact: `every-record` facts hold for all
 * possible records, `population` facts only on average.
 */
export type Validity = 'every-record' | 'population';
/**
 * Where a number comes from: declared with the problem, derived from the declared domain of records, or the
 * answer of an earlier query, which was charged. A number `computed` from the records is not public: no plan
 * takes it.
 */
export type Provenance = 'declared' | 'from-domain' | 'released' | 'computed';
/** A public number that a plan may read. Only `every-record` facts may enter a sensitivity. */
export interface Fact {
  readonly value: number;
  /** For a fact about each coordinate of the iterate: one number each; `value` is the largest. */
  readonly each?: readonly number[];
  readonly scope: Validity;
  readonly provenance: Provenance;
}
