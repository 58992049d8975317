import type { Batch, MeanQuery, Noise, Query, Vector } from '@lethe/core';
import { certifiedMean, clippedMean, gaussian, l2Clip } from '@lethe/mechanisms';
import { dimension, noise, type World } from './world.js';

export const zero = new Float64Array(dimension);
/** A mean query: clipped to a radius or by the certified constant, with noise. */
export type By = Pick<MeanQuery, 'mean' | 'target'>;
export const within = (radius: number, { mechanism, target }: Noise = noise(1)): By => ({
  mean: clippedMean({ clip: l2Clip({ radius }), mechanism }),
  target,
});
export const certified = ({ mechanism, target }: Noise = noise(1)): By => ({
  mean: certifiedMean({ mechanism }),
  target,
});
export const exact = (radius: number): By =>
  within(radius, { mechanism: gaussian({}), target: { unprotected: true } });
export const mean = (batch: Batch, at: Vector = zero, by: By = within(1)): MeanQuery => ({
  ask: 'mean',
  of: { terms: [{ weight: 1, at }] },
  batch,
  ...by,
});

/** Sends queries with increasing index and returns the answers. */
export function asker({ curator }: World): <A>(query: Query) => A {
  let index = 0;
  return <A>(query: Query): A => curator.answer(index++, query).answer as A;
}
