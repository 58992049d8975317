import { defineClip, IncompatiblePlugins, LetheError, referenceTo } from '@lethe/core';
import * as z from 'zod';
import { clipToBall } from './clip-to-ball.js';
import { boundedDomain, type BoundedDomain } from './domain-extent.js';
import { excessBound } from './excess-bound.js';
import { cappedSquareUp } from './moment.js';
import { scaledNorm } from './scaled-norm.js';

const params = z
  .strictObject({
    domain: referenceTo('domain'),
    dimension: z
      .number()
      .int()
      .positive()
      .max(2 ** 24),
  })
  .superRefine(({ domain, dimension }, context) => {
    try {
      boundedDomain(domain, dimension);
    } catch (error) {
      if (!(error instanceof LetheError)) throw error;
      context.addIssue({ code: 'custom', message: error.message, path: ['domain'] });
    }
  });
type Params = z.output<typeof params>;

const built = new WeakMap<Params, BoundedDomain>();

function builtFrom(given: Params): BoundedDomain {
  const known = built.get(given) ?? boundedDomain(given.domain, given.dimension);
  built.set(given, known);
  return known;
}

/**
 * Euclidean projection onto a bounded convex set, for records that lie in it. The radius is the largest norm
 * of a point of the set: the most that the presence of a record adds. Under replace-one a curator uses twice
 * the radius, which is the diameter of a set centred at the origin and more than the diameter of any other;
 * centre the records to save the difference.
 *
 * A zero vector, such as a null record, becomes the point p of least norm. Replacing it by any record moves a
 * sum by at most the radius, since `‖x − p‖² ≤ ‖x‖² − ‖p‖²` for every x of a convex set.
 *
 * A vector with a NaN or infinite entry becomes zero, even if zero is not in the set. A vector of another
 * length is refused before any entry is read, so the refusal reveals no entry: a curator reports a failure of
 * the plugin.
 *
 * @param params - `domain`: reference to a bounded domain of `@lethe/core` (`l2-ball`, `l1-ball`, `box`,
 * `simplex`, or an `intersection` of one with a ball, for which the radius is an upper bound); `dimension`:
 * the length of the vectors.
 */
export const domainClip = defineClip({
  name: 'domain',
  summary: 'Projects each record onto a bounded convex set.',
  source: { id: 'lethe', item: 'definition' },
  params,
  examples: [
    { domain: { name: 'l1-ball', params: { radius: 2 } }, dimension: 3 },
    { domain: { name: 'box', params: { lower: [-1, -3, 0.5], upper: [2, 1, 0.75] } }, dimension: 3 },
    { domain: { name: 'l2-ball', params: { radius: 1, centre: [0.5, -0.25, 0.125, 0] } }, dimension: 4 },
    { domain: { name: 'simplex' }, dimension: 4 },
    {
      domain: {
        name: 'intersection',
        params: { domain: { name: 'box', params: { lower: -1, upper: 2 } }, ball: { radius: 2 } },
      },
      dimension: 2,
    },
  ],
  claims: [
    { property: 'bounded-norm', statement: '‖clip(z)‖ ≤ the largest norm in the set' },
    { property: 'non-finite-to-zero', statement: 'clip(z) = 0 when an entry of z is not finite' },
    { property: 'idempotent', statement: 'clip(clip(z)) = clip(z)' },
    { property: 'non-expansive', statement: '‖clip(y) − clip(z)‖ ≤ ‖y − z‖ up to rounding' },
    {
      property: 'bias-bound',
      statement:
        'with ρ the radius of the largest ball around 0 in the set, or minus the distance of 0 from it: ' +
        '‖E clip(z) − E z‖ ≤ sup E(‖z‖ − ρ)₊ over distributions with the moment',
    },
    {
      property: 'bias-bound-attained',
      statement: 'by distributions through the boundary point nearest to 0',
    },
    {
      property: 'variance-bound',
      statement:
        'E‖clip(z) − E clip(z)‖² ≤ min(circumradius², (E‖z‖^k)^(2/k)): ' +
        'the projection brings no two vectors further apart',
    },
  ],
  norm: 'l2',
  isProjection: false,
  factor: null,
  vectorLength: ({ dimension }) => dimension,
  radius: (given) => builtFrom(given).farthest,
  clipInPlace(given, vector) {
    const { domain, farthest } = builtFrom(given);
    if (vector.length !== domain.dimension) {
      throw new IncompatiblePlugins(
        `a vector of length ${vector.length} was given to a clip onto a set of dimension ` +
          `${domain.dimension}; give the dimension of the gradient`,
        { length: vector.length, dimension: domain.dimension },
      );
    }
    if (!vector.every(Number.isFinite)) {
      vector.fill(0);
      return;
    }
    domain.projectInto(vector, vector);
    // A projected point lies in the set up to rounding.
    clipToBall(vector, farthest, scaledNorm);
  },
  biasBound: (given, moment) => excessBound(builtFrom(given).inner, moment),
  varianceBound: (given, moment) => cappedSquareUp(moment, builtFrom(given).circumradius),
});
