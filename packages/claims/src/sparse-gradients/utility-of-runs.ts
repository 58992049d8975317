import {
  boundedMean,
  defineClaimCheck,
  fails,
  holds,
  judge,
  logThreshold,
  noteEnd,
  type ClaimCheck,
  type LawEnv,
  type Finding,
  type Violation,
} from '@lethe/laws';
import { above, differs, first } from '../common/judging.js';
import type { DebiasedSubject } from './debiased-subject.js';
import { carriedOut, plannedRun, quickly } from './sparse-run.js';

interface Grid {
  readonly slots: number;
  readonly dimension: number;
  readonly sparsity: number;
  readonly epsilon: number;
  readonly delta: number;
}
/** Settings with so many dimensions that the second term of Theorem 3.3 counts. */
const grid: readonly Grid[] = [1e5, 1e6, 1e7].flatMap((slots) =>
  [1, 30].flatMap((sparsity) =>
    [0.1, 1].flatMap((epsilon) =>
      [slots ** -2, slots ** -6].map((delta) => ({ slots, dimension: 1e9, sparsity, epsilon, delta })),
    ),
  ),
);
/** Settings in which plans are made. */
const planned: readonly Grid[] = [
  { slots: 20, dimension: 7, sparsity: 2, epsilon: 1, delta: 1e-3 },
  { slots: 300, dimension: 4, sparsity: 3, epsilon: 0.5, delta: 1e-6 },
];
const nameOf = (setting: Grid): string => JSON.stringify(setting);
/** `[s ln d ln(1/δ)]^{1/4}/√(εn)`, which all rates of Algorithm 4 are made of. */
const unit = ({ slots, dimension, sparsity, epsilon, delta }: Grid): number =>
  (sparsity * Math.log(dimension) * -Math.log(delta)) ** 0.25 / Math.sqrt(epsilon * slots);
const logs = ({ slots, delta }: Grid): number => Math.sqrt(Math.log(slots) * -Math.log(delta));

/** Violation if a ratio is outside of two constants anywhere. */
const within = (
  what: string,
  [least, most]: readonly [least: number, most: number],
  ratioOf: (setting: Grid) => number,
): Violation | undefined =>
  first(
    ...grid.flatMap((setting) => [
      above(`${what} at ${nameOf(setting)}`, ratioOf(setting), most),
      above(`the least constant of ${what} at ${nameOf(setting)}`, least, ratioOf(setting)),
    ]),
  );

/**
 * Bias and second moment of an estimate from means with the printed noise, for records of norm 1. Plans know
 * that no squared error is above 4; the printed rates do not, and their constants show without it.
 */
function errorAt(
  { biasReducedBounds, projectionMeanSquaredError }: DebiasedSubject,
  { slots, dimension, sparsity, epsilon, delta }: Grid,
  most: number,
): ReturnType<DebiasedSubject['biasReducedBounds']> {
  return biasReducedBounds({
    slots,
    meanSquaredError: (size) =>
      Math.min(
        most,
        projectionMeanSquaredError({
          noise: 'gaussian',
          scale: ((2 / size) * 32 * Math.sqrt(2 * Math.log(20 / delta))) / epsilon,
          dimension,
          l1Radius: Math.sqrt(sparsity),
        }),
      ),
    singleMeanSquare: 1,
  });
}

/** The most calls, at least as many as which runs make with probability 3/4. */
const callsAt = ({ likelyCalls }: DebiasedSubject, setting: Grid): number =>
  Math.max(1, likelyCalls(setting, 1 / 4));

/** Theorem 5.7 at its step size, on the unit ball, with 1/2 − 1/4 for what Markov's inequality divides by. */
function riskBound(subject: DebiasedSubject, setting: Grid, most: number): number {
  const calls = callsAt(subject, setting);
  const error = errorAt(subject, setting, most);
  const stepSize = 2 / Math.sqrt((calls + 1) * error.meanSquare);
  const sum = 4 / (2 * stepSize) + (calls + 1) * ((stepSize * error.meanSquare) / 2 + 2 * error.bias);
  return (4 * sum) / (calls + 1);
}

/** Theorem 5.8 at its step size, for a fall of 1 and a smoothness of 1/4. */
function gradientBound(subject: DebiasedSubject, setting: Grid, most: number): number {
  const calls = callsAt(subject, setting);
  const error = errorAt(subject, setting, most);
  const stepSize = Math.sqrt(8 / ((calls + 1) * error.meanSquare));
  const sum = 1 / stepSize + (calls + 1) * ((stepSize * error.meanSquare) / 8 + error.bias);
  return (4 * sum) / (calls + 1);
}

/** Tests that runs exceed the bound of their plan with probability 1/2 at most. */
function rarelyAbove(
  env: LawEnv,
  runOf: (seed: string) => { readonly reached: number; readonly bound: number },
): Finding {
  const process = boundedMean({ atMost: 1 / 2, lowest: 0 });
  const runs = env.samples(40);
  let beyond = 0;
  for (let i = 0; i < runs; i++) {
    const { reached, bound } = runOf(`run ${env.random(i).bits32()}`);
    const isBeyond = !(reached <= bound);
    if (isBeyond) beyond++;
    process.push(isBeyond ? 1 : 0);
    if (process.rejects(env.alpha))
      return fails(i + 1, {
        what: `${beyond} of ${i + 1} runs end above the bound, the last with ${reached} above ${bound}`,
        measured: beyond / (i + 1),
        allowed: 1 / 2,
      });
    // A run doubles the wealth at most: what is left could not reject.
    if (process.logE + (runs - i - 1) * Math.LN2 < logThreshold(env.alpha)) {
      noteEnd(process, { alpha: env.alpha, planned: runs });
      return holds(i + 1);
    }
  }
  return holds(runs);
}

/**
 * A budget for which the noise is so small that the bounds are below what is trivial. All runs follow one
 * plan, each with levels of its own.
 */
const small = {
  budget: { epsilon: 1e6, delta: 1e-2 },
  slots: 16,
  sparsity: 1,
  calibrate: quickly,
  repeated: true,
};

/** Rows 108 to 110 of the claims: what the plans of the method promise, and what its runs reach. */
export function utilityOfRunsChecks(subject: DebiasedSubject): readonly ClaimCheck[] {
  const medianOf = (setting: Grid, loss: 'linear' | 'logistic'): number => {
    const { epsilon, delta, ...shape } = setting;
    const params = { stopping: 'printed', ...(loss === 'linear' ? {} : { initialGap: 1 }) };
    const { plan } = plannedRun(subject, { params, ...shape, budget: { epsilon, delta }, loss });
    return plan.median?.bound ?? Number.NaN;
  };
  const reachedBy = (run: ReturnType<typeof plannedRun>, seed: string, start: number): number =>
    carriedOut(run, { columnOf: () => 0, seed, start: Float64Array.of(start, 0, 0) }).output[0];
  return [
    defineClaimCheck({
      id: 'ghazi/estimate-rate',
      tier: 'exact',
      statement:
        'the explicit bias and second moment of estimates at inputs (ε/8, δ/4) are 17 to 23 and 4300 to ' +
        '4700 times the printed ones, with ln d for ln(d/s), in 24 settings of n from 10⁵ to 10⁷',
      power: 'a factor 1.4 for the bias and 1.1 for the second moment; a root of n, s or ε',
      run: () =>
        judge(
          grid.length,
          first(
            within(
              'the bias over the printed one',
              [17, 23],
              (setting) => errorAt(subject, setting, Infinity).bias / unit(setting),
            ),
            within(
              'the second moment over the printed one',
              [4300, 4700],
              (setting) =>
                errorAt(subject, setting, Infinity).meanSquare /
                (Math.log(setting.slots) * setting.slots * unit(setting) ** 2),
            ),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/convex-run',
      tier: 'statistical',
      statement:
        'two plans bound the risk with probability 1/2 by 4E_R/(τ+1), as recomputed; the bound is 360 to ' +
        '560 times LD √ln n [s ln d ln³(1/δ)]^{1/4}/√(εn) in 24 settings; 40 runs keep to it, on −⟨x, ' +
        'e₁⟩ in the unit ball from −e₁, where the risk is 2',
      power:
        'a relative error of 10⁻⁹ of the bound; a root of n, ' +
        's, ε or ln(1/δ); an average that stays at the start',
      run(env) {
        const wrong = first(
          ...planned.map((setting) =>
            differs(
              `the bound at ${nameOf(setting)}`,
              medianOf(setting, 'linear'),
              riskBound(subject, setting, 4),
            ),
          ),
          within(
            'the bound over the rate',
            [360, 560],
            (setting) => riskBound(subject, setting, Infinity) / (2 * unit(setting) * logs(setting)),
          ),
        );
        if (wrong !== undefined) return fails(grid.length + planned.length, wrong);
        const run = plannedRun(subject, { ...small, params: { calls: 60 } });
        return rarelyAbove(env, (seed) => ({
          reached: 1 - reachedBy(run, seed, -1),
          bound: run.plan.median?.bound ?? Number.NaN,
        }));
      },
    }),
    defineClaimCheck({
      id: 'ghazi/stationary-run',
      tier: 'statistical',
      statement:
        'two plans bound the squared gradient with probability 1/2 by 4E_R′/(τ+1), as recomputed; the ' +
        'bound is 490 to 730 times (√(ΓH) L √(ln n ln(1/δ)) + L²)[s ln d ln(1/δ)]^{1/4}/√(εn) in 24 ' +
        'settings; 40 runs keep to it, on ln(1 + e^(−x₁)) from x₁ = −3, where it is 0.91',
      power:
        'a relative error of 10⁻⁹ of the bound; a root of n, ' +
        's, ε or ln(1/δ); an iterate that stays at the start',
      run(env) {
        const wrong = first(
          ...planned.map((setting) =>
            differs(
              `the bound at ${nameOf(setting)}`,
              medianOf(setting, 'logistic'),
              gradientBound(subject, setting, 4),
            ),
          ),
          within(
            'the bound over the rate',
            [490, 730],
            (setting) =>
              gradientBound(subject, setting, Infinity) / (unit(setting) * (logs(setting) / 2 + 1)),
          ),
        );
        if (wrong !== undefined) return fails(grid.length + planned.length, wrong);
        const run = plannedRun(subject, {
          ...small,
          params: { calls: 90, initialGap: Math.log1p(Math.exp(3)) },
          loss: 'logistic',
        });
        return rarelyAbove(env, (seed) => ({
          reached: (1 / (1 + Math.exp(reachedBy(run, seed, -3)))) ** 2,
          bound: run.plan.median?.bound ?? Number.NaN,
        }));
      },
    }),
  ];
}
