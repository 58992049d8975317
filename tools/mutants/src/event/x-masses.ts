import { defineEvent, type EventKind, type PrivacyLossDistribution } from '@lethe/core';
import { subjectsOf, type Subject } from '@lethe/laws';
import { defined } from '@lethe/numerics';
import { defineMutant } from '../mutant.js';
import { noiseDefinition, type noiseSchema } from '../reference/events.js';

/** Events of noise whose distributions of losses are changed. */
const withLosses = (
  change: (distribution: PrivacyLossDistribution) => Partial<PrivacyLossDistribution>,
): Subject<'event'> =>
  subjectsOf(
    defineEvent<typeof noiseSchema>({
      ...noiseDefinition,
      characterise: {
        ...noiseDefinition.characterise,
        pair: (event, adjacency) =>
          noiseDefinition.characterise.pair(event, adjacency).map((pair) => ({
            ...pair,
            factors: pair.factors.map(({ distribution, count }) => ({
              distribution: { ...distribution, ...change(distribution) },
              count,
            })),
          })),
      },
    }) as unknown as EventKind,
  )[0] as Subject<'event'>;
const massesTimes =
  (factor: number): ((own: PrivacyLossDistribution) => Partial<PrivacyLossDistribution>) =>
  (own) => ({
    massesInto(p, q, edges) {
      defined(own.massesInto)(p, q, edges);
      for (let i = 0; i < p.length; i += 2) p[i] *= factor;
    },
  });

export const massesOff = defineMutant({
  id: 'event/masses-of-every-other-cell-a-thousandth-too-large',
  title: 'the masses of losses are a thousandth too large in every other cell',
  kind: 'event',
  source: 'generic',
  killedBy: ['event/loss-masses'],
  within: 20,
  plant: () => withLosses(massesTimes(1.001)),
});

export const grainForgotten = defineMutant({
  id: 'event/masses-of-a-grain-that-is-not-said',
  title: 'the masses of losses are right to 1e-6, where 2^-44 is said',
  kind: 'event',
  source: 'generic',
  killedBy: ['event/loss-masses'],
  within: 20,
  plant: () => withLosses(massesTimes(1 + 1e-6)),
});
