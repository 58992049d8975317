import type { Bounds } from '@lethe/numerics';
import type { LossGrid, Side } from './loss-grid.js';

/** An outcome: its probability under P, positive, and its privacy loss `log(p/q)`, finite. */
export interface Outcome { readonly p: number; readonly loss: number }

/** Losses of a pair rounded to a grid, and the probability (rounded up) of losses too large for it; 0 when rounding down. */
export interface Discretised { readonly grid: LossGrid; readonly beyond: number }

/** Two laws, P with the record and Q without or the other way about, in some direction of an adjacency. */
export interface WorstPair {
  /** Pairs with one key are one pair. */
  readonly key: string;
  /** μ, when the two are `N(μ, 1)` and `N(0, 1)` up to a bijection: such pairs compose in closed form. */
  readonly mu?: number;
  /** ε, when they are the two laws of binary randomised response at ε. */
  readonly response?: number;
  /** Bounds of `sup_S P(S) − e^ε Q(S)`. */
  readonly delta: (epsilon: number) => Bounds;
  /** Bounds of the Rényi divergence of P from Q; the upper one may be `Infinity` where it is not known. */
  readonly renyi: (alpha: number) => Bounds;
  /** Its outcomes, where there are finitely many. */
  readonly outcomes?: readonly Outcome[];
  /** Losses between which all but 1e-18 of P lies. Absent where the pair depends on ε, so that there is nothing to compose. */
  readonly range?: readonly [number, number];
  readonly discretise?: (step: number, side: Side) => Discretised;
}

/** A pair that can be composed with others by its losses. */
export type Composable = WorstPair & Required<Pick<WorstPair, 'range' | 'discretise'>>;
