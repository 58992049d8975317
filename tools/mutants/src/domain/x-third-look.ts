import type { DomainPlugin } from '@lethe/core';
import { boxDomain } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

export const farAway = defineMutant({
  id: 'domain/points-far-away-land-inside',
  title: 'a 21st coordinate above a million is projected to 0',
  kind: 'domain',
  source: 'generic',
  killedBy: ['domain/nearest'],
  within: 800,
  plant: () =>
    plantedPlugin(boxDomain as DomainPlugin, {
      build(given, dimension, registry) {
        const { coordinate: _, ...box } = boxDomain.build(given as never, dimension, registry);
        return {
          ...box,
          projectInto(out, point) {
            const isFar = dimension > 20 && point[20] > 1e6;
            box.projectInto(out, point);
            if (isFar) out[20] = 0;
            return out;
          },
        };
      },
    }),
});

export const tolerantThousandfold = defineMutant({
  id: 'domain/tolerance-counts-a-thousand-times',
  title: 'a tolerance counts a thousand times as much as it says',
  kind: 'domain',
  source: 'generic',
  killedBy: ['domain/tolerance'],
  within: 120,
  plant: () =>
    plantedPlugin(boxDomain as DomainPlugin, {
      build(given, dimension, registry) {
        const box = boxDomain.build(given as never, dimension, registry);
        return { ...box, contains: (point, tolerance = 0) => box.contains(point, 1000 * tolerance) };
      },
    }),
});
