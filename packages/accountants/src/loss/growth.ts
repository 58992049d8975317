import { minimizeUnimodal } from '@lethe/core';
import type { Cell } from './rough-cells.js';

/** A factor of a product as its rough cells. */
export interface Rough { readonly cells: readonly Cell[]; readonly count: number }

/** What is asked of a profile: its ε at a δ, or its δ at an ε. */
export type Goal = { readonly delta: number } | { readonly epsilon: number };

/** `log E e^(tilt · loss)` of a law under `P`, as its cells have it. */
export function logMoment(cells: readonly Cell[], tilt: number): number {
  let most = -Infinity;
  for (const { p, loss } of cells) if (p > 0) most = Math.max(most, Math.log(p) + tilt * loss);
  let sum = 0;
  for (const { p, loss } of cells) if (p > 0) sum += Math.exp(Math.log(p) + tilt * loss - most);
  return most + Math.log(sum);
}

/** Of the whole product. */
export const totalLogMoment = (factors: readonly Rough[], tilt: number): number => factors.reduce((sum, { cells, count }) => sum + count * logMoment(cells, tilt), 0);

/** `log sup_l e^(−λ l) (1 − e^(−l))` over `l > 0`: what a unit of tilted mass can add to a profile. */
export const logPeak = (tilt: number): number => (tilt === 0 ? 0 : tilt * Math.log(tilt / (1 + tilt)) - Math.log1p(tilt));

/** The exponential tilt at which Chernoff's bound answers best: the saddle point, about. */
export function bestTilt(factors: readonly Rough[], goal: Goal): number {
  const objective = (log: number): number => {
    const tilt = Math.exp(log);
    const bound = totalLogMoment(factors, tilt) + logPeak(tilt);
    const value = 'delta' in goal ? (bound - Math.log(goal.delta)) / tilt : bound - tilt * goal.epsilon;
    return value === value ? value : Infinity;
  };
  return Math.exp(minimizeUnimodal(objective, -25, 25, { tolerance: 0.002, maximumProbes: 40 }).argument);
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
  return cells.map(({ p, loss }) => (p > 0 ? Math.exp(Math.log(p) + tilt * loss - total) : 0));
}
