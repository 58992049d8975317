import { relativeTo, sensitivityUnder } from '../../adjacency.js';
import { InvalidParameter } from '../../errors.js';
import { exponentialEvent } from '../../events/build.js';
import type { ChooseQuery } from '../../query/query.js';
import { candidatesOf } from '../candidates.js';
import type { Handler } from '../context.js';
import { assertComputable } from '../sensitivity.js';
import { planStatistic } from '../statistic.js';

/**
 * The exponential mechanism by Gumbel noise: the candidate with the largest `−ε·statistic/(2Δ) + Gumbel`. Only the point is
 * told, never the scores.
 */
export const answerChoose: Handler<ChooseQuery> = (context, { candidates, statistic, batch: token, target: { epsilon } }) => {
  if (!(epsilon > 0 && Number.isFinite(epsilon))) throw new InvalidParameter(`epsilon of the choice is ${epsilon}; it must be positive and finite`, { epsilon });
  const points = candidatesOf(context, candidates);
  const batch = context.batch(token);
  const planned = planStatistic(context, statistic, batch.normaliser);
  assertComputable(planned.sensitivity);
  const sensitivity = sensitivityUnder(planned.sensitivity, context.adjacency, 'the statistic');
  return {
    effect: { charge: { on: batch.stretch, event: exponentialEvent(epsilon, relativeTo(planned.sensitivity, context.adjacency)) } },
    release(coins) {
      const rows = context.rows(batch);
      const gumbel = coins().fork('gumbel');
      let best: Float64Array | undefined;
      let bestKey = -Infinity;
      for (const point of points()) {
        const key = -(epsilon / 2) * (planned.valueAt(point, rows) / sensitivity) - Math.log(gumbel.exponential());
        if (best === undefined || key > bestKey) { best = point; bestKey = key; }
      }
      return best!.slice();
    },
  };
};
