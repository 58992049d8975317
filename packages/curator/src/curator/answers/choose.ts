import { relativeTo, resolvePlugin, sensitivityUnder, type Selector } from '@lethe/core';
import { IncompatiblePlugins, InvalidParameter } from '@lethe/numerics';
import { candidatesOf } from '../candidates.js';
import type { Handler } from '../handlers.js';
import { assertComputable, ownCost } from '../sensitivity.js';
import { planStatistic } from '../statistic.js';

/**
 * One candidate, by a selector that sees `−statistic/sensitivity`
 * as utilities. Only the point is released, never the scores.
 */
export const answerChoose: Handler<'choose'> = (
  context,
  { candidates, statistic, batch: token, selector: ref, target: { epsilon } },
) => {
  if (!(epsilon > 0 && Number.isFinite(epsilon)))
    throw new InvalidParameter(`epsilon of the choice is ${epsilon}; it must be positive and finite`, {
      epsilon,
    });
  const { plugin, params } = resolvePlugin<Selector>(context.registry, ref);
  const points = candidatesOf(context, candidates);
  const batch = context.batch(token);
  const planned = planStatistic(context, statistic, batch.normaliser);
  assertComputable(planned.sensitivity);
  const sensitivity = sensitivityUnder(planned.sensitivity, context.adjacency, 'the statistic');
  return {
    effect: {
      charge: {
        on: batch.stretch,
        event: ownCost(
          plugin.event(params, epsilon, relativeTo(planned.sensitivity, context.adjacency)),
          `selector '${plugin.name}'`,
        ),
      },
    },
    blank: () => new Float64Array(context.dimension),
    release({ data, rows, randomness }) {
      const slots = rows(batch);
      const utilities: number[] = [];
      for (const point of points()) utilities.push(-(planned.valueAt(data, slots, point) / sensitivity));
      const chosen = plugin.choose(
        params,
        Float64Array.from(utilities),
        epsilon,
        randomness().fork('choice'),
      );
      let position = 0;
      for (const point of points()) if (position++ === chosen) return point.slice();
      throw new IncompatiblePlugins(
        `selector '${plugin.name}' chose position ${chosen}; there are ${utilities.length} candidates`,
        { selector: plugin.name },
      );
    },
  };
};
