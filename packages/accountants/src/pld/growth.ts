import { minimizeUnimodal } from '@lethe/numerics';
import type { Cells } from './coarse-cells.js';

/** A factor of a product as coarse cells. */
export interface CoarseFactor {
  readonly cells: Cells;
  readonly count: number;
}

/** Goal of a query: ε at a δ, or δ at an ε. */
export type Goal = { readonly delta: number } | { readonly epsilon: number };

/** `log E e^(tilt · loss)` under `P`, from the cells. */
export function logMoment({ p, logP, loss }: Cells, tilt: number): number {
  const n = p.length;
  let most = -Infinity;
  for (let i = 0; i < n; i += 1)
    if (p[i] > 0 && logP[i] + tilt * loss[i] > most) most = logP[i] + tilt * loss[i];
  let sum = 0;
  for (let i = 0; i < n; i += 1) {
    const exponent = logP[i] + tilt * loss[i] - most;
    if (p[i] > 0 && exponent > -40) sum += Math.exp(exponent);
  }
  return most + Math.log(sum);
}

/** {@link logMoment} of the whole product. */
export const totalLogMoment = (factors: readonly CoarseFactor[], tilt: number): number =>
  factors.reduce((sum, { cells, count }) => sum + count * logMoment(cells, tilt), 0);

/**
 * `log sup_l e^(−λ l) (1 − e^(−l))` over `l > 0`: the maximum contribution of a unit of tilted mass to a
 * profile.
 */
export const logPeak = (tilt: number): number =>
  tilt === 0 ? 0 : tilt * Math.log(tilt / (1 + tilt)) - Math.log1p(tilt);

/**
 * The exponential tilt that minimises Chernoff's bound, approximately the saddle point.
 *
 * @param near - Start value, and the factor by which the result may differ from it.
 */
export function bestTilt(
  factors: readonly CoarseFactor[],
  goal: Goal,
  near?: { readonly tilt: number; readonly within: number },
): number {
  const objective = (log: number): number => {
    const tilt = Math.exp(log);
    const bound = totalLogMoment(factors, tilt) + logPeak(tilt);
    const value = 'delta' in goal ? (bound - Math.log(goal.delta)) / tilt : bound - tilt * goal.epsilon;
    return value === value ? value : Infinity;
  };
  // For larger tilts a distribution with an atom at its end is concentrated there, without further gain.
  const deviation = Math.sqrt(
    factors.reduce((sum, { cells, count }) => sum + count * tiltedMoments(cells, 0).variance, 0),
  );
  const most = Math.min(25, Math.log(60 / Math.max(1e-9, deviation)));
  const [low, high] =
    near === undefined
      ? [Math.min(-25, most - 1), most]
      : [
          Math.log(near.tilt / near.within),
          Math.min(Math.log(near.tilt * near.within), Math.max(most, Math.log(near.tilt))),
        ];
  return Math.exp(
    minimizeUnimodal(objective, low, high, {
      tolerance: 0.01 / Math.max(1, Math.abs(low), Math.abs(high)),
      maximumProbes: probesWithin(near?.within),
    }).argument,
  );
}

/** Probes of a search for a tilt: the closer the start, the finer the result. */
function probesWithin(factor: number | undefined): number {
  if (factor === undefined) return 30;
  return factor < 2 ? 12 : 9;
}

/** Mean and variance of the tilted distribution. */
export function tiltedMoments(
  cells: Cells,
  tilt: number,
): { readonly mean: number; readonly variance: number } {
  const weights = tiltedShares(cells, tilt);
  const { loss } = cells;
  let mean = 0;
  for (let i = 0; i < weights.length; i += 1) if (weights[i] > 0) mean += weights[i] * loss[i];
  let variance = 0;
  for (let i = 0; i < weights.length; i += 1)
    if (weights[i] > 0) variance += weights[i] * (loss[i] - mean) ** 2;
  return { mean, variance };
}

/** Probabilities of the cells in the tilted distribution. */
export function tiltedShares(cells: Cells, tilt: number): Float64Array {
  const total = logMoment(cells, tilt);
  const { p, logP, loss } = cells;
  const shares = new Float64Array(p.length);
  for (let i = 0; i < p.length; i += 1) if (p[i] > 0) shares[i] = Math.exp(logP[i] + tilt * loss[i] - total);
  return shares;
}

/**
 * Upper bounds of the tilted weights of the cells, up to a common factor: in a wide cell, the losses near its
 * upper end may have far more weight than its merged loss suggests.
 */
export function mostTilted({ p, logP, loss, right }: Cells, tilt: number): Float64Array {
  const weights = new Float64Array(p.length);
  let most = -Infinity;
  for (let i = 0; i < p.length; i += 1) {
    weights[i] = p[i] > 0 ? logP[i] + tilt * (right[i] < Infinity ? right[i] : loss[i]) : -Infinity;
    most = Math.max(most, weights[i]);
  }
  for (let i = 0; i < p.length; i += 1) weights[i] = Math.exp(weights[i] - most);
  return weights;
}
