import type { Domain } from '@lethe/numerics';
import fc, { type Arbitrary } from 'fast-check';
import { vectorOf } from '../../arbitraries/vectors.js';
import { normOf } from '../../engines/norms.js';
import { type Finding, type Violation, takesNothing } from '../../law/finding.js';
import { searchEach } from '../../law/search-each.js';
import type { LawEnv } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { attempt } from '../sampler/declined.js';

/** Dimensions that every law tries; vector parameters fit only one of them. */
const dimensions = [1, 2, 3, 4, 5, 6, 7, 8, 10, 16, 20, 33, 70];

/** The set in every dimension that can be built: at most four, the smallest first. */
export function setsOf({ plugin, params, registry }: Subject<'domain'>): readonly Domain[] {
  const built = dimensions.flatMap((dimension) => {
    const { value } = attempt(() => plugin.build(params, dimension, registry)) as { readonly value?: Domain };
    return value === undefined ? [] : [value];
  });
  return built.length <= 4 ? built : [built[0], built[1], built[2], built[built.length - 1]];
}

/** Size of the set around its centre: half its diameter if bounded, else 1. */
export const sizeOf = ({ diameter }: Domain): number => (diameter > 0 && diameter < 1e200 ? diameter / 2 : 1);
/** ℓ2 norm. */
export const length = (vector: ArrayLike<number>): number => normOf('l2', vector);
export const minus = (a: Float64Array, b: Float64Array): Float64Array => a.map((x, i) => x - b[i]);
export const inner = (a: Float64Array, b: Float64Array): number => a.reduce((sum, x, i) => sum + x * b[i], 0);
export const project = (domain: Domain, point: Float64Array): Float64Array =>
  domain.projectInto(new Float64Array(domain.dimension), point.slice());

/** Points around the centre, at distances of 2⁻⁸ to 2⁸ times the size of the set, and farther. */
export const pointsAround = (domain: Domain): Arbitrary<Float64Array> =>
  vectorOf({ dimension: domain.dimension, scale: sizeOf(domain) }).map((step) =>
    domain.centre.map((x, j) => x + step[j]),
  );
/** The same, without points so far away that rounding dominates. */
export const nearbyPoints = (domain: Domain): Arbitrary<Float64Array> =>
  pointsAround(domain).filter((point) => length(minus(point, domain.centre)) < 1e6 * sizeOf(domain));

/**
 * Tolerance for the distance between a projected point and the nearest one: 2⁻²⁴ of the lengths involved.
 * Where two boundaries nearly touch, a projection is accurate to 2⁻²⁶ at best; the error of a wrong
 * projection is much larger.
 */
export const inexact = 2 ** -24;

/** Runs a search on every set of the subject in turn; the violation names the dimension. */
export function inEverySet(
  subject: Subject<'domain'>,
  env: LawEnv,
  search: (domain: Domain) => Finding,
): Finding {
  const sets = setsOf(subject);
  if (sets.length === 0)
    return takesNothing(`build fails in each of the dimensions ${dimensions.join(', ')}`);
  return searchEach(sets, search, ({ dimension }) => `in dimension ${dimension}, `);
}

/** Pairs of points around a set. */
export const pairsAround = (domain: Domain): Arbitrary<readonly [Float64Array, Float64Array]> =>
  fc.tuple(nearbyPoints(domain), nearbyPoints(domain));

/** A violation unless every coordinate is a finite number. */
export const notFinite = (what: string, vector: Float64Array, dimension: number): Violation | undefined =>
  vector.length === dimension && vector.every(Number.isFinite)
    ? undefined
    : { what: `${what} must have ${dimension} finite coordinates; it is [${Array.from(vector).join(', ')}]` };
