import type { ValueQuery } from '../../query/query.js';
import type { Handler } from '../context.js';
import { planNoise } from '../sensitivity.js';
import { planStatistic } from '../statistic.js';
import { assertVector } from '../validate.js';
import { noised } from './mean.js';

/** A private scalar. */
export const answerValue: Handler<ValueQuery> = (context, { statistic, at, batch: token, noise }) => {
  assertVector('the point', at, context.data.dimension);
  const batch = context.batch(token);
  const planned = planStatistic(context, statistic, batch.normaliser);
  const planNoised = planNoise(context, noise.mechanism, noise.target, planned.sensitivity, { norm: 'any', length: 1, integers: false });
  return {
    effect: { charge: { on: batch.stretch, event: planNoised.event } },
    release: (coins) => noised(Float64Array.of(planned.valueAt(at, context.rows(batch))), planNoised, coins)[0]!,
  };
};
