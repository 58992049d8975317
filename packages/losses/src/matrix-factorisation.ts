import { addUp, multiplyUp } from '@lethe/numerics';
import { defineLoss, InvalidParameter, type Vector } from '@lethe/core';
import * as z from 'zod';
import { finiteFacts, halfSquareUp, recordBounds } from './record-bounds.js';

interface Params {
  readonly users: number;
  readonly rank: number;
}

/** Writes `Σ_j x_j F_j` over the columns from `from` to before `to`, `[rank]`. */
function factorsInto(out: Vector, at: Vector, features: Vector, from: number, to: number): Vector {
  out.fill(0);
  for (let j = from; j < to; j++) {
    if (features[j] === 0) continue;
    for (let r = 0; r < out.length; r++) out[r] += features[j] * at[j * out.length + r];
  }
  return out;
}

const inner = (a: Vector, b: Vector): number => a.reduce((sum, entry, r) => sum + entry * b[r], 0);

/** Factors of the user and of the item of a record, and the residual of their product. */
function fit(
  { users, rank }: Params,
  at: Vector,
  features: Vector,
  label: number,
): { readonly user: Vector; readonly item: Vector; readonly residual: number } {
  const user = factorsInto(new Float64Array(rank), at, features, 0, users);
  const item = factorsInto(new Float64Array(rank), at, features, users, features.length);
  return { user, item, residual: inner(user, item) - label };
}

/**
 * Matrix factorisation: `½(⟨p, q⟩ − y)²` of a rating `y`, where `p` is the factor of its user and `q` that of
 * its item. A record's first `users` columns tell the user and the others the item: a one on each side, as
 * sparse rows hold it, or any features, of which `p` and `q` are linear functions. The iterate holds `rank`
 * numbers for each column; the blocks are the factors of all users and of all items. Not convex.
 *
 * One record is one rating: privacy is for ratings, not for all ratings of a user.
 *
 * Facts, only with bounded records, labels and iterates: `lipschitz`, `smoothness` and `range`. With
 * `‖x‖ ≤ N` and `‖w‖ ≤ R` the product is at most `N²R²/4` and its gradient `N²R/2`, because the two sides
 * share the norms.
 */
export const matrixFactorisation = defineLoss({
  name: 'matrix-factorisation',
  summary: 'Half the squared residual of the inner product of two factors, one of a user and one of an item.',
  source: { id: 'koren-bell-volinsky-2009', item: 'Equation 2 without its penalty' },
  params: z.strictObject({
    users: z.int().positive().describe('Columns that tell the user; the others tell the item.'),
    rank: z.int().positive().max(1000).describe('Numbers in a factor.'),
  }),
  examples: [{ users: 1, rank: 2 }],
  capabilities: {
    convex: false,
    smooth: 'bounded',
    lipschitz: 'bounded',
    linear: false,
    nullRecord: true,
    nonNegative: true,
  },
  claims: [
    {
      property: 'lipschitz',
      statement: 'gradients are no longer than the constant of bounded records, labels and iterates',
    },
    {
      property: 'smoothness',
      statement: 'gradients change no faster than the constant of bounded records, labels and iterates',
    },
    { property: 'facts', statement: 'every fact bounds its supremum over the declared record domain' },
  ],
  iterateDimension({ users, rank }, columns) {
    if (columns > users) return rank * columns;
    throw new InvalidParameter(
      `users is ${users}, and the records have ${columns} columns; at least one more has to tell the item`,
      { users, columns },
    );
  },
  blocks: ({ users, rank }, columns) => [users * rank, (columns - users) * rank],
  linear: null,
  value: (params, at, { features, label }) => 0.5 * fit(params, at, features, label).residual ** 2,
  gradientInto(params, out, at, { features, label }) {
    const { user, item, residual } = fit(params, at, features, label);
    const { users, rank } = params;
    for (let j = 0; j < features.length; j++) {
      const other = j < users ? item : user;
      for (let r = 0; r < rank; r++) out[j * rank + r] = residual * features[j] * other[r];
    }
  },
  facts(_params, domain) {
    const { featureNorm, iterate, label } = recordBounds(domain);
    if (featureNorm === undefined || iterate === undefined || label === undefined) return {};
    const half = 0.5 * multiplyUp(featureNorm, featureNorm);
    const slope = multiplyUp(half, iterate);
    const residual = addUp(multiplyUp(0.5 * slope, iterate), label);
    return finiteFacts({
      lipschitz: multiplyUp(residual, slope),
      smoothness: addUp(multiplyUp(slope, slope), multiplyUp(residual, half)),
      range: halfSquareUp(residual),
    });
  },
  start: ({ rank }, columns, random) =>
    random.gaussianInto(new Float64Array(rank * columns)).map((entry) => entry / Math.sqrt(rank)),
  labels: { rule: 'any finite number', accepts: Number.isFinite },
});
