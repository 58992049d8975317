import { fails, holds, type Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { alsoElsewhere } from '../../law/other-params.js';
import { clipped, radiusOf } from './apply.js';
import { anyVectorsFor } from './vectors.js';

/** Steps of a grid in a radius, at most: of sums of 2²⁵ such records doubles tell the steps apart. */
const most = 2 ** 26;

/** What a clip says of its grid is so. */
export const onGrid = defineLaw({
  id: 'clip/on-grid',
  kind: 'clip',
  tier: 'search',
  elsewhere: 0,
  statement:
    'where a clip declares a spacing it is a power of two, from 2^-26 of the radius to the radius, and ' +
    'entries of clipped vectors are whole multiples of it, so that whole noise on their sums is exact',
  power: 'any entry off the grid on one of 300 vectors, and any other spacing',
  check: (given, env) =>
    alsoElsewhere(given, (subject, effort) => {
      const spacing = subject.plugin.spacing?.(subject.params);
      if (spacing === undefined) return holds(1);
      const radius = radiusOf(subject);
      const isPower = spacing > 0 && 2 ** Math.round(Math.log2(spacing)) === spacing;
      if (!isPower || radius < spacing || radius > most * spacing)
        return fails(1, {
          what: `the spacing ${spacing} of a clip of radius ${radius} is no power of two, or out of range`,
          measured: spacing,
          allowed: radius,
        });
      return env.forAll(
        anyVectorsFor(subject),
        (vector): Violation | undefined => {
          const result = clipped(subject, vector);
          const off = result.find((x) => !Number.isInteger(x / spacing));
          return off === undefined
            ? undefined
            : {
                what: `an entry of a clipped vector is ${off / spacing} steps of the declared spacing`,
                measured: off,
                allowed: spacing,
                input: vector,
              };
        },
        { runs: 300 * effort },
      );
    }),
});
