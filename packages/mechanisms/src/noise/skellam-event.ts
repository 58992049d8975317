import { defineEvent, sensitivitySchema, sensitivityUnder, Unsupported, type Adjacency } from '@lethe/core';
import { divideDown, divideUp } from '@lethe/numerics';
import * as z from 'zod';
import { poissonDifferenceSampler } from './poisson-difference-sampler.js';
import { skellamRenyi } from './skellam-renyi.js';
import { skellamWeights } from './skellam-weights.js';
import { perScale } from './whole-noise.js';

const schema = z.strictObject({
  kind: z.literal('lethe/skellam'),
  v: z.literal(1),
  sensitivity: sensitivitySchema,
  sigma: z.number().positive(),
  leastScale: z.number().positive(),
});

const samplerOf = perScale(poissonDifferenceSampler, 4);
/** Probabilities of whole numbers by their size. */
const massesOf = perScale((scale: number): Float64Array => {
  const weights = skellamWeights(scale);
  const total = weights.reduce((sum, weight, size) => sum + (size === 0 ? 1 : 2) * weight, 0);
  return weights.map((weight) => weight / total);
}, 4);
/** Scale of the noise up to which tables are made for one number. */
const largestDrawn = 2 ** 13;

/**
 * The least whole number by which a value moves, and the scale for it.
 *
 * @throws {Unsupported} for a scale whose tables would be too long.
 */
function movedIn(
  { sensitivity, sigma, leastScale }: z.output<typeof schema>,
  adjacency: Adjacency,
): { readonly moved: number; readonly scale: number } {
  const ratio = sensitivityUnder(sensitivity, adjacency, "the event 'lethe/skellam'") / sigma;
  const moved = Math.max(1, Math.ceil(leastScale * ratio));
  const scale = moved / ratio;
  if (scale <= largestDrawn) return { moved, scale };
  throw new Unsupported(`noise of scale ${scale} is too wide to be drawn here`, { scale });
}

/**
 * One release with Skellam noise on whole numbers. `sigma` and `sensitivity` are in one unit, as in core's
 * events; `leastScale` is a number that the scale itself, in units of the grid, is at least. Whole vectors
 * that differ are at least 1 apart, so that the scale is also at least `sigma / sensitivity`.
 */
export const skellamEvent = defineEvent<typeof schema>({
  name: 'lethe/skellam',
  version: 1,
  summary: 'Skellam noise on whole numbers, by the Rényi divergence of every order.',
  source: { id: 'agarwal-kairouz-liu-2021', item: 'Theorem 3.5, here for every real order' },
  schema,
  examples: [
    {
      kind: 'lethe/skellam',
      v: 1,
      sigma: 1,
      leastScale: 1,
      sensitivity: { 'replace-one': 1, 'add-remove': 0.5, 'zero-out': 0.5 },
    },
    {
      kind: 'lethe/skellam',
      v: 1,
      sigma: 0.05,
      leastScale: 1,
      sensitivity: { 'replace-one': 2, 'add-remove': 1 },
    },
    { kind: 'lethe/skellam', v: 1, sigma: 4, leastScale: 1000, sensitivity: { 'zero-out': 1 } },
  ],
  claims: [
    {
      property: 'renyi',
      statement: 'D_α is at most the bound of Skellam noise of the least scale at the same sensitivity/scale',
    },
    { property: 'schema', statement: 'positive, finite numbers alone' },
  ],
  characterise: {
    rdp({ sensitivity, sigma, leastScale }, adjacency) {
      const size = sensitivityUnder(sensitivity, adjacency, "the event 'lethe/skellam'");
      return skellamRenyi(divideUp(size, sigma), Math.max(leastScale, divideDown(sigma, size)));
    },
  },
  // One number that moves by a whole sensitivity, with noise of the least scale at which it is whole.
  realise: [
    {
      draw(event, adjacency, side, random) {
        const { moved, scale } = movedIn(event, adjacency);
        return [samplerOf(scale)(random) + (side === 0 ? moved : 0)];
      },
      density(event, adjacency, side, output) {
        const { moved, scale } = movedIn(event, adjacency);
        return massesOf(scale)[Math.abs(output[0] - (side === 0 ? moved : 0))] ?? 0;
      },
    },
  ],
});
