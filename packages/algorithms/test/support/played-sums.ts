import { plainLoops, type Batch, type MeanQuery, type PushQuery, type Run } from '@lethe/core';
import { publicCoins } from './problems.js';

/** Gradients `A ∘ (x − a)` of the records of golden runs; record 0 is null. */
const curvatures = [
  [0, 0],
  [1, 0.5],
  [0.25, 1],
];
const centers = [
  [0, 0],
  [1, 0],
  [0, -2],
];

/** Gradient of a record of golden runs. */
export const gradientOf = (record: number, at: ArrayLike<number>): number[] =>
  [0, 1].map((j) => curvatures[record][j] * (at[j] - centers[record][j]));

/** `v · min(1, most/‖v‖)`. */
export const shortened = (v: readonly number[], most: number): number[] =>
  v.map((one) => one * Math.min(1, most / Math.hypot(...v)));

/**
 * Carries out a run on records of golden runs: a push or a mean is answered by the average over its batch of
 * the clipped weighted gradients, plus `noise[t]`.
 */
export function played(
  run: Run,
  {
    batches,
    noise,
    clipNorm,
    start = [0, 0],
  }: {
    readonly batches: readonly (readonly number[])[];
    readonly noise: readonly (readonly number[])[];
    readonly clipNorm: number;
    readonly start?: readonly number[];
  },
): number[] {
  const B = batches[0].length;
  let asked = 0;
  const mean = ({ of }: PushQuery | MeanQuery): Float64Array => {
    const t = asked++;
    const sum = [...noise[t]];
    for (const record of batches[t]) {
      const whole = [0, 0];
      for (const { weight, at } of of.terms)
        gradientOf(record, at).forEach((one, j) => (whole[j] += weight * one));
      shortened(whole, clipNorm).forEach((one, j) => (sum[j] += one / B));
    }
    return Float64Array.from(sum);
  };
  const tokens = batches.map((_, k) => ({ id: `${k}`, normaliser: B }) as Batch);
  const program = run.steps({
    ...plainLoops(),
    allRecords: { id: 'all', normaliser: batches.length * B } as Batch,
    start: Float64Array.from(start),
    random: publicCoins,
  });
  let step = program.next(null as never);
  while (step.done !== true) {
    const query = step.value;
    if (query.ask === 'push' || query.ask === 'mean') step = program.next(mean(query) as never);
    else step = program.next((query.ask === 'split' ? tokens : { id: 'stream' }) as never);
  }
  return [...step.value];
}
