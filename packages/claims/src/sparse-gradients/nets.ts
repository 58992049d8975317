import { seededRandom } from '@lethe/core';
import { defineClaimCheck, judge, type ClaimCheck } from '@lethe/laws';
import { logBinomial, norm2, vectorNorm } from '@lethe/numerics';
import { each } from '../common/each.js';
import { above, differs, first } from '../common/judging.js';
import { choiceOf, latticePoints } from './lattice-choice.js';
import type { SparseGradientsSubject } from './subject.js';

/** Rows 78 to 82 of the claims: nets of sparse points, and the choice among them. */
export function netChecks(subject: SparseGradientsSubject): readonly ClaimCheck[] {
  const { sparseNet, sparseNetSpacing, likelyRegret } = subject;
  const chosen = choiceOf(subject);
  return [
    defineClaimCheck({
      id: 'ghazi/sparse-point',
      tier: 'exact',
      statement:
        'rounding the coordinates of a point of norm D at most towards zero, to multiples of τ, leaves ' +
        'at most D²/τ² of them and moves none by more than τ',
      power: 'a net with 1/τ² entries, for radii 1/2 to 3 in six dimensions',
      run: () =>
        judge(
          200,
          first(
            ...[0.5, 1, 3].flatMap((distance) =>
              [0.2, 0.4, 0.5].flatMap((spacing) =>
                each(25, (i) => {
                  const raw = seededRandom(`point ${i}`).gaussianInto(new Float64Array(6));
                  // Some points have all entries of one size: they keep most.
                  const equal = raw.map((_, j) => (j <= i % 6 ? 1 : 0));
                  const given = i % 2 === 0 ? raw : equal;
                  const point = given.map((x) => (x * distance * (1 - 1e-12)) / norm2(given));
                  const rounded = point.map((x) => Math.trunc(x / spacing) * spacing);
                  return first(
                    above(
                      `entries at D = ${distance}, τ = ${spacing}`,
                      rounded.filter((x) => x !== 0).length,
                      sparseNet({ dimension: 6, distance }, spacing).entries,
                    ),
                    above(
                      `the distance at D = ${distance}, τ = ${spacing}`,
                      vectorNorm(
                        rounded.map((x, j) => x - point[j]),
                        'linf',
                      ),
                      spacing,
                    ),
                  );
                }),
              ),
            ),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/sparse-point-printed',
      tier: 'exact',
      statement: 'at most 1/τ² entries stay, for D = 2 and τ = 1: those of (1, 1, 1, 1) do',
      run: () => judge(1, above('entries', [1, 1, 1, 1].filter((x) => x >= 1).length, 1)),
    }),
    defineClaimCheck({
      id: 'ghazi/net-size',
      tier: 'exact',
      statement: 'the net has as many points as are counted, or fewer, and at most C(d,k)(3D/τ)^k',
      power: 'a count that is short of a point on an axis, in three dimensions at most',
      run: () =>
        judge(
          18,
          first(
            ...[1, 2, 3].flatMap((dimension) =>
              [0.3, 0.5, 1].flatMap((spacing) =>
                [1, 2].map((distance) => {
                  const { entries, size } = sparseNet({ dimension, distance }, spacing);
                  const what = `d = ${dimension}, τ = ${spacing}, D = ${distance}`;
                  return first(
                    above(
                      `points, ${what}`,
                      latticePoints(dimension, spacing, entries, distance).length,
                      size,
                    ),
                    above(
                      `the count, ${what}`,
                      Math.log(size),
                      logBinomial(dimension, entries) + entries * Math.log((3 * distance) / spacing),
                      1e-9,
                    ),
                  );
                }),
              ),
            ),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/choice-privacy',
      tier: 'exact',
      statement:
        'with probabilities in proportion to e^(−εnF/(2B)) the choice is ε-private for losses that ' +
        'differ by B at most between points, whatever constants are added to them; two losses attain it',
      power: 'an exponent 10⁻³ too large, on ten thousand points',
      run: () =>
        judge(
          12,
          first(
            ...[1, 5, 100].flatMap((records) =>
              [0.1, 2].flatMap((epsilon) =>
                [0, 100].map((constant) => {
                  const range = 3;
                  const points = 10_000;
                  const risks = (sign: number): readonly number[] =>
                    // One point is the best for one loss, and the worst for the other.
                    each(
                      points,
                      (k) => (k === 0 ? -sign * range : 0) / records + (sign * constant) / records,
                    );
                  const [here, there] = [1, -1].map((sign) =>
                    chosen(
                      risks(sign).map((risk) => risk + range / records / 2),
                      records,
                      range,
                      epsilon,
                    ),
                  );
                  const losses = here.map((p, k) => Math.abs(Math.log(p / there[k])));
                  const most = losses.reduce((a, b) => Math.max(a, b), 0);
                  const what = `n = ${records}, ε = ${epsilon}, constants ${constant}`;
                  return first(
                    above(`the privacy loss, ${what}`, most, epsilon),
                    above(`what is attained, ${what}`, 0.99 * epsilon, most),
                  );
                }),
              ),
            ),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/choice-privacy-printed',
      tier: 'exact',
      statement:
        'probabilities in proportion to e^(−BF/(εn)) are ε-private for n = B = 1 and ε = 1/2: of many ' +
        'points, one that is best for one loss and worst for the other has a privacy loss of nearly 4',
      run() {
        const weight = 1 / 0.5;
        const share = (sign: number): number => Math.exp(sign * weight) / (Math.exp(sign * weight) + 9999);
        return judge(1, above('the privacy loss', Math.log(share(1) / share(-1)), 0.5));
      },
    }),
    defineClaimCheck({
      id: 'ghazi/choice-regret',
      tier: 'exact',
      statement:
        'the choice is worse than the best point by more than ' +
        '(2B/(εn))(ln N + ln(1/β)) with probability β at most',
      power: 'the printed bound without the 2, at the worst gap',
      run: () =>
        judge(
          24,
          first(
            ...[2, 30, 1000].flatMap((size) =>
              [10, 1000].flatMap((records) =>
                [0.3, 2].flatMap((epsilon) =>
                  [0.2, 1e-3].map((failure) => {
                    const range = 2;
                    const bound = likelyRegret({ range, records }, { size }, { epsilon, failure });
                    const risks = each(size, (k) => (k === 0 ? 0 : bound * (1 + 1e-12)));
                    const worse = chosen(risks, records, range, epsilon).reduce(
                      (sum, p, k) => sum + (k === 0 ? 0 : p),
                      0,
                    );
                    return above(
                      `the probability for N = ${size}, n = ${records}, β = ${failure}`,
                      worse,
                      failure,
                    );
                  }),
                ),
              ),
            ),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/net-spacing',
      tier: 'exact',
      statement:
        'τ³/ln(dD/(τβ)) = BD²/(L√s·εn): there L√s·τ is (BD²/(εnτ²)) ' +
        'ln(dD/(τβ)), and other units of points change nothing',
      power: 'another root by 10⁻⁹, a logarithm without D',
      run: () => {
        const setting = { records: 1e4, dimension: 10, sparsity: 4, lipschitz: 1, range: 1, distance: 1 };
        const target = { epsilon: 1, failure: 0.1 };
        const own = sparseNetSpacing(setting, target);
        return judge(
          11,
          first(
            differs('τ', own, 0.07128961514490505),
            ...[1e-3, 1, 50].flatMap((distance) =>
              [10, 1e4, 1e9].map((records) => {
                const at = { ...setting, distance, records };
                const tau = sparseNetSpacing(at, target);
                return differs(
                  `the balance at D = ${distance}, n = ${records}`,
                  2 * tau,
                  (distance ** 2 / (records * tau ** 2)) * Math.log((10 * distance) / (tau * 0.1)),
                );
              }),
            ),
            differs(
              'τ in other units',
              sparseNetSpacing({ ...setting, distance: 9, lipschitz: 1 / 9 }, target),
              9 * own,
            ),
          ),
        );
      },
    }),
    defineClaimCheck({
      id: 'ghazi/net-spacing-printed',
      tier: 'exact',
      statement:
        'τ³/ln(d/(τβ)) = L√s·εn/B has a root below D = 1 for n = 10⁴: there the left side is at most ' +
        '1/ln(d/β), and the net is the origin alone',
      run: () => judge(1, above('the right side', 2e4, 1 / Math.log(100))),
    }),
  ];
}
