import { LetheError, type CentralMean } from '@lethe/core';
import { centralCurator, openLedger, type CentralCuratorOptions } from '@lethe/curator';
import { defineMutant } from '../mutant.js';
import { changed, optioned, withData, withPlugins } from './wrap.js';

const source = 'design: a curator checks what a mean declares';
type Repair = (mean: CentralMean) => Partial<CentralMean>;

const repaired = (options: CentralCuratorOptions, repair: Repair): CentralCuratorOptions =>
  withPlugins<CentralMean>(options, 'mean', (mean) => (mean.trust === 'central' ? repair(mean) : {}));

/** A curator that answers what core's refuses with such a message, and charges nothing. */
const believing = (refusal: RegExp, repair: Repair) =>
  changed((inner, options) => ({
    answer(index, query) {
      try {
        return inner.answer(index, query);
      } catch (error) {
        if (!(error instanceof LetheError && refusal.test(error.message))) throw error;
        const aside = withData(repaired(options, repair), ({ ledger }) => ({
          ledger: openLedger({ adjacency: ledger.adjacency }),
        }));
        return centralCurator(aside).answer(index, query);
      }
    },
  }));

export const freeMeanBelieved = defineMutant({
  id: 'curator/mean-that-says-it-costs-nothing-answered-free',
  title: 'a mean whose event costs nothing is answered, and nothing is charged',
  kind: 'curator',
  source,
  killedBy: ['curator/lying-means'],
  within: 10,
  plant: () => believing(/costs nothing/u, () => ({ event: (_params, noise) => noise })),
});

export const smallSensitivityBelieved = defineMutant({
  id: 'curator/sensitivity-below-that-of-linear-form-believed',
  title: 'a sensitivity is not compared with the linear form of its mean',
  kind: 'curator',
  source,
  killedBy: ['curator/lying-means'],
  within: 30,
  plant: () => optioned((options) => repaired(options, () => ({ linear: () => null }))),
});

export const longerAnswerBelieved = defineMutant({
  id: 'curator/answer-of-another-length-than-gradients-cut-off',
  title: 'an answer with an entry too many is answered, and nothing is charged',
  kind: 'curator',
  source,
  killedBy: ['curator/lying-means'],
  within: 40,
  plant: () =>
    believing(/entries about gradients/u, ({ begin }) => ({
      begin(params, shape, random) {
        const run = begin(params, shape, random);
        return {
          ...run,
          finish: (noised) => Float64Array.from({ length: shape.dimension }, (_, j) => noised[j]),
        };
      },
    })),
});
