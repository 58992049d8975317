import { defineEvent, sensitivityUnder, type EventKind, type Realisation } from '@lethe/core';
import { subjectsOf, type Subject } from '@lethe/laws';
import { defineMutant } from '../mutant.js';
import { noiseDefinition, type noiseSchema, type NoiseEvent } from '../reference/events.js';

const centre = (
  { sensitivity }: NoiseEvent,
  adjacency: Parameters<Realisation['draw']>[1],
  side: 0 | 1,
): number => side * sensitivityUnder(sensitivity, adjacency, 'reference/noise');

const realisation: Realisation<NoiseEvent> = {
  draw: (event, adjacency, side, random) => [
    centre(event, adjacency, side) + event.sigma * random.gaussianInto(new Float64Array(1))[0],
  ],
  density: (event, adjacency, side, { 0: at }) =>
    Math.exp(-(((at - centre(event, adjacency, side)) / event.sigma) ** 2) / 2) /
    (event.sigma * Math.sqrt(2 * Math.PI)),
};

/** Gaussian noise with one characterisation, and what it realises. */
const planted = (
  change: Partial<Pick<typeof noiseDefinition, 'power'>>,
  mu: (event: NoiseEvent) => number = () => 1,
): Subject<'event'> =>
  subjectsOf(
    defineEvent<typeof noiseSchema>({
      ...noiseDefinition,
      ...change,
      realise: [realisation],
      characterise: {
        gdp(event, adjacency) {
          const found = noiseDefinition.characterise.gdp(event, adjacency);
          return { ...found, lower: found.lower * mu(event), mu: found.mu * mu(event) };
        },
      },
    }) as unknown as EventKind,
  )[0] as Subject<'event'>;

export const smallWhenLittle = defineMutant({
  id: 'event/mu-too-small-where-noise-is-little',
  title: 'μ is a tenth too small where the deviation of the noise is below 0.1',
  kind: 'event',
  source: 'generic',
  killedBy: ['event/scan'],
  within: 20_000,
  plant: () => planted({}, ({ sigma }) => (sigma < 0.1 ? 0.9 : 1)),
});
export const cheapPower = defineMutant({
  id: 'event/many-runs-cheaper-in-closed-form',
  title: 'the closed form of more than 100 runs has a tenth fewer',
  kind: 'event',
  source: 'generic',
  killedBy: ['event/power'],
  within: 30,
  plant: () =>
    planted({
      power: (event, count) => ({
        ...event,
        sigma: event.sigma / Math.sqrt(count > 100 ? 0.9 * count : count),
      }),
    }),
});
