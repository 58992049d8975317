import { defineEvent, type EventKind, type PrivacyEvent } from '@lethe/core';
import { subjectsOf, type Subject } from '@lethe/laws';
import { defineMutant } from '../mutant.js';
import { noiseDefinition, shiftUp, type noiseSchema, type NoiseEvent } from '../reference/events.js';

type Definition = Parameters<typeof defineEvent<typeof noiseSchema>>[0];
const planted = (change: Partial<Definition>): Subject<'event'> => subjectsOf(defineEvent<typeof noiseSchema>({ ...noiseDefinition, ...change }) as unknown as EventKind)[0] as Subject<'event'>;
const known = (change: Partial<Definition['characterise']>): Subject<'event'> => planted({ characterise: { ...noiseDefinition.characterise, ...change } });

export const halfRho = defineMutant({
  id: 'X-EVENT-1', kind: 'event', title: 'ρ is μ²/4 for μ²/2', source: 'generic', killedBy: ['event/consistent'], within: 5,
  plant: () => known({ zcdp: (event, adjacency) => shiftUp(event, adjacency) ** 2 / 4 }),
});
export const otherAdjacency = defineMutant({
  id: 'X-EVENT-2', kind: 'event', title: 'under replace-one the sensitivity to removal is used by one characterisation', source: 'google/differential-privacy #378', killedBy: ['event/consistent'], within: 5,
  plant: () => known({ rdp: (event) => { const mu = shiftUp(event, 'zero-out'); return (alpha) => alpha * mu * mu / 2; } }),
});
export const missingIsNaN = defineMutant({
  id: 'X-EVENT-3', kind: 'event', title: 'a sensitivity that is missing becomes NaN', source: 'generic', killedBy: ['event/characterised'], within: 60,
  plant: () => subjectsOf(defineEvent<typeof noiseSchema>({ ...noiseDefinition, examples: [{ ...noiseDefinition.examples[1]! }], characterise: { zcdp: (event: NoiseEvent, adjacency) => (event.sensitivity[adjacency]! / event.sigma) ** 2 / 2 } }) as unknown as EventKind)[0] as Subject<'event'>,
});
export const oneDirection = defineMutant({
  id: 'X-EVENT-4', kind: 'event', title: 'a dominating pair for removing a record, none for adding one', source: 'generic', killedBy: ['event/pair'], within: 5,
  plant: () => known({ pair: (event, adjacency) => noiseDefinition.characterise.pair(event, adjacency).map((pair) => ({ ...pair, direction: 'remove' as const })) }),
});
export const powerTooFar = defineMutant({
  id: 'X-EVENT-5', kind: 'event', title: 'n runs are given 1/⁴√n of the noise for 1/√n', source: 'generic', killedBy: ['event/power'], within: 5,
  plant: () => planted({ power: (event, count) => ({ ...event, sigma: event.sigma / count ** 0.25 }) as PrivacyEvent }),
});
export const countsAsItGoes = defineMutant({
  id: 'X-EVENT-6', kind: 'event', title: 'a characterisation counts how often it was asked for', source: 'generic', killedBy: ['event/characterised'], within: 5,
  plant: () => { let asked = 0; return known({ zcdp: (event, adjacency) => shiftUp(event, adjacency) ** 2 / 2 * (1 + 1e-3 * ++asked) }); },
});
export const anyNumber = defineMutant({
  id: 'X-EVENT-7', kind: 'event', title: 'the schema lets infinite noise in, which JSON writes as null', source: 'generic', killedBy: ['event/schema'], within: 60,
  plant: () => planted({ schema: { ...noiseDefinition.schema, safeParse: (input: unknown) => ({ success: true, data: input }) } as never }),
});
