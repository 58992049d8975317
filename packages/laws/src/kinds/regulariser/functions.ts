import type { Proximal } from '@lethe/numerics';
import fc, { type Arbitrary } from 'fast-check';
import { vectorOf } from '../../arbitraries/vectors.js';
import { fails, searchEach, type Finding } from '../../law/finding.js';
import type { Subject } from '../../law/subject.js';
import { attempt } from '../sampler/declined.js';

/** Dimensions that every law tries; parameters that are vectors fit one of them alone. */
const dimensions = [1, 2, 3, 4, 5, 7, 16];

/** The function of a regulariser in one dimension. */
export interface InDimension {
  readonly dimension: number;
  readonly f: Proximal;
}

/** The function in every dimension in which it can be built: at most three, the smallest first. */
function functionsOf({ plugin, params, registry }: Subject<'regulariser'>): readonly InDimension[] {
  const built = dimensions.flatMap((dimension) => {
    const { value } = attempt(() => plugin.build(params as never, dimension, registry)) as { readonly value?: Proximal };
    return value === undefined ? [] : [{ dimension, f: value }];
  });
  return built.length <= 3 ? built : [built[0]!, built[1]!, built.at(-1)!];
}

/** Searches the function in every dimension; the finding says in which. */
export function inEveryDimension(subject: Subject<'regulariser'>, search: (given: InDimension) => Finding): Finding {
  const functions = functionsOf(subject);
  if (functions.length === 0) return fails(1, { what: `it builds a function in none of the dimensions ${dimensions.join(', ')}` });
  return searchEach(functions, search, ({ dimension }) => `in dimension ${dimension}, `);
}

/** The proximal point of `z`, in an array of its own. */
export const proxOf = (f: Proximal, z: Float64Array, eta: number): Float64Array => f.proxInto(new Float64Array(z.length), z.slice(), eta);

/** Points and steps from small to large. */
export const points = (dimension: number): Arbitrary<Float64Array> => vectorOf({ dimension, scale: 1 })
  .filter((row) => row.every((x) => Math.abs(x) < 1e6))
  .map((row) => Float64Array.from(row));
export const steps: Arbitrary<number> = fc.integer({ min: -6, max: 4 }).map((exponent) => 2 ** exponent);

/** Points close to where the function is finite, of which some have zeros and others none. */
export const pointsOf = ({ f, dimension }: InDimension): Arbitrary<Float64Array> => points(dimension).map((point) => proxOf(f, point, 2 ** -6));
