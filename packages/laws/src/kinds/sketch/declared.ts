import { defined } from '@lethe/numerics';
import { fails, holds, type Violation, takesNothing } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { attempt } from '../sampler/declined.js';
import { allDimensions, dimensionsTaken, nameOf, notASet, type Listed } from './sets.js';

function wrongList(list: readonly Listed[], dimension: number): Violation | undefined {
  let total = 0;
  const seen = new Set<string>();
  for (const { drawn, probability } of list) {
    const broken = notASet(drawn, dimension);
    if (broken !== undefined) return broken;
    if (!(probability > 0 && probability <= 1))
      return {
        what: `the set ${nameOf(drawn)} is listed with probability ${probability}`,
        measured: probability,
      };
    if (seen.has(nameOf(drawn))) return { what: `the set ${nameOf(drawn)} is listed twice` };
    seen.add(nameOf(drawn));
    total += probability;
  }
  if (!(Math.abs(total - 1) <= list.length * 2 ** -50))
    return { what: `the probabilities of all sets add up to ${total}`, measured: total, allowed: 1 };
  return wrongBlocks(list, dimension);
}

/** Blocks form a partition: each block is one set, and every coordinate is in exactly one of them. */
function wrongBlocks(list: readonly Listed[], dimension: number): Violation | undefined {
  const named = list.filter(({ drawn }) => drawn.block !== undefined);
  if (named.length === 0) return undefined;
  if (named.length < list.length)
    return {
      what:
        'some sets are blocks of a partition and ' +
        `${nameOf(defined(list.find(({ drawn }) => drawn.block === undefined)).drawn)} is not`,
    };
  const owner = new Map<number, number>();
  const blocks = new Set<number>();
  for (const { drawn } of named) {
    if (blocks.has(defined(drawn.block))) return { what: `block ${drawn.block} is listed with two sets` };
    blocks.add(defined(drawn.block));
    for (const j of drawn.coordinates) {
      if (owner.has(j))
        return { what: `coordinate ${j} is in block ${owner.get(j)} and in block ${drawn.block}` };
      owner.set(j, defined(drawn.block));
    }
  }
  return owner.size === dimension
    ? undefined
    : { what: `${dimension - owner.size} of ${dimension} coordinates are in no block` };
}

/** The enumerated sets, if any. */
export const listed = defineLaw<'sketch'>({
  id: 'sketch/enumerate',
  kind: 'sketch',
  tier: 'exact',
  statement:
    'the enumerated sets are distinct sets of coordinates with positive probabilities that sum to 1; ' +
    'sets with block numbers form a partition',
  power: 'a wrong set; an error of 2⁻⁵⁰ per set in the sum; dimensions 1 to 1000',
  check(subject) {
    const { plugin, params } = subject;
    let samples = 0;
    for (const dimension of dimensionsTaken(subject)) {
      const list = plugin.enumerate(params, dimension);
      samples++;
      const violation = list === null ? undefined : wrongList(list, dimension);
      if (violation !== undefined)
        return fails(samples, { ...violation, what: `in dimension ${dimension}, ${violation.what}` });
    }
    return holds(samples);
  },
});

/** Marginals are valid divisors. */
export const marginals = defineLaw<'sketch'>({
  id: 'sketch/marginals',
  kind: 'sketch',
  tier: 'exact',
  statement:
    'there is one marginal for each coordinate, positive and at most 1, equal to the total probability ' +
    'of the enumerated sets that contain it',
  power: 'a relative error above 2⁻⁴⁸ per set, dimensions 1 to 1000',
  check(subject) {
    const { plugin, params } = subject;
    const taken = dimensionsTaken(subject);
    if (taken.length === 0) return takesNothing(`it refuses every dimension of ${allDimensions.join(', ')}`);
    for (const [index, dimension] of taken.entries()) {
      const declared = plugin.marginals(params, dimension);
      if (!(declared instanceof Float64Array) || declared.length !== dimension)
        return fails(index + 1, {
          what: `marginals must be a Float64Array of ${dimension} numbers`,
          input: { dimension },
        });
      const bad = declared.findIndex((p) => !(p > 0 && p <= 1 + 2 ** -50));
      if (bad >= 0)
        return fails(index + 1, {
          what:
            `coordinate ${bad} of ${dimension} has the marginal ${declared[bad]}; it must be in (0, ` +
            '1], since a coordinate that is never drawn cannot be scaled',
          measured: declared[bad],
          input: { dimension, coordinate: bad },
        });
      const kept = declared.slice();
      for (const other of plugin.examples ?? [])
        attempt(() => plugin.marginals(plugin.params.parse(other), dimension));
      if (declared.some((p, j) => p !== kept[j]))
        return fails(index + 1, {
          what: 'marginals that were given change when those of other parameters are asked for',
          input: { dimension },
        });
      const list = plugin.enumerate(params, dimension);
      if (list === null) continue;
      const summed = new Float64Array(dimension);
      for (const { drawn, probability } of list)
        for (const j of drawn.coordinates) summed[j] = summed[j] + probability;
      const off = declared.findIndex((p, j) => !(Math.abs(p - summed[j]) <= list.length * 2 ** -48 * p));
      if (off >= 0)
        return fails(index + 1, {
          what:
            `coordinate ${off} of ${dimension} has the marginal ${declared[off]}; ` +
            `the listed sets that hold it have probability ${summed[off]}`,
          measured: declared[off],
          allowed: summed[off],
          input: { dimension, coordinate: off },
        });
    }
    return holds(taken.length);
  },
});
