import { defineDomain, InvalidParameter } from '@lethe/core';
import { type Domain } from '@lethe/numerics';
import * as z from 'zod';

/**
 * The points with no negative coordinate. Say here which set
 * yours is, and how near to it a projection comes in doubles.
 */
export const templateDomain = defineDomain({
  name: 'template-domain',
  summary: 'No coordinate below zero.',
  source: { id: 'lethe', item: 'template' },
  params: z.strictObject({}),
  examples: [{}],
  claims: [
    {
      property: 'idempotent',
      statement: 'a projected point lies in the set and is projected onto itself, bit for bit',
    },
    { property: 'non-expansive', statement: '‖Π(x) − Π(y)‖ ≤ ‖x − y‖' },
    { property: 'nearest', statement: '⟨x − Π(x), y − Π(x)⟩ ≤ 0 for every y in the set' },
    { property: 'diameter', statement: 'the set is unbounded' },
    { property: 'convex', statement: 'the set is convex' },
    { property: 'tolerance', statement: 'a tolerance admits more points and never fewer' },
    { property: 'in-place', statement: 'a point may be projected in place; nothing else is changed or kept' },
    {
      property: 'refuses',
      statement: 'points that are not finite, or of another length, are refused and nothing is written',
    },
  ],
  build(_params, dimension): Domain {
    if (!Number.isSafeInteger(dimension) || dimension < 1)
      throw new InvalidParameter(`dimension is ${dimension}; it must be a positive whole number`, {
        dimension,
      });
    const requireLength = (vector: Float64Array): void => {
      if (vector.length !== dimension)
        throw new InvalidParameter(
          `a vector of length ${vector.length} was given; the set has dimension ${dimension}`,
          { length: vector.length, dimension },
        );
    };
    return {
      name: 'template-domain',
      dimension,
      diameter: Infinity,
      centre: new Float64Array(dimension),
      contains(point, tolerance = 0) {
        requireLength(point);
        return point.every((x) => Number.isFinite(x) && -x <= tolerance);
      },
      projectInto(out, point) {
        requireLength(out);
        requireLength(point);
        if (!point.every(Number.isFinite))
          throw new InvalidParameter(
            'a point with a coordinate that is not finite was given; there is no point nearest to it',
            {},
          );
        for (let j = 0; j < dimension; j++) out[j] = point[j] < 0 ? 0 : point[j];
        return out;
      },
    };
  },
});
