import type { Batch, MeanQuery, Query, Vector } from '@lethe/core';
import { gaussian } from '@lethe/mechanisms';
import { clip, dimension, noise, type World } from './world.js';

export const zero = new Float64Array(dimension);
export const mean = (batch: Batch, at: Vector = zero, release: MeanQuery['release'] = { by: 'noise', bound: clip(1), noise: noise(1) }): MeanQuery =>
  ({ ask: 'mean', of: { terms: [{ weight: 1, at }] }, batch, release });
export const exact = (radius: number): MeanQuery['release'] => ({ by: 'noise', bound: clip(radius), noise: { mechanism: gaussian({}), target: { unprotected: true } } });

/** Sends queries with increasing index and returns the answers. */
export function asker({ curator }: World): <A>(query: Query) => A {
  let index = 0;
  return <A>(query: Query): A => curator.answer(index++, query).answer as A;
}
