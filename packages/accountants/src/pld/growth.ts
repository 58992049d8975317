import { minimizeUnimodal } from '@lethe/numerics';
import type { Cell } from './coarse-cells.js';

/** A factor of a product as its rough cells. */
export interface Rough { readonly cells: readonly Cell[]; readonly count: number }

/** What is asked of a profile: its ε at a δ, or its δ at an ε. */
export type Goal = { readonly delta: number } | { readonly epsilon: number };

/** `log E e^(tilt · loss)` of a law under `P`, as its cells have it. */
export function logMoment(cells: readonly Cell[], tilt: number): number {
  let most = -Infinity;
  for (const { p, logP, loss } of cells) if (p > 0 && logP + tilt * loss > most) most = logP + tilt * loss;
  let sum = 0;
  for (const { p, logP, loss } of cells) {
    const exponent = logP + tilt * loss - most;
    if (p > 0 && exponent > -40) sum += Math.exp(exponent);
  }
  return most + Math.log(sum);
}

/** Of the whole product. */
export const totalLogMoment = (factors: readonly Rough[], tilt: number): number => factors.reduce((sum, { cells, count }) => sum + count * logMoment(cells, tilt), 0);

/** `log sup_l e^(−λ l) (1 − e^(−l))` over `l > 0`: what a unit of tilted mass can add to a profile. */
export const logPeak = (tilt: number): number => (tilt === 0 ? 0 : tilt * Math.log(tilt / (1 + tilt)) - Math.log1p(tilt));

/**
 * The exponential tilt at which Chernoff's bound answers best: the saddle point, about.
 *
 * @param near - It is within a factor of 4 of this.
 */
export function bestTilt(factors: readonly Rough[], goal: Goal, near?: number): number {
  const objective = (log: number): number => {
    const tilt = Math.exp(log);
    const bound = totalLogMoment(factors, tilt) + logPeak(tilt);
    const value = 'delta' in goal ? (bound - Math.log(goal.delta)) / tilt : bound - tilt * goal.epsilon;
    return value === value ? value : Infinity;
  };
  // Beyond this a law that ends in an atom is all at its end, and nothing is gained.
  const spread = Math.sqrt(factors.reduce((sum, { cells, count }) => sum + count * tiltedMoments(cells, 0).variance, 0));
  const most = Math.min(25, Math.log(60 / Math.max(1e-9, spread)));
  const [low, high] = near === undefined ? [Math.min(-25, most - 1), most] : [Math.log(near / 4), Math.min(Math.log(near * 4), Math.max(most, Math.log(near)))];
  return Math.exp(minimizeUnimodal(objective, low, high, { tolerance: 0.01 / Math.max(1, Math.abs(low), Math.abs(high)), maximumProbes: near === undefined ? 30 : 9 }).argument);
}

/** Mean and standard deviation of a tilted law. */
export function tiltedMoments(cells: readonly Cell[], tilt: number): { readonly mean: number; readonly variance: number } {
  const weights = tiltedShares(cells, tilt);
  let mean = 0;
  cells.forEach(({ loss }, i) => { if (weights[i]! > 0) mean += weights[i]! * loss; });
  let variance = 0;
  cells.forEach(({ loss }, i) => { if (weights[i]! > 0) variance += weights[i]! * (loss - mean) ** 2; });
  return { mean, variance };
}

/** Shares of the cells in the tilted law. */
export function tiltedShares(cells: readonly Cell[], tilt: number): readonly number[] {
  const total = logMoment(cells, tilt);
  return cells.map(({ p, logP, loss }) => (p > 0 ? Math.exp(logP + tilt * loss - total) : 0));
}

/**
 * At most what the cells weigh in the tilted law, but for a factor: in a wide cell the few losses at its upper end may weigh
 * far more than the loss of the whole shows.
 */
export function mostTilted(cells: readonly Cell[], tilt: number): readonly number[] {
  const logs = cells.map(({ p, logP, loss, right }) => (p > 0 ? logP + tilt * (right < Infinity ? right : loss) : -Infinity));
  const most = logs.reduce((a, b) => Math.max(a, b), -Infinity);
  return logs.map((log) => Math.exp(log - most));
}
