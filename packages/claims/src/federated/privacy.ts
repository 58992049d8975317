import {
  clippedMeanEvent,
  composedEvent,
  driveSync,
  sameEvent,
  seededRandom,
  type Query,
  type PublicPlan,
} from '@lethe/core';
import { attachData, openLedger } from '@lethe/curator';
import { defineClaimCheck, judge, renyiOf, type ClaimCheck, type Violation } from '@lethe/laws';
import { mechanisms } from '@lethe/mechanisms';
import { each } from '../common/each.js';
import { gaussians } from '../common/gaussians.js';
import { above, differs, first } from '../common/judging.js';
import { distance, drawsOf, linearLoss } from '../recursive-gradients/paths.js';
import { mu2Path, plannedRun } from './paths.js';
import type { FederatedSubject } from './subject.js';

const adjacency = 'replace-one';
const levels = [0.05, 0.25, 1, 2, 8];
const deltas = [1e-12, 1e-6, 1e-2];

/** Rows 30 to 39, 42, 62, 63 and 71: divergences, conversions, and what a stream costs. */
export function privacyChecks(subject: FederatedSubject): readonly ClaimCheck[] {
  const {
    gdp,
    printedLevel,
    printedEpsilon,
    renyi,
    mapped,
    composedBound,
    converted,
    gaussianDivergence,
    exactLevel,
    independentPrefixes,
  } = subject;
  const curve = (level: number, epsilon: number): number =>
    gdp.delta(clippedMeanEvent(1 / level, adjacency), { adjacency, epsilon }).upper;
  const draws = drawsOf('laws');
  /** A law on a few points. */
  const law = (size: number): readonly number[] => {
    const weights = each(size, () => draws.uniform(0.01, 1) ** 3);
    const sum = weights.reduce((all, one) => all + one, 0);
    return weights.map((one) => one / sum);
  };
  const pairs = each(100, (i) => ({
    P: law(2 + (i % 4)),
    Q: law(2 + (i % 4)),
    alpha: 1 + draws.uniform(0.01, 10),
  }));
  const hockey = (epsilon: number, P: readonly number[], Q: readonly number[]): number =>
    P.reduce((sum, p, i) => sum + Math.max(0, p - Math.exp(epsilon) * Q[i]), 0);
  const noiseAt = (rounds: number, noiseMultiplier: number, registry = mechanisms) =>
    subject.noiseOfSums(
      { registry, prefixSum: independentPrefixes({}), dimension: 1, adjacency, noiseMultiplier },
      rounds,
    );
  const check = (
    name: string,
    tier: ClaimCheck['tier'],
    statement: string,
    power: string,
    run: () => ReturnType<typeof judge>,
  ): ClaimCheck => defineClaimCheck({ id: `reshef-levy/${name}`, tier, statement, power, run });
  const over = <T>(cases: readonly T[], of: (one: T) => Violation | undefined) =>
    judge(cases.length, first(...cases.map(of)));
  const budgets = [0.1, 0.5, 1, 4, 8].flatMap((epsilon) =>
    [1e-8, 1e-6, 1e-5].map((delta) => ({ epsilon, delta })),
  );

  return [
    check(
      'lemma-1',
      'exact',
      'the Rényi divergence of Gaussians is α‖Δ‖²/(2σ²), by quadrature, for α up to 64',
      'a level without 1/2',
      () =>
        over(
          [1.01, 1.5, 2, 8, 64].flatMap((alpha) =>
            [0.1, 0.7].map((shift) => ({ alpha, shift, deviation: 1.3 })),
          ),
          ({ alpha, shift, deviation }) =>
            differs(
              `order ${alpha}`,
              renyiOf(gaussians(alpha, shift, deviation), alpha).estimate,
              gaussianDivergence(alpha, shift, deviation),
              1e-7,
            ),
        ),
    ),
    check(
      'renyi-divergence',
      'search',
      'Rényi divergences are not negative, grow with the order and are infinite where a support is left',
      'an order one less',
      () =>
        over(pairs, ({ P, Q, alpha }) =>
          first(
            above('−𝔻', -renyi(alpha, P, Q), 0, 1e-12),
            above('𝔻 at the lower order', renyi(alpha, P, Q), renyi(alpha + 0.5, P, Q), 1e-12),
            differs(
              '𝔻 of order 2',
              renyi(2, P, Q),
              Math.log(P.reduce((sum, p, i) => sum + p ** 2 / Q[i], 0)),
              1e-9,
            ),
            above('infinity', Infinity, renyi(alpha, [...P, 0.5], [...Q, 0]), 0),
            differs('𝔻 where 0/0 = 0', renyi(alpha, [...P, 0], [...Q, 0]), renyi(alpha, P, Q), 1e-12),
          ),
        ),
    ),
    check(
      'post-processing',
      'search',
      'no random map makes the divergence larger; two maps for two laws do',
      'two maps for two laws',
      () =>
        over(pairs, ({ P, Q, alpha }) => {
          const rows = P.map(() => law(3));
          return above(
            '𝔻 of the images',
            renyi(alpha, mapped(P, rows), mapped(Q, rows)),
            renyi(alpha, P, Q),
            1e-9,
          );
        }),
    ),
    check(
      'composition',
      'search',
      'the divergence of two adaptive steps is at most that of the first and the largest of the second',
      'the average of the second',
      () =>
        over(pairs, ({ P, Q, alpha }) => {
          const seconds = P.map((_, i) => ({ P: law(2), Q: i === 0 ? [0.999, 0.001] : law(2) }));
          const joint = (first_: readonly number[], which: 'P' | 'Q'): readonly number[] =>
            first_.flatMap((p, i) => seconds[i][which].map((one) => p * one));
          return above(
            '𝔻 of both',
            renyi(alpha, joint(P, 'P'), joint(Q, 'Q')),
            composedBound(
              renyi(alpha, P, Q),
              seconds.map((one) => renyi(alpha, one.P, one.Q)),
            ),
            1e-9,
          );
        }),
    ),
    check(
      'lemma-2',
      'search',
      '(α, 𝔻) gives δ at ε = 𝔻 + ln(1/δ)/(α − 1), for finite laws and Gaussians',
      'ln(1/δ)/α',
      () =>
        over(
          [...pairs, { P: [0.02, 0.98], Q: [0.0001, 0.9999], alpha: 2 }].flatMap((pair) =>
            [0.5, 0.1, 0.01].map((delta) => ({ ...pair, delta })),
          ),
          ({ P, Q, alpha, delta }) =>
            first(
              above('δ', hockey(converted(alpha, renyi(alpha, P, Q), delta), P, Q), delta, 1e-12),
              above(
                'δ of Gaussians',
                curve(0.3, converted(alpha, gaussianDivergence(alpha, 0.3, 1), delta)),
                delta,
              ),
            ),
        ),
    ),
    check(
      'lemma-2-all-orders',
      'exact',
      'the least ε over all orders is ρ²/2 + ρ√(2 ln(1/δ)), and the exact curve is below δ there',
      'an ε without the root',
      () =>
        over(
          levels.flatMap((level) => deltas.map((delta) => ({ level, delta }))),
          ({ level, delta }) => {
            const at = (alpha: number): number =>
              (alpha * level ** 2) / 2 + Math.log(1 / delta) / (alpha - 1);
            let [low, high] = [1 + 1e-9, 1e5];
            for (let i = 0; i < 300; i++) {
              const [a, b] = [low + (high - low) / 3, high - (high - low) / 3];
              if (at(a) < at(b)) high = b;
              else low = a;
            }
            return first(
              differs('ε', printedEpsilon(level, delta), at((low + high) / 2), 1e-9),
              above('δ', curve(level, printedEpsilon(level, delta)), delta),
            );
          },
        ),
    ),
    check(
      'level-of-budget',
      'exact',
      'ρ = √(2 ln(1/δ) + 2ε) − √(2 ln(1/δ)) inverts it and grows with ε',
      'ε over √(2 ln(1/δ))',
      () =>
        over(
          levels.flatMap((level) => deltas.map((delta) => ({ level, delta }))),
          ({ level, delta }) =>
            first(
              differs('ρ', printedLevel({ epsilon: printedEpsilon(level, delta), delta }), level, 1e-9),
              above('ρ of less', printedLevel({ epsilon: printedEpsilon(level, delta) / 2, delta }), level),
            ),
        ),
    ),
    check(
      'noise-of-a-round',
      'exact',
      'for σ² = 4S²T/ρ² the T rounds have T α(2S)²/(2σ²) = αρ²/2, σ being what a printed plan adds',
      'a tenth less noise',
      () =>
        over(
          [1, 7, 64, 1000].flatMap((T) => [0.5, 3].map((lipschitz) => ({ T, lipschitz }))),
          ({ T, lipschitz }) => {
            const budget = { epsilon: 2, delta: 1e-5 };
            const { plan } = plannedRun(
              subject,
              { slots: T, lipschitz, smoothness: 0.25, budget },
              { schedule: 'printed' },
            );
            const { noiseMultiplier, clipNorm } = plan as PublicPlan & {
              readonly noiseMultiplier: number;
              readonly clipNorm: number;
            };
            const rho = printedLevel(budget);
            const S = lipschitz + 2 * 0.25 * 2;
            const sigma = noiseAt(T, noiseMultiplier).worst * clipNorm;
            return first(
              differs('σ', sigma, (2 * S * Math.sqrt(T)) / rho, 1e-9),
              differs(
                'the divergence at order 3',
                T * gaussianDivergence(3, 2 * S, sigma),
                (3 * rho ** 2) / 2,
                1e-9,
              ),
            );
          },
        ),
    ),
    check(
      'linear-equality',
      'exact',
      'for linear losses z and −z of the first round the transcript is two Gaussians at distance ρ exactly',
      'a hundredth less noise',
      () =>
        over([1, 5, 40], (T) => {
          const losses = [linearLoss([1]), linearLoss([-1])];
          const of = (record: number) =>
            mu2Path(subject, {
              dimension: 1,
              losses,
              batches: each(T, (k) => [k === 0 ? record : 0]),
              noise: each(T, () => [0]),
              sums: each(T, () => [1]),
              stepSize: 0.1,
              clipNorm: 1,
              smoothness: 0,
            });
          const { deviations } = noiseAt(T, 1 / 0.7);
          const [one, other] = [of(0).q, of(1).q];
          const level = Math.sqrt(
            one.reduce((sum, q, k) => sum + (distance(q, other[k]) / deviations[k]) ** 2, 0),
          );
          return first(
            differs('the distance', level, 0.7, 1e-9),
            differs(
              'δ at ε = 1/2',
              curve(level, 0.5),
              gdp.delta(clippedMeanEvent(1 / 0.7, adjacency), { adjacency, epsilon: 0.5 }).upper,
              1e-6,
            ),
          );
        }),
    ),
    check(
      'exact-level',
      'exact',
      'max_τ √(T − τ + 1) Δ_τ/σ is at most the level of the stream: .843, .917 and .957 of it for G = 2, ' +
        'LD = 2',
      'rounds counted from the second',
      () =>
        over(
          [
            [64, 0.843],
            [256, 0.917],
            [1024, 0.957],
          ] as const,
          ([T, share]) => {
            const given = { lipschitz: 2, smoothness: 1, diameter: 2 };
            const sigma = noiseAt(T, 1).worst * subject.incrementRadius(given, 'centred');
            const level = exactLevel(T, given, sigma);
            return first(
              above('the level', level, 1),
              above('what it is apart', Math.abs(level - share), 0, 0.0006),
            );
          },
        ),
    ),
    check(
      'noise-law',
      'statistical',
      'noise of the sums has mean 0 and the planned variance, and is uncorrelated over rounds and ' +
        'entries, through the curator',
      'noise of increments in place of sums',
      () => {
        const [T, d] = [400, 50];
        const sums = nullRun(subject, T, d);
        const deviation = noiseAt(T, 1.5).worst * 2;
        const z = sums.flatMap((row) => row.map((one) => one / deviation));
        const N = z.length;
        const meanProduct = (lag: number): number =>
          z.reduce((sum, one, i) => sum + one * z[(i + lag) % N], 0) / N;
        const most = 6 / Math.sqrt(N);
        return judge(
          N,
          first(
            above('|mean|', Math.abs(z.reduce((sum, one) => sum + one, 0) / N), most, 0),
            above('|variance − 1|', Math.abs(meanProduct(0) - 1), most * Math.SQRT2, 0),
            above('|correlation of entries|', Math.abs(meanProduct(1)), most, 0),
            above('|correlation of rounds|', Math.abs(meanProduct(d)), most, 0),
          ),
        );
      },
    ),
    check(
      't-fold',
      'exact',
      'T Gaussians of multiplier m√T have the curve of one of multiplier m, and the ledger has that one',
      'multiplier m for each',
      () =>
        judge(
          13,
          first(
            ...[2, 30, 1000].flatMap((T) =>
              [0.1, 1, 3].map((epsilon) => {
                const many = composedEvent(each(T, () => clippedMeanEvent(1.2 * Math.sqrt(T), adjacency)));
                return differs(
                  `δ of ${T}`,
                  gdp.delta(many, { adjacency, epsilon }).upper,
                  curve(1 / 1.2, epsilon),
                  1e-6,
                );
              }),
            ),
            ...[1, 5, 12].map((T) => {
              const { spent, planned } = charged(subject, T);
              return above(
                'events that differ',
                sameEvent(spent, planned) && sameEvent(spent, clippedMeanEvent(1.5, adjacency)) ? 0 : 1,
                0,
              );
            }),
          ),
        ),
    ),
    check(
      'calibration',
      'exact',
      'plans have noise 1/μ for the root μ of the exact curve, 10 to 36.1 percent below Lemma 2: .2367 ' +
        'and .1869 at (1, 10⁻⁶)',
      'a tenth less noise',
      () =>
        over(budgets, (budget) => {
          const { plan } = plannedRun(
            subject,
            { slots: 20, lipschitz: 1, smoothness: 0.25, budget },
            { rounds: 10 },
          );
          const mu = 1 / (plan as PublicPlan & { readonly noiseMultiplier: number }).noiseMultiplier;
          const rho = printedLevel(budget);
          return first(
            above('δ', curve(mu, budget.epsilon), budget.delta, 1e-12),
            above('the promised δ', budget.delta, curve(mu * (1 + 1e-5), budget.epsilon)),
            above('noise next to Lemma 2', rho / mu, 0.9),
            above('63.9 percent of it', 0.639, rho / mu),
            budget.epsilon === 1 && budget.delta === 1e-6
              ? first(
                  above('|μ − .2367|', Math.abs(mu - 0.2367), 6e-5),
                  above('|ρ − .1869|', Math.abs(rho - 0.1869), 6e-5),
                )
              : undefined,
          );
        }),
    ),
    check(
      'spread-owners',
      'exact',
      'an owner whose k records are spread evenly over the rounds costs √(Σ j(t)²/T) times one record: ' +
        '1.58, 2.74, 9.67 for 2, 4, 16',
      'k times',
      () =>
        over(
          [
            [2, 1.58],
            [4, 2.74],
            [16, 9.67],
          ] as const,
          ([k, factor]) => {
            const shape = { steps: 1600, dimension: 1 };
            const norm = (times: number, gap: number): number =>
              independentPrefixes.columnNorm({}, shape, { times, gap });
            return above('what it is apart', Math.abs(norm(k, 1600 / k) / norm(1, 1600) - factor), 0, 0.006);
          },
        ),
    ),
  ];
}

const nullData = (rows: number, columns: number) => ({
  data: new Float64Array(rows * columns),
  rows,
  columns,
  offset: 0,
  rowStride: columns,
  columnStride: 1,
});
/** Drives the shipped run on null records through the shipped curator. */
function charged(subject: FederatedSubject, T: number, d = 2) {
  const { logistic, centralCurator } = subject;
  const registry = [...mechanisms, logistic];
  const ledger = openLedger({ adjacency });
  const data = attachData({
    features: nullData(T, d),
    labels: new Float64Array(T).fill(1),
    nulls: new Uint8Array(T).fill(1),
    loss: logistic({}),
    registry,
    ledger,
  });
  const run = plannedRun(
    subject,
    { dimension: d, slots: T, lipschitz: 1, smoothness: 0.25 },
    { rounds: T, stepSize: 1e-3, clipNorm: 2, clip: 'lemma-4', noiseMultiplier: 1.5 },
  );
  const own = centralCurator({ data, registry, run: 'claims', random: seededRandom('secret') });
  const sums: number[][] = [];
  const curator = {
    ...own,
    answer(index: number, query: Query) {
      const told = own.answer(index, query);
      if (query.ask === 'push')
        sums.push(
          Array.from(told.answer as Float64Array, (one, j) => one + (sums[sums.length - 1]?.[j] ?? 0)),
        );
      return told;
    },
  };
  driveSync(run, curator, { start: new Float64Array(d), random: seededRandom('public') });
  return { sums, spent: ledger.total(), planned: run.plan.event };
}
const nullRun = (subject: FederatedSubject, T: number, d: number): readonly (readonly number[])[] =>
  charged(subject, T, d).sums;
