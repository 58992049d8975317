import { addUp, multiplyUp } from '@lethe/numerics';
import { type Participation, type PrefixSumShape } from '@lethe/core';
import { largestParticipation } from './participation.js';
import { bitsOf, floorLog2 } from './powers-of-two.js';

/**
 * Which nodes of the binary tree over the steps count: those that running sums consist of (the left child of
 * each node, and the finished nodes that have no finished parent); all that are finished by the end; or those
 * that have begun as well, over the next power of two.
 */
export type CountedNodes = 'left' | 'finished' | 'begun';

/**
 * Ways to take part in a run of cells, by their number: the worst for
 * each distance of the first from the start, and the last from the end.
 */
type Ways = readonly (readonly Way[])[];
/**
 * Cells free before the first participation and after the last,
 * at most `gap − 1`, and the sum of squared counts.
 */
interface Way {
  readonly before: number;
  readonly after: number;
  readonly sum: number;
}

/** Pairs of ways that are compared before a coarser grid is tried. */
const pairsCompared = 4e6;
/** The finest grid that is tried has at least this many cells in a gap, if there are as many steps. */
const cellsPerGap = 32;

/**
 * The largest `Σ_v n_v²` over the counted nodes, `n_v` the participations of one slot in the steps of node
 * `v`, rounded up: the squared norm of `C u` where the rows of C sum the steps of nodes and `u` is 1 at
 * participations.
 *
 * Found by putting together, from the leaves up, the worst ways to take part in blocks of `2^k` steps. Exact
 * for gaps below 64 steps. For longer gaps, or where there are too many ways, steps are looked at in cells of
 * `2^q` and participations need be only so many cells apart that `gap` steps may lie between: more patterns
 * than there are, so an upper bound. Where even cells as long as the gap are too many, a bound for each
 * height of the tree.
 *
 * @throws {InvalidParameter} unless shape and participation are counts.
 */
export function dyadicReachUp(
  counted: CountedNodes,
  shape: PrefixSumShape,
  participation: Participation,
): number {
  const times = largestParticipation(shape, participation);
  const { steps } = shape;
  const { gap } = participation;
  const height = floorLog2(steps);
  const heights = height + (counted === 'begun' && 2 ** height < steps ? 2 : 1);
  if (times === 1) return heights;
  let least = byHeightUp(counted, steps, times, gap, heights);
  for (let cell = 2 ** Math.max(0, floorLog2(gap) - floorLog2(cellsPerGap)); cell <= gap; cell *= 2) {
    const found = searched(counted, steps, times, Math.floor(gap / cell), floorLog2(cell));
    if (found === undefined) continue;
    least = Math.min(least, found);
    break;
  }
  return least;
}

/** At each height no node has more than its share, and all nodes together no more than there are. */
function byHeightUp(
  counted: CountedNodes,
  steps: number,
  times: number,
  gap: number,
  heights: number,
): number {
  let sum = 0;
  for (let k = 0, width = 1; k < heights; k++, width *= 2) {
    const most = Math.min(times, Math.ceil(width / gap));
    let nodes: number;
    if (counted === 'left') nodes = Math.floor((Math.floor(steps / width) + 1) / 2);
    else if (counted === 'finished') nodes = Math.floor(steps / width);
    else nodes = Math.ceil(steps / width);
    sum = addUp(sum, multiplyUp(most, Math.min(times, multiplyUp(most, nodes))));
  }
  return sum;
}

/**
 * The worst patterns of cells of `2^finest` steps, one participation
 * in each at most. `undefined` if there are too many to compare.
 */
function searched(
  counted: CountedNodes,
  steps: number,
  times: number,
  gap: number,
  finest: number,
): number | undefined {
  const join = joiner(times, gap, pairsCompared);
  const leaf = (within: number): Ways => [[], [{ before: 0, after: 0, sum: within }]];
  const whole = counted === 'begun' ? Math.ceil(steps / 2 ** finest) : Math.floor(steps / 2 ** finest);
  const rest = steps - whole * 2 ** finest;
  const heights = bitsOf(whole);
  const top = heights.at(-1) ?? 0;
  // Blocks that are left children or have no parent, and right children.
  const left: Ways[] = [leaf(finest + 1)];
  let right = counted === 'left' ? leaf(finest) : left[0];
  for (let k = 1; k <= top; k++) {
    const inner = join(left[k - 1], 2 ** (k - 1), right, 2 ** (k - 1));
    if (inner === undefined) return undefined;
    left.push(counting(inner, 1));
    right = counted === 'left' ? inner : left[k];
  }
  // The blocks that all steps consist of, from the last; nodes that have begun hold the last of them.
  let ways: Ways | undefined = rest > 0 ? leaf(floorLog2(rest) + 1) : [[]];
  let width = rest > 0 ? 1 : 0;
  for (const [index, height] of heights.entries()) {
    ways = join(left[height], 2 ** height, ways, width);
    if (ways === undefined) return undefined;
    width += 2 ** height;
    const above = heights[index + 1] ?? (heights.length === 1 ? height : top + 1);
    if (counted === 'begun') ways = counting(ways, above - height);
  }
  return ways.flat().reduce((most, { sum }) => Math.max(most, sum), 0);
}

/** Counts what contains a whole block, some times more. */
const counting = (ways: Ways, times: number): Ways =>
  ways.map((list, count) => list.map((way) => ({ ...way, sum: way.sum + times * count * count })));

/** Puts the ways of two neighbouring runs of cells together, until it has compared so many. */
function joiner(
  times: number,
  gap: number,
  budget: number,
): (a: Ways, widthA: number, b: Ways, widthB: number) => Ways | undefined {
  const far = gap - 1;
  const best = new Float64Array(gap * gap);
  let compared = 0;
  return (a, widthA, b, widthB) => {
    const joined: Way[][] = [[]];
    for (let count = 1; count <= Math.min(times, a.length + b.length - 2); count++) {
      best.fill(-1);
      const offer = (before: number, after: number, sum: number): void => {
        const at = Math.min(far, before) * gap + Math.min(far, after);
        best[at] = Math.max(best[at], sum);
      };
      for (const { before, after, sum } of a[count] ?? []) offer(before, after + widthB, sum);
      for (const { before, after, sum } of b[count] ?? []) offer(before + widthA, after, sum);
      for (
        let first = Math.max(1, count - b.length + 1);
        first <= Math.min(count - 1, a.length - 1);
        first++
      ) {
        compared += a[first].length * b[count - first].length;
        if (compared > budget) return undefined;
        for (const early of a[first])
          for (const late of b[count - first])
            if (early.after + late.before >= far) offer(early.before, late.after, early.sum + late.sum);
      }
      compared += best.length;
      joined.push(undominated(best, gap));
      if (joined[count].length === 0) {
        joined.pop();
        break;
      }
    }
    return joined;
  };
}

/** Those with less room on neither side and no smaller a sum than any other. */
function undominated(best: Float64Array, gap: number): Way[] {
  const ways: Way[] = [];
  for (let before = gap - 1; before >= 0; before--)
    for (let after = gap - 1; after >= 0; after--) {
      const at = before * gap + after;
      const others = Math.max(before + 1 < gap ? best[at + gap] : -1, after + 1 < gap ? best[at + 1] : -1);
      if (best[at] > others) ways.push({ before, after, sum: best[at] });
      else best[at] = others;
    }
  return ways;
}
