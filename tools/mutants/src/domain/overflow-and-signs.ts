import type { DomainPlugin } from '@lethe/core';
import { l2BallDomain, simplexDomain } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

export const squaresOverflow = defineMutant({
  id: 'domain/points-whose-squares-overflow-land-on-centre',
  title: 'a point whose squares overflow is projected to the centre',
  kind: 'domain',
  source: 'generic',
  killedBy: ['domain/nearest'],
  within: 900,
  plant: () =>
    plantedPlugin(l2BallDomain as DomainPlugin, {
      build(given, dimension, registry) {
        const ball = l2BallDomain.build(given as never, dimension, registry);
        return {
          ...ball,
          projectInto(out, point) {
            const squares = point.reduce((sum, x) => sum + x * x, 0);
            ball.projectInto(out, point);
            if (squares === Infinity) out.set(ball.centre);
            return out;
          },
        };
      },
    }),
});

export const lastSignUnchecked = defineMutant({
  id: 'domain/sign-of-last-coordinate-unchecked',
  title: 'contains looks at the sum of a simplex, and at the sign of all coordinates but the last',
  kind: 'domain',
  source: 'generic: off by one',
  killedBy: ['domain/idempotent'],
  within: 600,
  plant: () =>
    plantedPlugin(simplexDomain as DomainPlugin, {
      build(given, dimension, registry) {
        const simplex = simplexDomain.build(given as never, dimension, registry);
        const total = simplex.centre.reduce((sum, x) => sum + x, 0);
        return {
          ...simplex,
          contains(point, tolerance = 1e-12) {
            const sum = point.reduce((all, x) => all + x, 0);
            const isLastNegative = point[point.length - 1] < 0;
            return isLastNegative && point.every(Number.isFinite) && point.length > 3
              ? point.subarray(0, -1).every((x) => x >= -tolerance) && Math.abs(sum - total) <= tolerance
              : simplex.contains(point, tolerance);
          },
        };
      },
    }),
});
