import { seededRandom, type RandomSource } from '@lethe/core';
import { defineClaimCheck, judge, type ClaimCheck, type Violation } from '@lethe/laws';
import { above, differs, first } from '../common/judging.js';
import { average, estimateOn, range, subsets, type Records } from './chosen-sets.js';
import { drawsOfHalves } from './draws-of-halves.js';
import type { DebiasedSubject } from './debiased-subject.js';

const mosts = range(13);
/** A source whose next whole number is given. */
export const givenInteger = (next: () => number): RandomSource =>
  Object.create(seededRandom('not drawn from'), { integer: { value: next } }) as RandomSource;

/** Nothing about it is linear, and it depends on the size of the batch. */
const functional = (set: Records): number =>
  Math.cos(set.reduce((sum, i) => sum + (i + 1) ** 1.5, 0)) +
  set.length ** 0.7 * Math.max(...set.map((i) => Math.sin(3 * i)));

type Halves = (whole: Records) => readonly Records[];
const allHalves: Halves = (whole) => subsets(whole, whole.length / 2);
const sortedHalves: Halves = (whole) => [whole.slice(0, whole.length / 2)];

/** Expectation of an estimate over levels, batches, halves and single records, all listed. */
function expectation(subject: DebiasedSubject, slots: number, halves: Halves): number {
  const levels = subject.levelsFor(slots);
  return range(levels.most + 1).reduce((sum, level) => {
    const values = subsets(range(slots), 2 ** (level + 1)).flatMap((whole) =>
      halves(whole).flatMap((odd) =>
        range(slots).map((i) =>
          estimateOn(subject, { slots, level }, { whole, odd, single: [i] }, functional),
        ),
      ),
    );
    return sum + levels.probability(level) * average(values);
  }, 0);
}
const largestMean = (slots: number): number =>
  average(subsets(range(slots), 2 ** Math.floor(Math.log2(slots))).map(functional));

/** Bias and second moment of estimates from means that are off by given errors, over all levels. */
function momentsOf(
  subject: DebiasedSubject,
  slots: number,
  errorOf: (size: number, mean: number) => number,
): { readonly bias: number; readonly meanSquare: number } {
  const levels = subject.levelsFor(slots);
  let [bias, meanSquare] = [0, 0];
  for (let level = 0; level <= levels.most; level++) {
    const whole = range(2 ** (level + 1));
    const value = estimateOn(
      subject,
      { slots, level },
      { whole, odd: whole.slice(0, 2 ** level), single: [0] },
      (set, mean) => errorOf(set.length, mean),
    );
    bias += levels.probability(level) * value;
    meanSquare += levels.probability(level) * value ** 2;
  }
  return { bias, meanSquare };
}

/** Rows 32 to 41 of the claims: levels, and one estimate. */
export function levelChecks(subject: DebiasedSubject): readonly ClaimCheck[] {
  const { truncatedGeometric, biasReducedBounds, halvesBound, amplifiedPrice, levelsFor } = subject;
  const exactMoments = (most: number): { readonly mean: number; readonly meanSquare: number } => {
    const { probability } = truncatedGeometric(most);
    return range(most + 1).reduce(
      ({ mean, meanSquare }, k) => ({
        mean: mean + probability(k) * 2 ** (k + 1),
        meanSquare: meanSquare + probability(k) * 4 ** (k + 1),
      }),
      { mean: 0, meanSquare: 0 },
    );
  };
  return [
    defineClaimCheck({
      id: 'ghazi/level-law',
      tier: 'exact',
      statement: 'P[N = k] = C_M 2^−k with C_M = 2^M/(2^(M+1) − 1), which add up to 1, for M ≤ 12',
      power: 'certain, in these laws',
      run: () =>
        judge(
          13,
          first(
            ...mosts.map((most) => {
              const { probability } = truncatedGeometric(most);
              return first(
                differs(
                  `the sum at M = ${most}`,
                  range(most + 1).reduce((sum, k) => sum + probability(k), 0),
                  1,
                ),
                ...range(most + 1).map((k) =>
                  differs(
                    `P[N = ${k}] at M = ${most}`,
                    probability(k),
                    2 ** (most - k) / (2 ** (most + 1) - 1),
                  ),
                ),
              );
            }),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/level-constant',
      tier: 'exact',
      statement: '1/2 < C_M ≤ 1, and C_M = 1 at M = 0 only, for M ≤ 50',
      power: 'a constant of 1/2 at any M, and one of 1 above 0',
      run: () =>
        judge(
          51,
          first(
            ...range(51).map((most) => {
              const constant = truncatedGeometric(most).probability(0);
              return first(
                above(`1/2 beside C_M at M = ${most}`, 0.5 + 2 ** -53, constant, 0),
                above(`C_M at M = ${most}`, constant, most === 0 ? 1 : 2 / 3, 0),
              );
            }),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/batch-moments',
      tier: 'exact',
      statement:
        'for b = 2^(N+1) and Y = 3b + 1: E b = 2C_M(M+1), ' +
        'E b² = 2^(M+2), E Y and E Y² as they follow, for M ≤ 12',
      power: 'a relative error of 10⁻⁹',
      run: () =>
        judge(
          13,
          first(
            ...mosts.map((most) => {
              const { batch, charge } = truncatedGeometric(most);
              const { mean, meanSquare } = exactMoments(most);
              return first(
                differs(`E b at M = ${most}`, batch.mean, mean),
                differs(`E b² at M = ${most}`, batch.meanSquare, meanSquare),
                differs(`E Y at M = ${most}`, charge.mean, 3 * mean + 1),
                differs(`E Y² at M = ${most}`, charge.meanSquare, 9 * meanSquare + 6 * mean + 1),
              );
            }),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/batch-moments-printed',
      tier: 'exact',
      statement: 'E b² is C_M Σ_{k=1}^{M+1} 2^k at M = 3, which is half of it',
      run() {
        const { probability, batch } = truncatedGeometric(3);
        return judge(1, differs('E b² as printed', probability(0) * (2 ** 5 - 2), batch.meanSquare));
      },
    }),
    defineClaimCheck({
      id: 'ghazi/level-draws',
      tier: 'exact',
      statement: 'of the 2^(M+1) − 1 equally likely whole numbers 2^(M−k) give level k, for M ≤ 9',
      power: 'certain, for every whole number',
      run: () =>
        judge(
          10,
          first(
            ...range(10).flatMap((most) => {
              const counts = new Float64Array(most + 1);
              for (let i = 0; i < 2 ** (most + 1) - 1; i++)
                counts[truncatedGeometric(most).draw(givenInteger(() => i))]++;
              return Array.from(counts, (count, k) =>
                differs(`draws of level ${k} at M = ${most}`, count, 2 ** (most - k)),
              );
            }),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/telescoping',
      tier: 'exact',
      statement:
        'the expectation of an estimate is that of one mean over 2^⌊log₂ n⌋ records, ' +
        'for a mean that is no linear function of its records, ' +
        'with all levels, batches, halves and single records listed, for n ≤ 6',
      power: 'certain for that mean: a weight, a term or a share of it',
      run: () =>
        judge(
          5,
          first(
            ...[2, 3, 4, 5, 6].map((n) =>
              differs(`the expectation for n = ${n}`, expectation(subject, n, allHalves), largestMean(n)),
            ),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/halves',
      tier: 'exact',
      statement:
        'B is a uniform subset of 2^(N+1) records and its halves are parts of a shuffle, so that each is ' +
        'a uniform subset of 2^N: what is asked for says so, at every level for n = 16',
      power: 'certain',
      run: () =>
        judge(
          4,
          first(
            ...range(4).map((level): Violation | undefined => {
              const { size, order, sizes } = drawsOfHalves(subject, 16, level);
              return first(
                differs('records of B', size, 2 ** (level + 1)),
                differs('halves in shuffled order', order === 'shuffled' ? 1 : 0, 1),
                ...sizes.map((half) => differs('records of a half', half, 2 ** level)),
              );
            }),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/halves-printed',
      tier: 'exact',
      statement:
        'the sums telescope for any partition of B, such as the halves of B in stored order, for n = 6',
      run: () =>
        judge(
          1,
          differs('the expectation for n = 6', expectation(subject, 6, sortedHalves), largestMean(6), 1e-6),
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/bias',
      tier: 'exact',
      statement:
        'the bias is at most the root of the mean squared error of the largest batch, which an error of ' +
        'one sign attains, for n ≤ 33',
      power: 'any smaller bound, by 10⁻⁹',
      run: () =>
        judge(
          32,
          first(
            ...range(34)
              .slice(2)
              .map((slots) => {
                const error = (size: number): number => 1 / Math.sqrt(size);
                const { bias } = momentsOf(subject, slots, error);
                const bound = biasReducedBounds({
                  slots,
                  meanSquaredError: (size) => error(size) ** 2,
                  singleMeanSquare: 1,
                }).bias;
                return differs(`the bias bound for n = ${slots}`, bound, bias);
              }),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/second-moment',
      tier: 'exact',
      statement:
        'E‖G‖² ≤ 2E‖G₀‖² + Σ_k p_k⁻¹(4V(2^(k+1)) + 4V(2^k)) ' +
        'for errors of opposite signs, and they attain it for n = 2',
      power: 'any smaller bound for n = 2, by 10⁻⁹: the halves counted once, as printed, give 7/8 of it',
      run: () =>
        judge(
          32,
          first(
            ...range(34)
              .slice(2)
              .map((slots) => {
                const { probability } = levelsFor(slots);
                // The error for which both squares are equal, at the level that a batch is the whole of.
                const error = (size: number): number => probability(Math.max(0, Math.log2(size) - 1)) / 2;
                const { meanSquare } = momentsOf(subject, slots, (size, mean) => {
                  if (mean === 3) return 1;
                  return mean === 0 ? error(size) : -error(size);
                });
                const bound = biasReducedBounds({
                  slots,
                  meanSquaredError: (size) => error(size) ** 2,
                  singleMeanSquare: 1,
                }).meanSquare;
                return slots === 2
                  ? differs('the bound for n = 2', bound, meanSquare)
                  : above(`the second moment for n = ${slots}`, meanSquare, bound);
              }),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/halves-of-errors',
      tier: 'exact',
      statement: '2(a − (b + c)/2)² ≤ 4a² + 2b² + 2c² on a grid, attained at b = c = −a',
      power: 'any smaller coefficient',
      run() {
        const grid = [-2, -1, 0, 0.5, 1, 3];
        return judge(
          grid.length ** 3,
          first(
            ...grid.flatMap((a) =>
              grid.flatMap((b) =>
                grid.map((c) =>
                  above(`a = ${a}, b = ${b}, c = ${c}`, 2 * (a - (b + c) / 2) ** 2, halvesBound(a, b, c)),
                ),
              ),
            ),
            differs('the bound at (1, −1, −1)', halvesBound(1, -1, -1), 8),
          ),
        );
      },
    }),
    defineClaimCheck({
      id: 'ghazi/halves-of-errors-printed',
      tier: 'exact',
      statement: '2(a − (b + c)/2)² ≤ 4a² + b² + c² at (1, −1, −1), where it says that 8 ≤ 6',
      run: () => judge(1, above('the square at (1, −1, −1)', 2 * 2 ** 2, halvesBound(1, -1, -1) - 2)),
    }),
    defineClaimCheck({
      id: 'ghazi/amplified-price',
      tier: 'exact',
      statement: 'ln(1 + q(e^x − 1)) ≤ 2qx for x ≤ 1.2564 and q ≤ 1, and not for x = 1.3 and q = 10⁻⁶',
      power: 'a factor below 2, and one that makes x = 1.3 fit',
      run() {
        const price = (q: number, x: number): number => Math.log1p(q * Math.expm1(x));
        return judge(
          64,
          first(
            ...[1e-9, 1e-6, 1e-3, 0.01, 0.1, 0.3, 0.7, 1].flatMap((q) =>
              [1e-6, 0.01, 0.1, 0.3, 0.7, 1, 1.2, 1.2564].map((x) =>
                above(`the price at q = ${q}, x = ${x}`, price(q, x), amplifiedPrice(q, x)),
              ),
            ),
            above('the bound at x = 1.3', amplifiedPrice(1e-6, 1.3), price(1e-6, 1.3)),
          ),
        );
      },
    }),
  ];
}
