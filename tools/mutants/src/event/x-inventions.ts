import { defineEvent, type EventKind, type PrivacyEvent } from '@lethe/core';
import { subjectsOf, type Subject } from '@lethe/laws';
import { defined } from '@lethe/numerics';
import { defineMutant } from '../mutant.js';
import { noiseDefinition, shiftUp, type noiseSchema, type NoiseEvent } from '../reference/events.js';

type Definition = Parameters<typeof defineEvent<typeof noiseSchema>>[0];
const planted = (change: Partial<Definition>): Subject<'event'> =>
  subjectsOf(
    defineEvent<typeof noiseSchema>({ ...noiseDefinition, ...change }) as unknown as EventKind,
  )[0] as Subject<'event'>;
const known = (change: Partial<Definition['characterise']>): Subject<'event'> =>
  planted({ characterise: { ...noiseDefinition.characterise, ...change } });

export const halfRho = defineMutant({
  id: 'event/rho-mu2-4-mu2-2',
  kind: 'event',
  title: 'ρ is μ²/4 for μ²/2',
  source: 'generic',
  killedBy: ['event/consistent'],
  within: 5,
  plant: () => known({ zcdp: (event, adjacency) => shiftUp(event, adjacency) ** 2 / 4 }),
});
export const otherAdjacency = defineMutant({
  id: 'event/under-replace-one-sensitivity-removal-used-one',
  kind: 'event',
  title: 'one characterisation uses the sensitivity to removal under replace-one',
  source: 'google/differential-privacy #378',
  killedBy: ['event/consistent'],
  within: 5,
  plant: () =>
    known({
      rdp: (event) => {
        const mu = shiftUp(event, 'zero-out');
        return (alpha) => (alpha * mu * mu) / 2;
      },
    }),
});
export const missingIsNaN = defineMutant({
  id: 'event/sensitivity-missing-becomes-nan',
  kind: 'event',
  title: 'a missing sensitivity becomes NaN',
  source: 'generic',
  killedBy: ['event/characterised'],
  within: 60,
  plant: () =>
    subjectsOf(
      defineEvent<typeof noiseSchema>({
        ...noiseDefinition,
        examples: [{ ...noiseDefinition.examples[1] }],
        characterise: {
          zcdp: (event: NoiseEvent, adjacency) =>
            (defined(event.sensitivity[adjacency]) / event.sigma) ** 2 / 2,
        },
      }) as unknown as EventKind,
    )[0] as Subject<'event'>,
});
export const oneDirection = defineMutant({
  id: 'event/dominating-pair-removing-record-none-adding-one',
  kind: 'event',
  title: 'a dominating pair for removing a record only',
  source: 'generic',
  killedBy: ['event/pair'],
  within: 5,
  plant: () =>
    known({
      pair: (event, adjacency) =>
        noiseDefinition.characterise
          .pair(event, adjacency)
          .map((pair) => ({ ...pair, direction: 'remove' as const })),
    }),
});
export const powerTooFar = defineMutant({
  id: 'event/n-runs-given-1-4root-n-noise',
  kind: 'event',
  title: 'n runs have noise divided by ⁴√n instead of √n',
  source: 'generic',
  killedBy: ['event/power'],
  within: 5,
  plant: () =>
    planted({ power: (event, count) => ({ ...event, sigma: event.sigma / count ** 0.25 }) as PrivacyEvent }),
});
export const countsAsItGoes = defineMutant({
  id: 'event/characterisation-counts-how-often-asked',
  kind: 'event',
  title: 'a characterisation depends on its number of calls',
  source: 'generic',
  killedBy: ['event/characterised'],
  within: 5,
  plant: () => {
    let asked = 0;
    return known({ zcdp: (event, adjacency) => (shiftUp(event, adjacency) ** 2 / 2) * (1 + 1e-3 * ++asked) });
  },
});
export const anyNumber = defineMutant({
  id: 'event/schema-lets-infinite-noise-json-writes-null',
  kind: 'event',
  title: 'the schema accepts infinite noise, which JSON writes as null',
  source: 'generic',
  killedBy: ['event/schema'],
  within: 60,
  plant: () =>
    planted({
      schema: Object.assign(Object.create(noiseDefinition.schema) as typeof noiseDefinition.schema, {
        safeParse: (input: unknown) => ({ success: true, data: input }),
      }) as never,
    }),
});
