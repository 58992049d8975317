import { defined } from '@lethe/numerics';
import { skellamEvent, staircaseEvent } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

export const stepsRoundedDown = defineMutant({
  id: 'event/steps-of-a-staircase-rounded-down',
  title: 'a sensitivity of half a step costs nothing, and one of 1.5 steps one',
  kind: 'event',
  source: 'generic',
  killedBy: ['event/pure-ratio'],
  within: 2000,
  plant: () =>
    plantedPlugin(staircaseEvent, {
      characterise: {
        pure: ({ epsilon, scale, sensitivity }, adjacency) =>
          epsilon * Math.max(0.5, Math.floor(defined(sensitivity[adjacency]) / scale)),
      },
    }),
});
export const staircaseCheaper = defineMutant({
  id: 'event/epsilon-of-a-staircase-a-percent-less',
  title: 'ε of a staircase is 1 % less',
  kind: 'event',
  source: 'generic',
  killedBy: ['event/pure-ratio'],
  within: 2000,
  plant: () =>
    plantedPlugin(staircaseEvent, {
      characterise: {
        pure: (event, adjacency, resolve) =>
          0.99 * defined(staircaseEvent.characterise.pure)(event, adjacency, resolve),
      },
    }),
});
export const skellamTenPercentLess = defineMutant({
  id: 'event/renyi-of-whole-noise-a-tenth-less',
  title: 'Rényi divergences of Skellam noise are those of Gaussian noise, a tenth less',
  kind: 'event',
  source: 'generic',
  killedBy: ['event/density'],
  within: 100,
  plant: () =>
    plantedPlugin(skellamEvent, {
      characterise: {
        rdp(event, adjacency, resolve) {
          const curve = defined(skellamEvent.characterise.rdp)(event, adjacency, resolve);
          return (alpha: number) => 0.9 * curve(alpha);
        },
      },
    }),
});
