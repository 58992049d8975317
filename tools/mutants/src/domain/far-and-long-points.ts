import type { DomainPlugin } from '@lethe/core';
import { boxDomain, l2BallDomain } from '@lethe/mechanisms';
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

export const xDomain60 = defineMutant({
  id: 'domain/entries-beyond-fifty-not-projected',
  title: 'entries beyond the fiftieth are neither counted nor changed',
  kind: 'domain',
  source: 'generic',
  killedBy: ['domain/nearest', 'domain/idempotent', 'domain/non-expansive'],
  within: 1000,
  plant: () =>
    plantedPlugin(l2BallDomain as DomainPlugin, {
      build(params, dimension, registry) {
        const whole = l2BallDomain.build(params as never, dimension, registry);
        if (dimension <= 50) return whole;
        const first = l2BallDomain.build(params as never, 50, registry);
        return {
          ...whole,
          projectInto(out, point) {
            whole.projectInto(new Float64Array(dimension), point);
            const rest = point.slice(50);
            first.projectInto(out.subarray(0, 50), point.slice(0, 50));
            out.set(rest, 50);
            return out;
          },
        };
      },
    }),
});
