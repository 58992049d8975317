/** One side of a factor of a product, tilted to total 1, about its own mean. */
export interface TiltedLaw {
  readonly count: number;
  /** Integers near 0; the losses are those of `origin` plus these many steps. */
  readonly nodes: Float64Array;
  readonly weights: Float64Array;
  readonly origin: number;
  /** `log E e^(tilt · loss)` before. */
  readonly logMoment: number;
  /** Bound on its error, and on the logarithm of the relative error of any weight. */
  readonly error: number;
  /** Mean of the nodes. */
  readonly mean: number;
}

/** Tilts masses at `base + step · node`; `undefined` if there are none. */
export function tilted(masses: Float64Array, nodes: Float64Array, grid: { readonly base: number; readonly step: number }, tilt: number, count: number): TiltedLaw | undefined {
  const { base, step } = grid;
  const n = masses.length;
  const weights = new Float64Array(n);
  let most = -Infinity;
  let far = 0;
  for (let i = 0; i < n; i += 1) {
    if (!(masses[i]! > 0)) continue;
    const loss = base + step * nodes[i]!;
    weights[i] = Math.log(masses[i]!) + tilt * loss;
    far = Math.max(far, Math.abs(tilt * loss) + Math.abs(weights[i]!) + 1);
    most = Math.max(most, weights[i]!);
  }
  if (most === -Infinity) return undefined;
  let sum = 0;
  for (let i = 0; i < n; i += 1) {
    weights[i] = masses[i]! > 0 ? Math.exp(weights[i]! - most) : 0;
    sum += weights[i]!;
  }
  let mean = 0;
  for (let i = 0; i < n; i += 1) {
    weights[i]! /= sum;
    mean += weights[i]! * nodes[i]!;
  }
  const middle = Math.round(mean);
  return {
    count, nodes: nodes.map((node) => node - middle), weights, origin: base + step * middle, logMoment: most + Math.log(sum), error: (8 * far + n) * 2 ** -52, mean: mean - middle,
  };
}

/** Bound on the mass of the product above (`theta > 0`) or below (`theta < 0`) `reach` steps beyond its mean: Chernoff's. */
export function massBeyond(laws: readonly TiltedLaw[], step: number, theta: number, reach: number): number {
  let exponent = -Math.abs(theta) * step * reach;
  for (const { count, nodes, weights, mean } of laws) {
    let moment = 0;
    for (let i = 0; i < nodes.length; i += 1) moment += weights[i]! * Math.exp(theta * step * (nodes[i]! - mean));
    exponent += count * Math.log(moment);
  }
  // The mean of the whole is the sum of these means; what rounding does to it, and to the sum, is far below a hundredth.
  return Math.min(1, 1.02 * Math.exp(exponent));
}
