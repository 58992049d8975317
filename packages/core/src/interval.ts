/**
 * How far an interval can be trusted: `exact` up to rounding, `certified` by a proof, `estimate` by neither.
 */
export type Certificate = 'exact' | 'certified' | 'estimate';

/**
 * An answer with both ends. `upper` bounds both directions of the adjacency and is rounded up; `lower` bounds
 * the worst case of the event (it is not an audit) and is rounded down.
 * `estimate` may lie anywhere inside and guarantees nothing.
 */
export interface Interval {
  readonly lower: number;
  readonly estimate?: number;
  readonly upper: number;
  readonly certificate: Certificate;
  readonly method: string;
  /** What the interval takes for granted, such as `real-arithmetic`. */
  readonly assumptions: readonly string[];
}
