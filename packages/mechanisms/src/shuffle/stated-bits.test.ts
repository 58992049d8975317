import { seededRandom, Unsupported, type LocalRandomiser, type ShuffleContext } from '@lethe/core';
import { expect, it } from 'vitest';
import { shuffledMedianOfMeans } from './shuffled-median-of-means.js';
import { shuffledScalarSum } from './shuffled-scalar-sum.js';
import { shuffledVectorSum } from './shuffled-vector-sum.js';

interface Stated {
  readonly levels: number;
  /** Sum over counts of what a user moves, in ranges, and the root of the sum of squares. */
  readonly moved: number;
  readonly root: number;
  readonly bins: number;
}
/**
 * Bits of a user as the lemmas state them: 180 levels² ln(2/δ̂)/ε̂² fair ones for each count, by basic or
 * advanced composition, divided among the honest.
 */
function bitsOf(
  { dimension, honestUsers, target }: ShuffleContext,
  { levels, moved, root, bins }: Stated,
): number {
  const { epsilon, delta } = target as { readonly epsilon: number; readonly delta: number };
  const needed = (share: number, failing: number): number =>
    (180 * levels ** 2 * Math.log(2 / failing)) / Math.min(share, 15, levels) ** 2;
  const log = Math.log(2 / delta);
  // S/2 + √(2 ln(2/δ) S) = ε
  const square = (Math.sqrt(2 * log + 2 * epsilon) - Math.sqrt(2 * log)) ** 2;
  const fewest = Math.min(
    needed(epsilon / moved, delta / dimension),
    needed(Math.sqrt(square) / root, delta / (2 * dimension)),
  );
  return levels * dimension + bins * Math.max(1, Math.ceil(fewest / honestUsers));
}
const contexts: readonly ShuffleContext[] = [1, 3, 40].flatMap((dimension) =>
  [
    { users: 90, honestUsers: 90, target: { epsilon: 0.5, delta: 1e-6 } },
    { users: 4000, honestUsers: 1000, target: { epsilon: 1, delta: 1e-9 } },
    { users: 60, honestUsers: 59, target: { epsilon: 14, delta: 1e-3 } },
  ].map((rest) => ({ dimension, ...rest })),
);
/** Up to the rounding of the bounds, which is outward. */
function assertBits<P>(
  randomiser: LocalRandomiser,
  params: P,
  context: ShuffleContext,
  stated: Stated,
): void {
  const exact = bitsOf(context, stated);
  if (exact >= 2 ** 32) return;
  const found = randomiser.messageCount(params, context);
  expect(found).toBeGreaterThanOrEqual(exact);
  expect(found).toBeLessThanOrEqual(exact * (1 + 1e-9) + stated.bins);
}

it.each([2, 5, 64, undefined])('sums send as many bits as their lemmas state, of %s levels', (given) => {
  const levelled = given === undefined ? {} : { levels: given };
  for (const context of contexts) {
    const { dimension: d, users } = context;
    const crowd = Math.max(4, Math.ceil(Math.sqrt(users)));
    const levels = given ?? Math.max(crowd, Math.ceil(2 * Math.sqrt(d)));
    assertBits(shuffledVectorSum, { radius: 2, ...levelled }, context, {
      levels,
      moved: (2 * d) / levels + Math.sqrt(d),
      root: (2 * Math.sqrt(d)) / levels + 1,
      bins: d,
    });
    for (const groups of [1, 7]) {
      const fine = given ?? Math.max(4, Math.ceil(Math.sqrt(users / groups)));
      assertBits(shuffledMedianOfMeans, { bound: 3, groups, ...levelled }, context, {
        levels: fine,
        moved: d * (2 / fine + 1),
        root: Math.sqrt(d) * (2 / fine + 1),
        bins: d * groups,
      });
    }
    if (d > 1) continue;
    const moved = 1 + 2 / (given ?? crowd);
    const stated = { levels: given ?? crowd, moved, root: moved, bins: 1 };
    assertBits(shuffledScalarSum, { lower: -1, upper: 3, ...levelled }, context, stated);
  }
});

it('bits for all coordinates and groups together are fewer than 2³²', () => {
  const context = { dimension: 2, users: 1e4, honestUsers: 100, target: { epsilon: 1, delta: 1e-6 } };
  const count = (groups: number): number =>
    shuffledMedianOfMeans.messageCount({ bound: 1, groups, levels: 4 }, context);
  expect(count(2 ** 17)).toBeGreaterThan(2 ** 29);
  expect(() => count(2 ** 20)).toThrow(Unsupported);
});

it('variances count every bit of every user, half-way between levels', () => {
  for (const context of contexts) {
    const { dimension: d, users } = context;
    const bits = (randomiser: LocalRandomiser, params: object): number =>
      (randomiser.messageCount(params, context) - 5 * d) / d;
    const vector = { radius: 2, levels: 5 };
    const exact = d * (4 / 5) ** 2 * users * (1 + bits(shuffledVectorSum, vector));
    expect((shuffledVectorSum.varianceBound?.(vector, context) ?? 0) / (exact / 4)).toBeCloseTo(1, 12);
    if (d > 1) continue;
    const scalar = { lower: -1, upper: 3, levels: 5 };
    const one = (4 / 5) ** 2 * users * (1 + bits(shuffledScalarSum, scalar));
    expect((shuffledScalarSum.varianceBound?.(scalar, context) ?? 0) / (one / 4)).toBeCloseTo(1, 12);
  }
});

it('a sum of few levels is simulated with the bits of all users, and of the target that is asked for', () => {
  const params = { lower: -1, upper: 3, levels: 4 };
  const context = { dimension: 1, users: 200, honestUsers: 50, target: { epsilon: 2, delta: 1e-3 } };
  const none = Array.from({ length: 200 }, () => Float64Array.of(Number.NaN));
  const variance = shuffledScalarSum.varianceBound?.(params, context) ?? Number.NaN;
  const random = seededRandom('simulated');
  const sums = Array.from(
    { length: 400 },
    (_, k) => shuffledScalarSum.simulateSum?.(params, context, none, random.fork(k)) ?? [],
  );
  const mean = sums.reduce((sum, [one]) => sum + one / 400, 0);
  const square = sums.reduce((sum, [one]) => sum + one ** 2 / 400, 0);
  // An entry that is no number counts as 0.
  expect(Math.abs(mean)).toBeLessThan(5 * Math.sqrt(variance / 400));
  expect(square).toBeGreaterThan(0.7 * variance);
  expect(square).toBeLessThan(1.35 * variance);
  const other = { ...context, target: { epsilon: 4, delta: 1e-3 } };
  const count = (one: ShuffleContext): number => shuffledScalarSum.messageCount(params, one);
  expect(count(context)).toBeGreaterThan(3 * count(other));
  expect(count({ ...context, honestUsers: 200 })).toBeLessThan(count(context) / 3);
});
