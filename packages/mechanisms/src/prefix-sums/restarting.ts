import { addUp, defined, divideUp, multiplyUp, sqrtUp, type ZodSchema } from '@lethe/numerics';
import {
  definePrefixSum,
  LetheError,
  referenceTo,
  resolvePlugin,
  type Callable,
  type Participation,
  type PrefixSum,
  type PrefixSumRun,
  type PrefixSumShape,
  type Registry,
} from '@lethe/core';
import * as z from 'zod';
import { assertNext, assertShape, assertSteps, largestParticipation } from './participation.js';
import { typedErrors } from './shared-claims.js';

const shapeOfParams = z.strictObject({ inner: referenceTo('prefixSum'), period: z.int().positive() });
type Params = z.output<typeof shapeOfParams>;

/**
 * Largest number of terms for which the worst split of participations
 * between blocks is searched; a bound is used beyond.
 */
const splitsTried = 2e6;

/**
 * Any of the given prefix sums, restarted every `period` steps: `C` is block diagonal, and a running sum has
 * the noise of the last sum of every finished block and that of its own. A slot that takes part in one block
 * is protected by the noise of that block alone; in return the variance grows with the number of blocks. The
 * last block is truncated.
 *
 * - Sensitivity: squares add up over blocks, since their columns are orthogonal; the worst split of
 *   participations between blocks is searched, as if participations on two sides of a restart could be
 *   adjacent. An upper bound; exact for one participation where the inner one is.
 * - Variance: `b` times that of a whole block's sum, plus that within the block after `b` others.
 * - Memory: that of the inner one at a time; each block allocates it anew.
 *
 * @param registry - prefix sums that `inner` may name
 */
export function restartingOver(
  registry: Registry,
): Callable<PrefixSum<ZodSchema<Params, z.input<typeof shapeOfParams>>>> {
  const known = new WeakMap<Params, { readonly plugin: PrefixSum; readonly params: unknown }>();
  const innerOf = (given: Params): { readonly plugin: PrefixSum; readonly params: never } => {
    const resolved = known.get(given) ?? resolvePlugin<PrefixSum>(registry, given.inner);
    known.set(given, resolved);
    return resolved as { readonly plugin: PrefixSum; readonly params: never };
  };
  const blockOf = ({ period }: Params, shape: PrefixSumShape): PrefixSumShape => ({
    steps: Math.min(period, shape.steps),
    dimension: shape.dimension,
  });
  return definePrefixSum({
    name: 'restarting',
    summary: 'Another prefix sum, begun again every so many steps.',
    source: { id: 'lethe', item: 'definition' },
    params: shapeOfParams.superRefine(({ inner }, context) => {
      try {
        resolvePlugin(registry, inner);
      } catch (error) {
        if (!(error instanceof LetheError)) throw error;
        context.addIssue({ code: 'custom', message: error.message, path: ['inner'] });
      }
    }),
    examples: [
      { inner: { name: 'binary-tree' }, period: 4 },
      { inner: { name: 'independent-prefixes' }, period: 3 },
      { inner: { name: 'honaker-full' }, period: 5 },
      { inner: { name: 'independent-increments' }, period: 1 },
      { inner: { name: 'honaker-online' }, period: 1000 },
    ],
    claims: [
      { property: 'factorisation', statement: 'C is block diagonal, its blocks those of the inner one' },
      {
        property: 'column-norm',
        statement:
          'the root of the largest sum of squared norms over blocks, for any split of the participations',
      },
      { property: 'variance', statement: 'finished blocks add that of their last sum' },
      {
        property: 'given-noise',
        statement: 'block b carries rows b · period to (b + 1) · period − 1 as the inner one would',
      },
      { property: 'vectors-kept', statement: 'those of the inner one, for each block' },
      { property: 'runs', statement: 'a run keeps an inner run of its own' },
      typedErrors,
    ],
    columnNorm(given, shape, participation) {
      assertShape(shape);
      const block = blockOf(given, shape);
      const { plugin, params } = innerOf(given);
      const squareOf = (times: number): number => {
        const norm = plugin.columnNorm(params, block, { times, gap: participation.gap });
        return multiplyUp(norm, norm);
      };
      return sqrtUp(worstSplitUp(squareOf, shape, block.steps, participation));
    },
    variance(given, shape, step) {
      assertSteps(shape, step);
      const block = blockOf(given, shape);
      const { plugin, params } = innerOf(given);
      const finished = Math.floor(step / block.steps);
      const own = plugin.variance(params, block, step % block.steps);
      return finished === 0 ? own : finished * plugin.variance(params, block, block.steps - 1) + own;
    },
    variancesInto(out, given, shape) {
      assertShape(shape);
      const block = blockOf(given, shape);
      const { plugin, params } = innerOf(given);
      const own = new Float64Array(block.steps);
      if (plugin.variancesInto === undefined)
        for (let step = 0; step < own.length; step++) own[step] = plugin.variance(params, block, step);
      else plugin.variancesInto(own, params, block);
      for (let step = 0; step < shape.steps; step++)
        out[step] = Math.floor(step / block.steps) * own[block.steps - 1] + own[step % block.steps];
    },
    vectorsKept(given, shape) {
      assertShape(shape);
      const { plugin, params } = innerOf(given);
      const block = blockOf(given, shape);
      return (plugin.vectorsKept?.(params, block) ?? Infinity) * Math.ceil(shape.steps / block.steps);
    },
    bandwidth(given, shape) {
      assertShape(shape);
      const { plugin, params } = innerOf(given);
      const block = blockOf(given, shape);
      return plugin.bandwidth?.(params, block) ?? block.steps;
    },
    encoder(given, shape, row, column) {
      assertSteps(shape, row, column);
      const block = blockOf(given, shape);
      if (Math.floor(row / block.steps) !== Math.floor(column / block.steps)) return 0;
      const { plugin, params } = innerOf(given);
      return plugin.encoder(params, block, row % block.steps, column % block.steps);
    },
    begin(given, shape) {
      assertShape(shape);
      const block = blockOf(given, shape);
      const { plugin, params } = innerOf(given);
      let run: PrefixSumRun = plugin.begin(params, block);
      let step = 0;
      return {
        nextInto(out, noise) {
          assertNext(shape, step, out);
          if (step > 0 && step % block.steps === 0) run = plugin.begin(params, block);
          const first = step - (step % block.steps);
          step++;
          run.nextInto(out, (row, into) => noise(first + row, into));
        },
      };
    },
  });
}

/**
 * The largest `Σ_b squareOf(m_b)` over blocks, `m_b` participations
 * in block `b`, rounded up; `squareOf` does not fall.
 */
function worstSplitUp(
  squareOf: (times: number) => number,
  shape: PrefixSumShape,
  period: number,
  participation: Participation,
): number {
  const times = largestParticipation(shape, participation);
  const whole = Math.floor(shape.steps / period);
  const rest = shape.steps % period;
  const most = Math.min(times, largestParticipation({ ...shape, steps: period }, participation));
  const mostInRest =
    rest === 0 ? 0 : Math.min(times, largestParticipation({ ...shape, steps: rest }, participation));
  if (period === shape.steps) return squareOf(most);
  // Many participations in a block are looked at in groups, each as its largest.
  const groups: { readonly first: number; readonly last: number; readonly square: number }[] = [];
  for (let first = 1; first <= most;) {
    const last = Math.min(most, Math.max(first, Math.floor(first * 1.125)));
    groups.push({ first, last, square: squareOf(last) });
    first = last + 1;
  }
  const squareUp = (count: number): number =>
    count === 0 ? 0 : defined(groups.find(({ last }) => count <= last)).square;
  if ((whole + 1) * times * most > splitsTried) {
    const each = groups.reduce((largest, { first, square }) => Math.max(largest, divideUp(square, first)), 0);
    return Math.min(multiplyUp(each, times), addUp(multiplyUp(whole, squareUp(most)), squareUp(mostInRest)));
  }
  const squares = Float64Array.from({ length: most + 1 }, (_, count) => squareUp(count));
  const best = new Float64Array(times + 1);
  const addBlock = (upTo: number): void => {
    for (let all = times; all > 0; all--)
      for (let here = 1; here <= Math.min(upTo, all); here++)
        best[all] = Math.max(best[all], addUp(best[all - here], squares[here]));
  };
  for (let block = 0; block < whole; block++) addBlock(most);
  addBlock(mostInRest);
  return best[times];
}
