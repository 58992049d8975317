import type { LawId, Subject, SubjectKind } from '@lethe/laws';

/** A subject with one planted bug, and the laws that must detect it. */
export interface Mutant<K extends SubjectKind = SubjectKind> {
  readonly id: string;
  readonly title: string;
  readonly kind: K;
  /** Origin of the bug: an issue of a system, a paper, or `generic`. */
  readonly source: string;
  /** At least one of these must fail; tried in this order, so the cheapest first. */
  readonly killedBy: readonly LawId<K>[];
  /** The only cell of those laws that is tried, where the others take long to find nothing. */
  readonly cell?: string;
  /** Number of inputs or draws within which it must fail, on every seed. */
  readonly within: number;
  /** The subject; a promise of it where sources are patched (`patched.ts`). */
  readonly plant: () => Subject<K> | Promise<Subject<K>>;
}

/** A correct subject whose claims hold with equality, or that is unlike what ships: no law may reject it. */
export interface Tight<K extends SubjectKind = SubjectKind> {
  readonly id: string;
  readonly kind: K;
  readonly plant: () => Subject<K>;
}

export const defineMutant = <K extends SubjectKind>(
  mutant: Omit<Mutant<K>, 'killedBy'> & { readonly killedBy: readonly LawId<NoInfer<K>>[] },
): Mutant<K> => mutant;
export const defineTight = <K extends SubjectKind>(tight: Tight<K>): Tight<K> => tight;
