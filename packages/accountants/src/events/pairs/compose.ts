import { defined, Unsupported } from '@lethe/numerics';
import type { Direction, DominatingPair, PairFactor } from '@lethe/core';
import { maximalLossDistribution } from './maximal.js';
import { witnessOf } from './witness.js';

interface Counted {
  readonly value: readonly DominatingPair[];
  readonly count: number;
}

/** Pairs of an adaptive composition: products of the parts' pairs, separately for each direction. */
export function composePairs(parts: readonly Counted[]): readonly DominatingPair[] {
  const directions: readonly Direction[] = parts.every(({ value }) =>
    value.every(({ direction }) => direction === 'symmetric'),
  )
    ? ['symmetric']
    : ['remove', 'add'];
  return directions.map((direction) => {
    const chosen = parts.map(({ value, count }) => ({
      ...single(
        value.filter((pair) => pair.direction === direction || pair.direction === 'symmetric'),
        direction,
      ),
      count,
    }));
    const product = (of: (pair: DominatingPair) => readonly PairFactor[]): readonly PairFactor[] =>
      merged(
        chosen.flatMap((pair) =>
          of(pair).map(({ distribution, count }) => ({ distribution, count: count * pair.count })),
        ),
      );
    const attained = chosen.every((pair) => pair.attained);
    const hasWitness = !attained && chosen.every((pair) => witnessOf(pair) !== undefined);
    return {
      direction,
      factors: product(({ factors }) => factors),
      attained,
      ...(hasWitness ? { witness: product((pair) => defined(witnessOf(pair))) } : {}),
    };
  });
}

/** Pairs of events on disjoint slots: a record is in one of them, so the largest profile applies. */
export function unitePairs(parts: readonly (readonly DominatingPair[])[]): readonly DominatingPair[] {
  return parts.length === 0 ? [{ direction: 'symmetric', factors: [], attained: true }] : parts.flat();
}

/**
 * One pair that dominates all alternatives. In a composition the alternative of a record may depend on other
 * releases, so bounding each alternative separately is not enough.
 */
function single(alternatives: readonly DominatingPair[], direction: Direction): DominatingPair {
  const maximal = alternatives.filter(
    (pair, i) =>
      !alternatives.some((other, j) => j !== i && includes(other, pair) && (j < i || !includes(pair, other))),
  );
  if (maximal.length === 1) return maximal[0];
  if (maximal.length > 1 && maximal.every(({ factors }) => factors.length === 1 && factors[0].count === 1)) {
    return {
      direction,
      factors: [
        {
          distribution: maximalLossDistribution(maximal.map(({ factors }) => factors[0].distribution)),
          count: 1,
        },
      ],
      attained: false,
    };
  }
  throw new Unsupported(
    maximal.length === 0
      ? `no dominating pair is given for the direction '${direction}'`
      : 'parallel compositions inside a larger composition have no known dominating pair; ' +
          'account by Rényi divergences',
    { direction },
  );
}

/** Whether `larger` has every factor of `smaller`, with at least the same count. */
const includes = (larger: DominatingPair, smaller: DominatingPair): boolean =>
  smaller.factors.every(({ distribution, count }) =>
    larger.factors.some((factor) => factor.distribution === distribution && factor.count >= count),
  );

function merged(factors: readonly PairFactor[]): readonly PairFactor[] {
  const counts = new Map<PairFactor['distribution'], number>();
  for (const { distribution, count } of factors)
    counts.set(distribution, (counts.get(distribution) ?? 0) + count);
  return [...counts].map(([distribution, count]) => ({ distribution, count }));
}
