import { defineClaimCheck, judge, type ClaimCheck } from '@lethe/laws';
import { boxDomain } from '@lethe/mechanisms';
import { each } from '../common/each.js';
import { above, differs, first } from '../common/judging.js';
import { squaredNorm } from '../common/vectors.js';
import { averageOf, linearLoss, minus, pathOf, quadratic, type Instance } from './paths.js';
import { golden, plannedFor } from './planned-for.js';
import type { RecursiveGradientsSubject } from './subject.js';

/** Rows 8, 9, 48 to 50, 60, 64 to 67, 73, 76 and 77: schedules, rates and conclusions. */
export function rateChecks(subject: RecursiveGradientsSubject): readonly ClaimCheck[] {
  const {
    certifiedClip,
    likelySamplingError,
    privacyConstant,
    scheduleOf,
    likelyRisk,
    riskAfter,
    expectedRisk,
    noisePerClip,
  } = subject;
  const printed = plannedFor(subject);
  /** `E(T)` of a plan, in units of `LR`. */
  const certificate = (
    slots: number,
    { rounds, batchSize, beta, clipNorm }: NonNullable<ReturnType<typeof printed>>,
  ): number => {
    const at = { rounds, batchSize, beta, clipNorm };
    return likelyRisk(
      { beta, diameter: 1 },
      {
        sampling: likelySamplingError(at, 1e-6),
        noise: clipNorm * noisePerClip(golden(slots), at),
      },
      rounds,
    );
  };
  return [
    defineClaimCheck({
      id: 'choquette-choo/sampling-error',
      tier: 'exact',
      statement:
        'sums of signs exceed Q√(3(t + 1)ln(6T/γ)/B)/η_t at some step with probability γ at most, by the ' +
        'exact law; so do those beyond the bound of Pinelis, which is smaller',
      power: 'a bound that falls with B in place of √B',
      run: () =>
        judge(
          4,
          first(
            ...(['pinelis', 'printed'] as const).flatMap((constant) =>
              [16, 64].map((batchSize) => {
                const gamma = 0.1;
                // Signs have norm 1 and mean 0, and so are within Q = 2K of it for K = 1/2.
                const bound = likelySamplingError({ rounds: 1, batchSize, clipNorm: 0.5 }, gamma, constant);
                return first(
                  above('the probability', tailOfSigns(batchSize, bound * batchSize), gamma),
                  above('half of what is needed for it', 0.4 / Math.sqrt(batchSize), bound),
                );
              }),
            ),
            above(
              'that of Pinelis',
              likelySamplingError({ rounds: 9, batchSize: 4, clipNorm: 1 }, 0.01),
              likelySamplingError({ rounds: 9, batchSize: 4, clipNorm: 1 }, 0.01, 'printed'),
            ),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'choquette-choo/hayes',
      tier: 'exact',
      statement:
        '2 ln(2e²/γ) ≤ 3 ln(6/γ), by which the printed bound follows from that of Hayes, for γ ≤ .98904',
      power: '2 ln(6/γ) in place of 3 ln(6/γ)',
      run: () =>
        judge(
          40,
          first(
            ...each(40, (k) => {
              const gamma = 0.98904 * 0.6 ** k;
              const spread =
                (likelySamplingError({ rounds: 1, batchSize: 1, clipNorm: 1 }, gamma, 'printed') / 2) ** 2;
              return above('what Hayes needs', 2 * Math.log((2 * Math.E ** 2) / gamma), spread);
            }),
            above('the printed one at .99', 3 * Math.log(6 / 0.99), 2 * Math.log((2 * Math.E ** 2) / 0.99)),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'choquette-choo/premise-of-14',
      tier: 'exact',
      statement:
        'β of Theorem 14 is at least 2MT exactly for B ≤ (8 + 4/c_M)√n, and at least 16MT for B ≤ √n',
      power: 'a step that falls with B³',
      run: () =>
        judge(
          12,
          first(
            ...[1e6, 1e8].flatMap((n) =>
              [0.1, 1, 10].flatMap((smoothness) => {
                const most = (8 + 4 / smoothness) * Math.sqrt(n);
                const ratioAt = (B: number): number => {
                  const found = printed(n, 'any', { smoothness }, Math.round(n / B));
                  // β at the real batch n/T, in place of the whole number below it.
                  const T = Math.round(n / B);
                  return (
                    ((found?.beta ?? Number.NaN) * (found?.batchSize ?? 1) ** 2) /
                    ((n / T) ** 2 * 2 * smoothness * T)
                  );
                };
                return [
                  above('1', 1, ratioAt(most * 0.99)),
                  above('β/(2MT) beyond', ratioAt(most * 1.02), 1),
                  above('8', 8, ratioAt(Math.sqrt(n)), 1e-6),
                ];
              }),
            ),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'choquette-choo/terms-of-14',
      tier: 'exact',
      statement: 'each of the six terms of Theorem 14 is at most LR/√n or LR√d/(εn), for B ≤ √n and d ≤ ε²n²',
      power: 'batches of n^0.6',
      run: () =>
        judge(
          12,
          first(
            ...[1e4, 1e6, 1e8].flatMap((n) =>
              [1, 100, n, n ** 2].map((d) => {
                const { rounds: T, batchSize: B } = printed(n, 'any') ?? { rounds: 1, batchSize: n };
                const most = Math.max(1 / Math.sqrt(n), Math.sqrt(d) / n);
                return first(
                  ...[
                    B / n,
                    Math.sqrt(B * d) / (n ** 1.5 * Math.sqrt(T)),
                    1 / Math.sqrt(n),
                    Math.sqrt(d) / n,
                    d / (n ** 1.5 * T),
                  ].map((term) => above('a term', term, most, 1e-2 * most)),
                );
              }),
            ),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'choquette-choo/theorem-1',
      tier: 'exact',
      statement:
        'the sum of the bounds on the steps is Σ b·βR/T, ' +
        'not b·βR/T² : a drift of b = 1/√T in one direction keeps to it',
      power: 'a sum that is divided by the weights of a hundred times the steps',
      run() {
        const T = 2000;
        const { gap, beta, b } = drifted(subject, T);
        const bound = riskAfter(
          { rounds: T, beta, zScale: 1, smoothness: 0, diameter: 1, startDistance: 1 },
          (t) => (beta * b) / (t + 1),
        );
        return judge(
          T,
          first(above('the excess risk', gap, bound), differs('1/(2T^1.5)', gap, 0.5 / T ** 1.5, 1e-9)),
        );
      },
    }),
    defineClaimCheck({
      id: 'choquette-choo/theorem-1-printed',
      tier: 'exact',
      statement: 'SL/(β√T) + … + βbR/T² + βR²/T² bounds it',
      run() {
        const T = 2000;
        const { gap, beta, b, slope } = drifted(subject, T);
        return judge(T, above('the excess risk', gap, (slope * b) / T + (beta * b) / T ** 2 + beta / T ** 2));
      },
    }),
    defineClaimCheck({
      id: 'choquette-choo/trivial-regime',
      tier: 'exact',
      statement: 'LR√d/(εn) ≥ LR for d ≥ ε²n²',
      power: 'a rate without its root',
      run: () =>
        judge(
          9,
          first(
            ...[100, 1e4].flatMap((n) =>
              [0.1, 1, 4].map((epsilon) =>
                above('1', 1, subject.privateRate(n, (epsilon * n) ** 2, epsilon)),
              ),
            ),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'choquette-choo/theorem-3',
      tier: 'exact',
      statement:
        'over all draws of four records from three the mean excess risk is below its bound, and all but ' +
        'a share γ = .1 below the likely one; noise counts by its length',
      power:
        'a bound that is divided by the weights of twice the steps; ' +
        'a plan that takes its clip to cut nothing for certain',
      run() {
        const losses = [quadratic([0.8], [0.7]), quadratic([0.5], [-0.4]), quadratic([0.3], [0.1])];
        const risk = averageOf(losses);
        const least = risk.value([leastOf(losses)]);
        const [rounds, beta] = [4, 3];
        let [mean, beyond] = [0, 0];
        const at = { rounds, batchSize: 1, beta, zScale: 0.5 as const, clipNorm: 3 };
        const run = { ...at, smoothness: 0.8, diameter: 2, startDistance: 1 + 1e-9 };
        const still = { deviations: new Float64Array(4), worst: 0 };
        const wide = { ...run, clipNorm: 8 };
        /** A plan for 64 records and L = .8, without noise; differences are at most 4/.52 long. */
        const planned = subject.riskOf(
          golden(64, { ...wide, lipschitz: 0.8, dimension: 1, noiseAt: () => still }),
          'any',
          wide,
        );
        const left = (planned?.bound ?? Number.NaN) - expectedRisk(wide, { ...still, dimension: 1 });
        const sampling = likelySamplingError(at, 0.1);
        const likely = riskAfter(run, (t) => sampling / Math.sqrt(t + 1));
        for (let draw = 0; draw < 81; draw++) {
          const { output } = pathOf(subject, {
            dimension: 1,
            losses,
            batches: each(4, (k) => [Math.floor(draw / 3 ** k) % 3]),
            noise: each(4, () => [0]),
            beta,
            zScale: 0.5,
          });
          mean += (risk.value(output) - least) / 81;
          if (risk.value(output) - least > likely) beyond += 1 / 81;
        }
        // Differences are at most L + (t + 1)M·2D/(t + 2) long, which is below 3 here.
        const bound = expectedRisk(run, { deviations: new Float64Array(4), dimension: 1 });
        const noisy = (dimension: number, deviation: number): number =>
          expectedRisk(run, { deviations: new Float64Array(4).fill(deviation), dimension });
        return judge(
          81,
          first(
            above('the mean excess risk', mean, bound),
            above('the share beyond', beyond, 0.1),
            differs('the bound', bound, byHand(run), 1e-12),
            differs('what a plan adds, LD/n', left, (0.8 * 2) / 64, 1e-9),
            differs('nine entries of noise', noisy(9, 0.1), noisy(1, 0.3), 1e-12),
            above('the bound without noise', bound * (1 + 1e-6), noisy(1, 0.3)),
          ),
        );
      },
    }),
    defineClaimCheck({
      id: 'choquette-choo/theorem-14',
      tier: 'exact',
      statement:
        'E(T)√n/(LR) of the printed plan stays between 200 and 300 from n = 10⁶ to 10¹²; for B = n^0.6 ' +
        'its clip norm is certified at 10⁶ and not at 10¹⁴',
      power: 'E(t) without its third term, or noise for all steps',
      run() {
        const sizes = [1e6, 1e8, 1e10, 1e12];
        const values = sizes.map((n) => {
          const plan = printed(n, 'any');
          return plan === null ? Number.NaN : certificate(n, plan) * Math.sqrt(n);
        });
        const wide = (n: number): number | null => {
          const { rounds, beta } = printed(n, 'any', {}, Math.round(n ** 0.4)) ?? { rounds: 1, beta: 1 };
          return certifiedClip({ rounds, beta, lipschitz: 1, smoothness: 1, diameter: 1 }, 0);
        };
        return judge(
          8,
          first(
            ...values.map((value) => first(above('E(T)√n', value, 300), above('200', 200, value))),
            above('the clip norm of wide batches', wide(1e6) ?? Infinity, 12),
            above('12', 12, wide(1e14) ?? Infinity),
          ),
        );
      },
    }),
    defineClaimCheck({
      id: 'choquette-choo/theorem-10',
      tier: 'exact',
      statement:
        'a realizable plan of Equation 19 with mirror scale 1/2 has E(T) ≤ c·LR(1/√n + √d/(εn)) with c a ' +
        'power of logarithms, from n = 10¹⁰ to 10³⁰',
      power: 'E(t) without its third term, or noise for all steps',
      run() {
        const found = [1e10, 1e15, 1e20, 1e30].map((n) => {
          const plan = printed(n, 'realizable', { delta: 1 / n });
          if (plan === null) return { what: 'there is no plan', measured: 0, allowed: 1 };
          // The same numbers for half the mirror step, which is what is proved.
          const share = certificate(n, plan) / (1 / Math.sqrt(n) + Math.sqrt(10) / n);
          const constant = privacyConstant(n, 1 / n);
          return first(
            above('E(T) over the rate', share, 40 * constant ** 2 * Math.log(n)),
            above('the rate', constant / 40, share),
          );
        });
        return judge(4, first(...found));
      },
    }),
    defineClaimCheck({
      id: 'choquette-choo/theorem-2',
      tier: 'exact',
      statement:
        'with BT = n the same plan serves B = 1, n^(1/4) and √n: E(T)√n is within a factor 30 over all',
      power: 'E(t) without its third term, or noise for all steps',
      run() {
        const values = [1e6, 1e8, 1e10].flatMap((n) =>
          [n, Math.round(n ** 0.75), Math.round(Math.sqrt(n))].map((rounds) => {
            const found = scheduleOf(golden(n), {
              setting: 'any',
              choice: 'corrected',
              literal: true,
              given: { rounds },
            });
            return found === null ? Number.NaN : certificate(n, found) * Math.sqrt(n);
          }),
        );
        return judge(
          9,
          first(
            above('the spread', Math.max(...values) / Math.min(...values), 30),
            above('the largest', Math.max(...values), 1000),
            above('100', 20, Math.min(...values)),
          ),
        );
      },
    }),
    defineClaimCheck({
      id: 'choquette-choo/batch-sizes',
      tier: 'exact',
      statement: 'LRB/n ≤ LR/√n exactly for B ≤ √n, and LRB√d/(εn²) ≤ LR√d/(εn) for B ≤ n',
      power: 'a rate without its root',
      run: () =>
        judge(
          6,
          first(
            ...[100, 1e4, 1e6].flatMap((n) => [
              above('at √n', subject.privateRate(n, n, 1) - 1e-12, 1 / Math.sqrt(n)),
              above('beyond', 1 / Math.sqrt(n), (1.01 * Math.sqrt(n)) / n),
            ]),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'choquette-choo/carmon',
      tier: 'exact',
      statement:
        '2n is of the order of n + (nd)^(2/3)/ε for d ≤ √n, where Carmon et al. need as much, and less ' +
        'by any factor for larger d',
      power: 'a rate with the power 1/3',
      run: () =>
        judge(
          6,
          first(
            ...[1e6, 1e9].flatMap((n) => [
              above('theirs over 2n at √n', subject.carmonGradients(n, Math.sqrt(n), 1) / (2 * n), 1 + 1e-9),
              above('2', 2, subject.carmonGradients(n, n, 1) / (2 * n)),
            ]),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'choquette-choo/carmon-printed',
      tier: 'exact',
      statement: 'their gradients exceed twice 2n for every d ≤ n²',
      run: () =>
        judge(
          2,
          first(
            ...[1e6, 1e9].map((n) => above('2', 2, subject.carmonGradients(n, Math.sqrt(n), 1) / (2 * n))),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'choquette-choo/footnote-1-printed',
      tier: 'exact',
      statement:
        'M ≥ L/R wherever the minimiser over the whole space is in the domain, for losses of records',
      run() {
        // f(x, ±) = Mx²/2 ± x on [−1, 1]: the risk is least at 0, and gradients are up to 1 + M long.
        const M = 0.01;
        const losses = subject.oppositeSlopes().map((sign) => ({
          value: ([at]: ArrayLike<number> & Iterable<number>) => (M * at ** 2) / 2 + sign * at,
          gradient: (at: ArrayLike<number>) => [M * at[0] + sign],
        }));
        const path = pathOf(subject, {
          dimension: 1,
          losses,
          batches: [[0, 1]],
          noise: [[0]],
          beta: 1,
          zScale: 1,
          domain: unitInterval(),
        });
        const L = Math.max(...losses.map(({ gradient }) => Math.abs(gradient([1])[0])));
        return judge(
          1,
          first(
            above('the risk’s own gradient at 0', Math.sqrt(squaredNorm(path.nabla[0])), 0, 1e-12),
            above('L/R', L / 1, M),
          ),
        );
      },
    }),
  ];
}

/** `P[|Σ signs| > x]` for that many fair signs. */
function tailOfSigns(count: number, x: number): number {
  let sum = 0;
  let choose = 2 ** -count;
  for (let k = 0; k <= count; k++) {
    if (Math.abs(2 * k - count) > x) sum += choose;
    choose *= (count - k) / (k + 1);
  }
  return sum;
}

/** Example of a drift: a slope `βb/(2T)` on [0, 1] from 0, `β = 1`, and noise `1/√T` that pushes right. */
function drifted(
  subject: RecursiveGradientsSubject,
  T: number,
): { readonly gap: number; readonly beta: number; readonly b: number; readonly slope: number } {
  const [beta, b] = [1, 1 / Math.sqrt(T)];
  const slope = (beta * b) / (2 * T);
  const { output } = pathOf(subject, {
    dimension: 1,
    losses: [linearLoss([slope])],
    batches: each(T, () => [0]),
    noise: each(T, () => [b]),
    beta,
    zScale: 1,
    domain: unitInterval(),
  });
  return { gap: slope * output[0], beta, b, slope };
}

const unitInterval = (): NonNullable<Instance['domain']> => ({
  ref: boxDomain({ lower: 0, upper: 1 }),
  set: {
    projectInto: (out: Float64Array, point: Float64Array) => {
      out[0] = Math.max(0, Math.min(1, point[0]));
      return out;
    },
  },
});

/** Minimiser of the average of one-dimensional quadratics. */
function leastOf(losses: readonly { gradient(at: ArrayLike<number>): number[] }[]): number {
  const slopeAt = (x: number): number => losses.reduce((sum, { gradient }) => sum + gradient([x])[0], 0);
  const [zero, one] = [slopeAt(0), slopeAt(1)];
  return zero / minus([zero], [one])[0];
}

/** The expected bound for four steps of one record, `s = 1/2`, without noise. */
function byHand({
  beta,
  smoothness,
  clipNorm,
  diameter,
  startDistance,
}: {
  readonly beta: number;
  readonly smoothness: number;
  readonly clipNorm: number;
  readonly diameter: number;
  readonly startDistance: number;
}): number {
  const errors = each(4, (t) => clipNorm ** 2 / (t + 1));
  const sum = errors.reduce(
    (total, square, t) =>
      total +
      (((t + 1) * (t + 2)) / 2) * (square / (2 * (beta - smoothness))) +
      (t + 1) * Math.sqrt(square) * diameter,
    beta * startDistance ** 2,
  );
  return sum / 10;
}
