import type { ReleaseResult } from '../experiment/results.js';

/** Weights of a model with their features. */
export interface ShownWeights {
  readonly shown: readonly { readonly name: string; readonly weight: number }[];
  /** How many there are. */
  readonly all: number;
}

/** All weights in their order, or, of more than `most`, the largest ones, the largest first. */
export function largestWeights(
  { weights, featureNames }: ReleaseResult['model'],
  most: number,
): ShownWeights {
  const order = weights.map((_, j) => j);
  const chosen =
    weights.length <= most
      ? order
      : order.toSorted((a, b) => Math.abs(weights[b]) - Math.abs(weights[a]) || a - b).slice(0, most);
  return {
    shown: chosen.map((j) => ({ name: featureNames[j] ?? `x${j}`, weight: weights[j] })),
    all: weights.length,
  };
}
