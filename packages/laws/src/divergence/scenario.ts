import type { WorstPair } from './worst-pair.js';

/** A composition of pairs, and the probability that everything is revealed. */
export interface Scenario {
  readonly parts: readonly { readonly pair: WorstPair; readonly count: number }[];
  readonly failure: number;
}

/** Scenarios that some neighbours `attain`, or that together `dominate` all neighbours. */
export type Bounding = 'attain' | 'dominate';

/** Whether P is the distribution with the record, or without. */
export type Way = 'with' | 'without';
