import type { HardInstance, RandomSource, Vector } from '@lethe/core';

interface Shape {
  readonly n: number; readonly dimension: number;
  /** Iterates stay in the centred ℓ2 ball of this radius. */
  readonly radius: number;
  /** The gradient's moment that the instance attains, as a root. */
  readonly moment: number;
}
/** Shape of the private instance: order of the moment, and chance that a record is not null. */
export interface SpikeShape extends Shape { readonly order: number; readonly probability: number }

/** Bias of each coin of the non-private instance. */
export const coinBias = (n: number): number => 1 / (20 * Math.sqrt(n));

/** Chance that a record of the private instance is not null: `min{1, c√d/(n√ρ)}`. */
export const probabilityOfSpike = ({ n, dimension, rho, coupling }: { readonly n: number; readonly dimension: number; readonly rho: number; readonly coupling: number }): number =>
  Math.min(1, (coupling * Math.sqrt(dimension)) / (n * Math.sqrt(rho)));

/**
 * Records of independent signs with mean `ν_j/(20√n)`, scaled to norm `moment`: telling `ν` from the data takes more records than there
 * are. `ν` is uniform over sign vectors and comes from a fork of its own.
 */
export function nonPrivateInstance({ n, dimension, radius, moment }: Shape, random: RandomSource): HardInstance {
  const word = signs(dimension, random.fork('word'));
  const size = moment / Math.sqrt(dimension);
  const bias = coinBias(n);
  const coins = random.fork('records');
  const features = new Float64Array(n * dimension);
  for (let k = 0; k < features.length; k++) features[k] = coins.uniform() < (1 + bias * word[k % dimension]) / 2 ? size : -size;
  return instance({ features, n, radius, mean: word.map((sign) => bias * size * sign) });
}

/**
 * Records that are null but for a chance `p`, when they are `p^(−1/k) ν` scaled so that `E‖x‖^k = moment^k`: few records carry the
 * whole signal, so private algorithms must miss it. `ν` is uniform over sign vectors.
 */
export function privateInstance({ n, dimension, radius, moment, order, probability }: SpikeShape, random: RandomSource): HardInstance {
  const word = signs(dimension, random.fork('word'));
  const size = (moment / Math.sqrt(dimension)) * probability ** (-1 / order);
  const coins = random.fork('records');
  const features = new Float64Array(n * dimension);
  for (let i = 0; i < n; i++) if (coins.uniform() < probability) features.set(word.map((sign) => size * sign), i * dimension);
  return instance({ features, n, radius, mean: word.map((sign) => probability * size * sign) });
}

/** The linear problem `F(w) = −⟨w, mean⟩` over the centred ball: least at `radius · mean/‖mean‖`. */
function instance({ features, n, radius, mean }: { readonly features: Float64Array; readonly n: number; readonly radius: number; readonly mean: Vector }): HardInstance {
  const length = Math.sqrt(mean.reduce((sum, entry) => sum + entry * entry, 0));
  return {
    features, labels: new Float64Array(n), rows: n, columns: mean.length,
    optimum: mean.map((entry) => (radius * entry) / length),
    excessRisk: (w) => radius * length - mean.reduce((sum, entry, j) => sum + entry * w[j], 0),
  };
}

const signs = (dimension: number, random: RandomSource): Vector => Float64Array.from({ length: dimension }, () => (random.uniform() < 0.5 ? -1 : 1));
