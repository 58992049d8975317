import type { Fact, Solver } from '@lethe/core';
import { centralCurator } from '@lethe/curator';
import type { Subject } from '@lethe/laws';
import { defineMutant } from '../mutant.js';
import { curatorOf, fieldsOf, optioned, withData, withPlugins } from './wrap.js';

/** A curator whose data have other facts of every record. */
const believing = (change: (facts: Readonly<Record<string, Fact>>) => Readonly<Record<string, number>>) =>
  optioned((options) =>
    withData(options, (data) => ({
      loss: {
        ...data.loss,
        plugin: {
          ...fieldsOf(data.loss.plugin),
          facts: (params, domain) => {
            const facts = data.loss.plugin.facts(params, domain);
            const other = change(facts);
            return Object.fromEntries(
              Object.entries(facts).map(([name, fact]) => [
                name,
                { ...fact, value: other[name] ?? fact.value },
              ]),
            );
          },
        },
      },
    })),
  );

const found = (id: string, title: string, plant: () => Subject<'curator'>) =>
  defineMutant({
    id: `curator/${id}`,
    title,
    kind: 'curator',
    source: 'generic',
    killedBy: ['curator/sparse-minimiser'],
    within: 20,
    plant,
  });

export const xSparseMinimiser1 = found(
  'sparse-minimiser-by-l2-sensitivity',
  'a minimiser in ℓ1 gets noise for its sensitivity in ℓ2',
  () => believing(() => ({ sparsity: 1, smoothness: 0 })),
);

export const xSparseMinimiser2 = found(
  'sparse-minimiser-sparsity-ignored',
  'a minimiser in ℓ1 counts one entry of each record',
  () => believing(() => ({ sparsity: 1 })),
);

export const xSparseMinimiser3 = found(
  'sparse-minimiser-others-do-not-move',
  'a minimiser in ℓ1 leaves out that the gradients of the other records change',
  () => believing(() => ({ smoothness: 0 })),
);

export const xSparseMinimiser4 = found(
  'sparse-minimiser-tolerance-forgotten',
  'a minimiser in ℓ1 leaves the tolerance of its solver out of the sensitivity',
  () =>
    curatorOf((options) => {
      const inner = centralCurator(
        withPlugins<Solver>(options, 'solver', () => ({ worstDistance: () => 0 })),
      );
      return {
        ...inner,
        answer: (index, query) =>
          inner.answer(index, query.ask === 'minimiser' ? { ...query, tolerance: 1e-10 } : query),
      };
    }),
);

export const minimiserWithoutConvexity = defineMutant({
  id: 'curator/minimiser-of-any-loss',
  title: 'a minimiser is released for losses that are not said to be convex',
  kind: 'curator',
  source: 'generic',
  killedBy: ['curator/minimiser'],
  within: 40,
  plant: () =>
    optioned((options) =>
      withData(options, (data) => ({
        loss: {
          ...data.loss,
          plugin: {
            ...fieldsOf(data.loss.plugin),
            capabilities: { ...data.loss.plugin.capabilities, convex: true },
          },
        },
      })),
    ),
});
