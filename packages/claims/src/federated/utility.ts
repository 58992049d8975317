import { seededRandom, type PublicPlan, type Ref } from '@lethe/core';
import { defineClaimCheck, judge, type ClaimCheck } from '@lethe/laws';
import { independentPrefixes, mechanisms } from '@lethe/mechanisms';
import { each } from '../common/each.js';
import { above, differs, first } from '../common/judging.js';
import { norm, squaredNorm } from '../common/vectors.js';
import { drawsOf, linearLoss, minus, quadratic } from '../recursive-gradients/paths.js';
import { mu2Path, plannedRun, zeros } from './paths.js';
import type { FederatedSubject } from './subject.js';

interface Plan extends PublicPlan {
  readonly rounds: number;
  readonly batchSize: number;
  readonly stepSize: number;
  readonly clipNorm: number;
  readonly noiseMultiplier: number;
}
const sum = (values: ArrayLike<number>, of: (one: number) => number = (one) => one): number =>
  Array.from(values).reduce((all, one) => all + of(one), 0);

/** Rows 47, 48, 50, 51, 69 and 76: bounds, steps, and what a run loses. */
export function utilityChecks(subject: FederatedSubject): readonly ClaimCheck[] {
  const { absorbed, box, squareRootToeplitz, noiseOfSums, mu2Risk } = subject;
  const planOf = (
    ...given: Parameters<typeof plannedRun> extends [unknown, ...infer Rest] ? Rest : never
  ): Plan => plannedRun(subject, ...given).plan as Plan;
  const settings = [
    { slots: 64, lipschitz: 1, smoothness: 0.25, dimension: 5 },
    { slots: 500, lipschitz: 2, smoothness: 1, dimension: 50 },
    { slots: 1024, lipschitz: 1, smoothness: 0, dimension: 5 },
  ] as const;
  const deviations = (
    { rounds, batchSize, clipNorm, noiseMultiplier }: Plan,
    dimension: number,
    prefixSum: Ref<'prefixSum'> = independentPrefixes({}),
  ): Float64Array =>
    noiseOfSums(
      { registry: mechanisms, prefixSum, dimension, adjacency: 'replace-one', noiseMultiplier },
      rounds,
    ).deviations.map((one) => (one * clipNorm) / batchSize);
  /** Mean excess of linear losses of slope (1/2, 0, …) on the unit ball, for the printed noise of level 1. */
  const linearExcess = (
    T: number,
    repetitions: number,
  ): { readonly mean: number; readonly bound: number } => {
    const dimension = 5;
    const plan = planOf(
      { slots: T, lipschitz: 1, smoothness: 0, dimension },
      { schedule: 'printed', noiseMultiplier: 1 },
    );
    const slope = [0.5, 0, 0, 0, 0];
    const noise = deviations(plan, dimension);
    const random = seededRandom(`linear/${T}`);
    const losses = each(repetitions, () => {
      const { output } = mu2Path(subject, {
        dimension,
        losses: [linearLoss(slope)],
        batches: each(T, () => [0]),
        noise: each(T, (k) =>
          [...random.gaussianInto(new Float64Array(dimension))].map((one) => one * noise[k]),
        ),
        stepSize: plan.stepSize,
        clipNorm: plan.clipNorm,
      });
      return 0.5 + output[0] * 0.5;
    });
    return { mean: sum(losses) / repetitions, bound: plan.utility?.bound ?? Number.NaN };
  };
  return [
    defineClaimCheck({
      id: 'reshef-levy/lemma-10',
      tier: 'search',
      statement:
        '‖∇f(x) − ∇f(x*)‖² ≤ 2L(f(x) − f(x*)) for the minimiser in a box, of quadratics, with equality ' +
        'for ½L‖x‖²',
      power: 'a minimiser outside the box',
      run() {
        const draws = drawsOf('lemma-10');
        return judge(
          200,
          first(
            ...each(200, (i) => {
              const curvatures = i === 0 ? [1, 1] : [draws.uniform(0, 1), draws.uniform(0, 1)];
              const centre = i === 0 ? [0, 0] : draws.vector(2, draws.uniform(0, 3));
              const { value, gradient } = quadratic(curvatures, centre);
              const set = box({ lower: Float64Array.of(-1, -0.5), upper: Float64Array.of(1, 0.25) });
              const P = (at: readonly number[]): number[] => [
                ...set.projectInto(new Float64Array(2), Float64Array.from(at)),
              ];
              const [best, x] = [P(centre), P(draws.vector(2, draws.uniform(0, 2)))];
              const [left, right] = [
                squaredNorm(minus(gradient(x), gradient(best))),
                2 * (value(x) - value(best)),
              ];
              return i === 0
                ? differs('‖∇f(x)‖²', left, right, 1e-12)
                : above('‖∇f(x) − ∇f(x*)‖²', left, right, 1e-12);
            }),
          ),
        );
      },
    }),
    defineClaimCheck({
      id: 'reshef-levy/lemma-10-printed',
      tier: 'exact',
      statement: 'Lemma 10 for all x: ½x² on [1, 2], at 0',
      run() {
        const { value, gradient } = quadratic([1], [0]);
        const set = box({ lower: Float64Array.of(1), upper: Float64Array.of(2) });
        const best = [...set.projectInto(new Float64Array(1), Float64Array.of(0))];
        return judge(1, above('‖∇f(0) − ∇f(x*)‖²', gradient(best)[0] ** 2, 2 * (value([0]) - value(best))));
      },
    }),
    defineClaimCheck({
      id: 'reshef-levy/lemma-11',
      tier: 'search',
      statement: 'A_t ≤ (1/2T)Σ A_τ + B for all t gives A_t ≤ 2B, which A = 2B attains; 1/T gives nothing',
      power: 'B in place of 2B',
      run() {
        const draws = drawsOf('lemma-11');
        return judge(
          200,
          first(
            ...each(200, (i) => {
              const T = 1 + (i % 20);
              const A = each(T, () => (i < 20 ? 1 : draws.uniform(0, 1) ** 4));
              const half = sum(A) / (2 * T);
              const B = Math.max(...A.map((one) => one - half), 0);
              return above('the largest A', Math.max(...A), absorbed(B), 1e-12);
            }),
          ),
        );
      },
    }),
    defineClaimCheck({
      id: 'reshef-levy/risk-bound',
      tier: 'exact',
      statement:
        'plan.utility is (4/T²)[D²/(2η) + (η/2)TdV + Dσ̃T^{3/2}/√b + TDG*] for what is really added, ' +
        'below 4D[(G* + 2LD)/T + σ̃/√(bT) + √(dV/T³)]',
      power: 'half of the bound',
      run: () =>
        judge(
          12,
          first(
            ...settings.flatMap((setting) =>
              (['printed', 'rebuilt'] as const).flatMap((schedule) =>
                (['any', 'realizable'] as const).map((kind) => {
                  const plan = planOf(setting, { schedule, setting: kind });
                  const { rounds: T, stepSize: eta, batchSize: b, clipNorm: R } = plan;
                  const { dimension: d, lipschitz, smoothness: L } = setting;
                  const D = 2;
                  const G = kind === 'any' ? lipschitz : 0;
                  const V = deviations(plan, d)[0] ** 2;
                  const bound = plan.utility?.bound ?? Number.NaN;
                  const whole =
                    (4 / T ** 2) *
                    (D ** 2 / (2 * eta) +
                      (eta / 2) * T * d * V +
                      (D * R * T ** 1.5) / Math.sqrt(b) +
                      T * D * G);
                  return first(
                    differs('the bound', bound, whole, 1e-9),
                    above(
                      'the bound',
                      bound,
                      4 * D * ((G + 2 * L * D) / T + R / Math.sqrt(b * T) + Math.sqrt((d * V) / T ** 3)),
                    ),
                    above(
                      'a step that is too long',
                      mu2Risk({
                        rounds: T,
                        batchSize: b,
                        stepSize: 1,
                        dimension: d,
                        diameter: D,
                        smoothness: 1,
                        slopeAtMinimiser: G,
                        increments: R,
                        deviations: [],
                        independent: true,
                      }) === null
                        ? 0
                        : 1,
                      0,
                    ),
                  );
                }),
              ),
            ),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'reshef-levy/rate',
      tier: 'statistical',
      statement:
        'for linear losses with one slope the mean excess of 64, 256 and 1024 rounds is .0920, .0233 and ' +
        '.0057 within a tenth, of slope −1, below the bound',
      power: 'noise of √T too much',
      run() {
        const judged = (T: number, repetitions: number, reference: number) => {
          const { mean, bound } = linearExcess(T, repetitions);
          const wrong = first(
            differs('the mean excess', mean, reference, 0.1),
            above('the mean excess', mean, bound),
          );
          return { mean, wrong };
        };
        // The cheapest first: what is wrong shows there.
        const few = judged(64, 300, 0.092);
        if (few.wrong !== undefined) return judge(300, few.wrong);
        const some = judged(256, 300, 0.0233);
        const many = judged(1024, 120, 0.00571);
        const slope = Math.log(many.mean / few.mean) / Math.log(16);
        return judge(
          720,
          first(some.wrong, many.wrong, above('the slope next to −1', Math.abs(slope + 1), 0.1)),
        );
      },
    }),
    defineClaimCheck({
      id: 'reshef-levy/factorisations',
      tier: 'exact',
      statement:
        'column norm times mean row norm is 3.105 for the square-root factorisation of 1024 rounds and ' +
        '32 for fresh noise, and a plan with another factorisation is bounded by D√d Σ√V_t at step ' +
        '1/(4LT)',
      power: 'the variance of one step more',
      run() {
        const T = 1024;
        const product = (prefixSum: Ref<'prefixSum'>): number =>
          sum(
            noiseOfSums(
              { registry: mechanisms, prefixSum, dimension: 1, adjacency: 'zero-out', noiseMultiplier: 1 },
              T,
            ).deviations,
          ) / T;
        const setting = { slots: 64, lipschitz: 1, smoothness: 0.25, dimension: 5 };
        const root = squareRootToeplitz({});
        const plan = planOf(setting, { rounds: 16, prefixSum: root });
        const { rounds, batchSize, stepSize, clipNorm } = plan;
        const spread = Math.sqrt(5) * 2 * sum(deviations(plan, 5, root));
        const bound =
          (4 / rounds ** 2) *
          (4 / (2 * stepSize) + spread + (2 * clipNorm * rounds ** 1.5) / Math.sqrt(batchSize) + rounds * 2);
        return judge(
          4,
          first(
            above('|3.105 − product|', Math.abs(product(root) - 3.105), 0.001),
            differs('product of fresh noise', product(independentPrefixes({})), 32, 1e-9),
            differs('the step', stepSize, 1 / (4 * 0.25 * 16), 1e-12),
            differs('the bound', plan.utility?.bound ?? Number.NaN, bound, 1e-9),
          ),
        );
      },
    }),
    defineClaimCheck({
      id: 'reshef-levy/step-size',
      tier: 'exact',
      statement:
        'η = min{D/√(TdV), 1/(4LT)} for the noise that is really added: printed min{ρD/(2ST√d), 1/(4LT)}',
      power: '√T in place of T',
      run: () =>
        judge(
          6,
          first(
            ...settings.flatMap((setting) => {
              const { dimension: d, smoothness: L, lipschitz, slots } = setting;
              const most = (T: number): number => (L > 0 ? 1 / (4 * L * T) : Infinity);
              const printed = planOf(setting, { schedule: 'printed', noiseMultiplier: 4 });
              const rebuilt = planOf(setting, { noiseMultiplier: 4 });
              return [
                differs(
                  'the printed step',
                  printed.stepSize,
                  Math.min(2 / (4 * 2 * (lipschitz + 4 * L) * slots * Math.sqrt(d)), most(slots)),
                  1e-9,
                ),
                differs(
                  'the step',
                  rebuilt.stepSize,
                  Math.min(
                    2 / Math.sqrt(rebuilt.rounds * d * deviations(rebuilt, d)[0] ** 2),
                    most(rebuilt.rounds),
                  ),
                  1e-9,
                ),
                above(
                  'a run of it ends in the ball',
                  norm(
                    mu2Path(subject, {
                      dimension: 2,
                      losses: [linearLoss([1, 0])],
                      batches: [[0]],
                      noise: [zeros(2)],
                      stepSize: rebuilt.stepSize,
                    }).output,
                  ),
                  1,
                ),
              ];
            }),
          ),
        ),
    }),
  ];
}
