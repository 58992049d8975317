import type { Proximal } from '@lethe/numerics';
import fc, { type Arbitrary } from 'fast-check';
import { vectorOf } from '../../arbitraries/vectors.js';
import { type Finding, takesNothing } from '../../law/finding.js';
import { searchEach } from '../../law/search-each.js';
import type { Subject } from '../../law/subject.js';
import { attempt } from '../sampler/declined.js';

/** Dimensions that every law tries; vector parameters fit only one of them. */
const dimensions = [1, 2, 3, 4, 5, 7, 16, 45];

/** The function of a regulariser in one dimension. */
export interface InDimension {
  readonly dimension: number;
  readonly f: Proximal;
}

/** The function in every dimension that can be built: at most three, the smallest first. */
function functionsOf({ plugin, params, registry }: Subject<'regulariser'>): readonly InDimension[] {
  const built = dimensions.flatMap((dimension) => {
    const { value } = attempt(() => plugin.build(params, dimension, registry)) as {
      readonly value?: Proximal;
    };
    return value === undefined ? [] : [{ dimension, f: value }];
  });
  return built.length <= 3 ? built : [built[0], built[1], built[built.length - 1]];
}

/** Runs a search in every dimension; the violation names it. */
export function inEveryDimension(
  subject: Subject<'regulariser'>,
  search: (given: InDimension) => Finding,
): Finding {
  const functions = functionsOf(subject);
  if (functions.length === 0)
    return takesNothing(`build fails in each of the dimensions ${dimensions.join(', ')}`);
  return searchEach(functions, search, ({ dimension }) => `in dimension ${dimension}, `);
}

/** The proximal point of `z`, in a new array. */
export const proxOf = (f: Proximal, z: Float64Array, eta: number): Float64Array =>
  f.proxInto(new Float64Array(z.length), z.slice(), eta);

/** Points and step sizes from small to large. */
export const points = (dimension: number): Arbitrary<Float64Array> =>
  vectorOf({ dimension, scale: 1 })
    .filter((row) => row.every((x) => Math.abs(x) < 1e6))
    .map((row) => Float64Array.from(row));
export const steps: Arbitrary<number> = fc.integer({ min: -8, max: 12 }).map((exponent) => 2 ** exponent);

/** Points close to the domain, some with zero entries. */
export const pointsOf = ({ f, dimension }: InDimension): Arbitrary<Float64Array> =>
  points(dimension).map((point) => proxOf(f, point, 2 ** -6));
