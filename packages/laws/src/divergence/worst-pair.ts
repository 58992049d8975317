import type { Bounds } from '@lethe/numerics';
import type { LossGrid, Side } from './loss-grid.js';

/** An outcome: its probability under P, positive, and its privacy loss `log(p/q)`, finite. */
export interface Outcome {
  readonly p: number;
  readonly loss: number;
}

/**
 * Losses of a pair rounded to a grid, and the probability
 * (rounded up) of losses above the grid; 0 when rounding down.
 */
export interface Discretised {
  readonly grid: LossGrid;
  readonly beyond: number;
}

/** Two distributions in one direction of an adjacency: P with the record and Q without, or the reverse. */
export interface WorstPair {
  /** Pairs with equal keys are equal. */
  readonly key: string;
  /** μ, if the two are `N(μ, 1)` and `N(0, 1)` up to a bijection: such pairs compose in closed form. */
  readonly mu?: number;
  /** ε, if they are the two distributions of binary randomised response at ε. */
  readonly response?: number;
  /** Bounds of `sup_S P(S) − e^ε Q(S)`. */
  readonly delta: (epsilon: number) => Bounds;
  /** Bounds of the Rényi divergence of P from Q; the upper one is `Infinity` if unknown. */
  readonly renyi: (alpha: number) => Bounds;
  /** Its outcomes, if finitely many. */
  readonly outcomes?: readonly Outcome[];
  /** Range of losses with all but 1e-18 of P. Absent if the pair depends on ε, and cannot be composed. */
  readonly range?: readonly [number, number];
  readonly discretise?: (step: number, side: Side) => Discretised;
}

/** A pair that can be composed by its losses. */
export type Composable = WorstPair & Required<Pick<WorstPair, 'range' | 'discretise'>>;
