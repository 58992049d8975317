import { planGradientStatistic, type PlanStatistic } from '../gradient-statistic.js';
import type { Handler } from '../handlers.js';
import { planNoise, sizeOf } from '../sensitivity.js';
import { planStatistic } from '../statistic.js';
import { assertVector } from '../validate.js';
import { leftNoise, noised, withoutNoise } from './noised.js';

const valueBy =
  (plan: PlanStatistic): Handler<'value'> =>
  (context, { statistic, at, batch: token, noise }) => {
    assertVector('the point', at, context.dimension);
    const batch = context.batch(token);
    const planned = plan(context, statistic, batch.normaliser);
    const kind = {
      norm: 'any',
      length: 1,
      integers: false,
      size: sizeOf(planned.sensitivity, batch.normaliser),
    } as const;
    const planNoised = planNoise(context, noise.mechanism, noise.target, planned.sensitivity, kind);
    return {
      effect: { charge: { on: batch.stretch, event: planNoised.event } },
      blank: () => 0,
      ...leftNoise(context, { mechanism: noise.mechanism, scale: planNoised.scale, size: kind.size }),
      release: ({ data, rows, randomness }) =>
        noised(
          Float64Array.of(planned.valueAt(data, rows(batch), at)),
          context.isRaw === true ? withoutNoise(planNoised) : planNoised,
          randomness,
        )[0],
    };
  };

/** A private scalar. */
export const answerValue = valueBy(planStatistic);

/** The same of gradients alone. */
export const answerGradientValue = valueBy(planGradientStatistic);
