import { defined } from '@lethe/numerics';
import type { Composable } from './split-distribution.js';
import { lowerMasses } from './lower-masses.js';
import { timesExp } from './tilted-mass.js';

const blocksOnSide = 16;
const candidates = 16;
const halvings = 4;

/**
 * Base of a grid with spacing `step` that minimises the loss from merging the distribution around a peak at
 * `loss`.
 *
 * A peak narrower than a block is nearly an atom; off the grid it would be moved down by a part of a step.
 */
export function baseAbout(distribution: Composable, loss: number, step: number, tilt: number): number {
  let best = { base: loss, cost: costOf(distribution, loss, loss, step, tilt) };
  const offer = (base: number): void => {
    const cost = costOf(distribution, base, loss, step, tilt);
    if (cost < best.cost) best = { base, cost };
  };
  // A peak far narrower than a block is best merged into one group.
  const merged = mergedAbout(distribution, loss, step);
  if (merged !== undefined) offer(merged);
  let apart = step / candidates;
  for (let k = 1 - candidates / 2; k <= candidates / 2; k += 1) offer(loss + k * apart);
  for (let round = 0; round < halvings; round += 1) {
    apart /= 2;
    const { base } = best;
    offer(base - apart);
    offer(base + apart);
  }
  return best.base;
}

/** Loss of the merged outcomes within half a step of `loss`; `undefined` if it lies outside that interval. */
function mergedAbout(distribution: Composable, loss: number, step: number): number | undefined {
  const [p, q] = [new Float64Array(1), new Float64Array(1)];
  defined(distribution.massesInto)(p, q, Float64Array.of(loss - step / 2, loss + step / 2));
  const merged = Math.log(p[0] / q[0]);
  return Math.abs(merged - loss) < step / 2 ? merged : undefined;
}

/** Tilted mass lost near the peak, in addition to merging half blocks. */
function costOf(distribution: Composable, base: number, about: number, step: number, tilt: number): number {
  const n = 2 * blocksOnSide;
  const edges = Float64Array.from({ length: 2 * n + 1 }, (_, i) => base + (i - n - 1) * (step / 2));
  const p = new Float64Array(2 * n);
  const q = new Float64Array(2 * n);
  defined(distribution.massesInto)(p, q, edges);
  let cost = 0;
  for (let i = 1; i < 2 * n; i += 1)
    if (p[i] > 0 && q[i] > 0) cost += timesExp(p[i], tilt * (Math.log(p[i] / q[i]) - about));
  p[0] = 0;
  q[0] = 0;
  const losses = Float64Array.from({ length: n }, (_, i) => base + (i - blocksOnSide) * step);
  lowerMasses(p, q, losses, 0).forEach((mass, i) => {
    cost -= timesExp(mass, tilt * (losses[i] - about));
  });
  return cost;
}
