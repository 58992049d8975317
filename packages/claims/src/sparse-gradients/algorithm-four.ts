import { sameEvent } from '@lethe/core';
import {
  boundedMean,
  defineClaimCheck,
  fails,
  holds,
  judge,
  type ClaimCheck,
  type Violation,
} from '@lethe/laws';
import { above, differs, first } from '../common/judging.js';
import { range } from './chosen-sets.js';
import type { DebiasedSubject } from './debiased-subject.js';
import { carriedOut, deltaAt, plannedRun, type SparseRun } from './sparse-run.js';

const literal = { stopping: 'printed', literal: true, stepSize: 0.1 } as const;
const printed = { stopping: 'printed', stepSize: 0.1 } as const;
const seeds = (count: number): readonly string[] => range(count).map((i) => `coins ${i}`);

/** `[s ln d ln(1/δ)]^{1/4}/√(εn)`, which all rates of Algorithm 4 are made of. */
const unit = ({ slots, dimension, sparsity, epsilon, delta }: Grid): number =>
  (sparsity * Math.log(dimension) * -Math.log(delta)) ** 0.25 / Math.sqrt(epsilon * slots);
interface Grid {
  readonly slots: number;
  readonly dimension: number;
  readonly sparsity: number;
  readonly epsilon: number;
  readonly delta: number;
}
/** Settings with so many dimensions that the second term of Theorem 3.3 counts. */
const grid: readonly Grid[] = [1e4, 1e5, 1e6].flatMap((slots) =>
  [1, 30].flatMap((sparsity) =>
    [0.1, 1].flatMap((epsilon) =>
      [slots ** -2, slots ** -6].map((delta) => ({ slots, dimension: 1e8, sparsity, epsilon, delta })),
    ),
  ),
);
const nameOf = (setting: Grid): string => JSON.stringify(setting);

/** Violation if a ratio is above a constant anywhere, or below half of it everywhere. */
const upToConstant = (
  what: string,
  constant: number,
  ratios: readonly (readonly [Grid, number])[],
): Violation | undefined =>
  first(
    ...ratios.map(([setting, ratio]) => above(`${what} at ${nameOf(setting)}`, ratio, constant)),
    above(`half of the constant of ${what}`, constant / 2, Math.max(...ratios.map(([, ratio]) => ratio))),
  );

/** The printed release of a batch: Gaussian noise for (ε/32, δ/16), with the projection mechanism. */
const errorOfBatch =
  ({ projectionMeanSquaredError }: DebiasedSubject, { dimension, sparsity, epsilon, delta }: Grid) =>
  (size: number): number =>
    Math.min(
      4,
      projectionMeanSquaredError({
        noise: 'gaussian',
        scale: ((2 / size) * 32 * Math.sqrt(2 * Math.log(20 / delta))) / epsilon,
        dimension,
        l1Radius: Math.sqrt(sparsity),
      }),
    );

/** Bias and second moment of an estimate from such releases, for records of norm 1. */
const errorAt = (subject: DebiasedSubject, setting: Grid): ReturnType<DebiasedSubject['biasReducedBounds']> =>
  subject.biasReducedBounds({
    slots: setting.slots,
    meanSquaredError: errorOfBatch(subject, setting),
    singleMeanSquare: 1,
  });

/** Rows 45, 54, 61 and 106 to 110 of the claims: the method as it ships. */
export function algorithmFourChecks(subject: DebiasedSubject): readonly ClaimCheck[] {
  const { regretBound, stationarityBound, medianBound } = subject;
  const planned = (run: SparseRun) => plannedRun(subject, run);
  const planOf = ({ epsilon, delta, ...shape }: Grid, isConvex: boolean) =>
    planned({
      params: { stopping: 'printed', ...(isConvex ? {} : { initialGap: 1 }) },
      ...shape,
      budget: { epsilon, delta },
      isConvex,
    }).plan;
  return [
    defineClaimCheck({
      id: 'ghazi/literal-loop',
      tier: 'exact',
      statement:
        'the printed loop, carried out on the levels of a plan, makes all its T + 2 calls and exits with t = T + 1; the ' +
        'plan averages x⁰ … x^(T+1), for 30 seeds',
      power: 'certain: a call or an iterate more or less',
      run: () =>
        judge(
          30,
          first(
            ...seeds(30).map((seed) => {
              const slots = 20;
              const delta = 1e-3;
              const { plan } = planned({ params: literal, slots, seed, budget: { epsilon: 1, delta } });
              let t = -1;
              let [sum, squares] = [0, 0];
              while (Math.sqrt(2 * Math.log(4 / delta) * squares) + squares / 2 <= 1 / 2 && sum <= 1 / 4) {
                t++;
                // The sums are over calls before this one.
                if (t > 0) {
                  const share = (3 * 2 ** (plan.levels[t - 1] + 1) + 1) / (16 * slots);
                  sum += share;
                  squares += share ** 2;
                }
              }
              return first(
                differs(`calls, ${seed}`, plan.levels.length, t + 1),
                differs(`T + 2, ${seed}`, plan.stopped + 2, t + 1),
                differs(`iterates, ${seed}`, plan.output.iterates ?? 0, t + 1),
              );
            }),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/public-schedule',
      tier: 'exact',
      statement:
        'a run asks for batches of the same sizes, and as many, on records z and −z, with the levels of its plan, for 8 ' +
        'seeds',
      power: 'any query whose kind or batch depends on an answer',
      run: () =>
        judge(
          8,
          first(
            ...seeds(8).map((seed) => {
              const run = planned({ params: printed, slots: 24, seed });
              const sizes = ([1, -1] as const).map((sign) =>
                carriedOut(run, sign, seed).queries.flatMap((query) =>
                  query.ask === 'draw' ? [(query.sampler.params as { readonly size: number }).size] : [],
                ),
              );
              const wanted = run.plan.levels.flatMap((level) => [2 ** (level + 1), 1]);
              return first(
                ...sizes.flatMap((own) => [
                  differs(`draws, ${seed}`, own.length, wanted.length),
                  ...wanted.map((size, k) => differs(`draw ${k}, ${seed}`, own[k] ?? 0, size)),
                ]),
              );
            }),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/uniform-iterate',
      tier: 'statistical',
      statement: 'for T = 3 the iterate is each of x⁰ … x³ with probability 1/4',
      power: 'an iterate of x¹ … x³, in 120 plans',
      run(env) {
        const share = env.alpha / 5;
        const processes = range(4).map(() => boundedMean({ atMost: 1 / 4, lowest: 0 }));
        const above0 = boundedMean({ atMost: 3 / 4, lowest: 0 });
        let tried = 0;
        for (let i = 0; i < env.samples(400); i++) {
          const { plan } = planned({
            params: { ...printed, calls: 3, returns: 'uniform-iterate' },
            slots: 64,
            seed: `iterate ${env.random(i).bits32()}`,
          });
          if (plan.stopped !== 3) continue;
          tried++;
          const { index = -1 } = plan.output;
          for (const [k, process] of processes.entries()) process.push(index === k ? 1 : 0);
          above0.push(index === 0 ? 0 : 1);
          const found = [...processes, above0].findIndex((process) => process.rejects(share));
          if (found !== -1)
            return fails(tried, {
              what: `${found === 4 ? 'x⁰ is returned too rarely' : `x^${found} is returned too often`}, after ${tried} plans`,
              measured: tried,
              allowed: 0,
            });
        }
        return holds(tried);
      },
    }),
    defineClaimCheck({
      id: 'ghazi/private-run',
      tier: 'exact',
      statement:
        'every drawn schedule of the printed rule is (ε/2, δ/2)-private by its exact event, and with the two calls of the ' +
        'literal loop (ε, δ)-private; the ledger holds the event of the plan; for 12 seeds',
      power: 'noise of a tenth of the printed one; an event that is not the ledger’s',
      run() {
        const budget = { epsilon: 1, delta: 1e-2 };
        return judge(
          24,
          first(
            ...seeds(12).flatMap((seed) =>
              [printed, literal].map((params) => {
                const run = planned({ params, slots: 16, seed, budget });
                const factor = params === literal ? 1 : 1 / 2;
                return first(
                  above(
                    `δ at ${factor}ε, ${seed}`,
                    deltaAt(run.plan.event, factor * budget.epsilon),
                    factor * budget.delta,
                  ),
                  sameEvent(carriedOut(run, 1, seed).event, run.plan.event)
                    ? undefined
                    : { what: `the ledger holds another event, ${seed}`, measured: 1, allowed: 0 },
                );
              }),
            ),
          ),
        );
      },
    }),
    defineClaimCheck({
      id: 'ghazi/noise-of-levels',
      tier: 'exact',
      statement:
        'noise, mean and cap of a plan are the same for 6 seeds with other levels, with exact and with printed ' +
        'stopping, and so is the target of every mean over batches of any size',
      power: 'any noise that depends on the drawn levels',
      run: () =>
        judge(
          12,
          first(
            ...[{ calls: 5, stepSize: 1 }, printed].flatMap((params) => {
              const runs = seeds(6).map((seed) => planned({ params, slots: 16, seed }));
              const [one] = runs;
              return [
                above(
                  'levels that are the same',
                  runs.filter(({ plan }) => plan.levels.join() === one.plan.levels.join()).length,
                  3,
                ),
                ...runs.map(({ plan }) =>
                  first(
                    differs('the noise', plan.noiseMultiplier, one.plan.noiseMultiplier, 0),
                    differs('the cap', plan.calls, one.plan.calls, 0),
                    JSON.stringify(plan.mean) === JSON.stringify(one.plan.mean)
                      ? undefined
                      : { what: 'the mean is another', measured: 1, allowed: 0 },
                  ),
                ),
                ...carriedOut(one, 1, 'coins 0').queries.map((query) =>
                  query.ask === 'mean' && 'noiseMultiplier' in query.target
                    ? differs(
                        `noise over ${query.batch.normaliser} records`,
                        query.target.noiseMultiplier,
                        one.plan.noiseMultiplier,
                        0,
                      )
                    : undefined,
                ),
              ];
            }),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/estimate-rate',
      tier: 'exact',
      statement:
        'bias and second moment of estimates at inputs (ε/8, δ/4) are at most 36 and 1300 times the printed ones, with ' +
        'ln d for ln(d/s), and half of that somewhere, in 24 settings of n from 10⁴ to 10⁶',
      power: 'a factor 2 beyond the constants; a root of n, s or ε',
      run() {
        const found = grid.map((setting) => ({ setting, ...errorAt(subject, setting) }));
        return judge(
          24,
          first(
            upToConstant(
              'the bias over the printed one',
              36,
              found.map(({ setting, bias }) => [setting, bias / unit(setting)]),
            ),
            upToConstant(
              'the second moment over the printed one',
              1300,
              found.map(({ setting, meanSquare }) => [
                setting,
                meanSquare / (Math.log(setting.slots) * setting.slots * unit(setting) ** 2),
              ]),
            ),
          ),
        );
      },
    }),
    defineClaimCheck({
      id: 'ghazi/convex-run',
      tier: 'exact',
      statement:
        'the plan bounds the risk but with probability 1/2 by E_R/((τ+1)(1/2 − early)), recomputed, and that is at most ' +
        '1 times LD √ln n [s ln d ln³(1/δ)]^{1/4}/√(εn), and half of it somewhere, in 24 settings',
      power: 'a relative error of 10⁻⁹ of the bound; a root of n, s, ε or ln(1/δ)',
      run() {
        const found = grid.map((setting) => {
          const plan = planOf(setting, true);
          const { calls, stepSize } = plan;
          const sum = regretBound(
            { ...errorAt(subject, setting), calls, stepSize },
            { distance: 2, holdsFor: 'every iterate' },
          );
          return { setting, plan, bound: medianBound(sum, { calls, early: 1 / 4 }) ?? Number.NaN };
        });
        return judge(
          24,
          first(
            ...found.map(({ setting, plan, bound }) =>
              differs(`the bound at ${nameOf(setting)}`, plan.median?.bound ?? Number.NaN, bound),
            ),
            upToConstant(
              'the bound over the rate',
              1,
              found.map(({ setting, bound }) => [
                setting,
                bound / (2 * unit(setting) * Math.sqrt(Math.log(setting.slots) * -Math.log(setting.delta))),
              ]),
            ),
          ),
        );
      },
    }),
    defineClaimCheck({
      id: 'ghazi/stationary-run',
      tier: 'exact',
      statement:
        'the plan bounds the squared gradient but with probability 1/2 by E_R′/((τ+1)(1/2 − early)), recomputed, and that ' +
        'is at most 1 times (√(ΓH) L √(ln n ln(1/δ)) + L²)[s ln d ln(1/δ)]^{1/4}/√(εn), and half of it somewhere, in 24 ' +
        'settings',
      power: 'a relative error of 10⁻⁹ of the bound; a root of n, s, ε or ln(1/δ)',
      run() {
        const found = grid.map((setting) => {
          const plan = planOf(setting, false);
          const { calls, stepSize } = plan;
          const sum = stationarityBound(
            { ...errorAt(subject, setting), calls, stepSize },
            { initialGap: 1, smoothness: 1, lipschitz: 1 },
          );
          return { setting, plan, bound: medianBound(sum, { calls, early: 1 / 4 }) ?? Number.NaN };
        });
        return judge(
          24,
          first(
            ...found.map(({ setting, plan, bound }) =>
              differs(`the bound at ${nameOf(setting)}`, plan.median?.bound ?? Number.NaN, bound),
            ),
            upToConstant(
              'the bound over the rate',
              1,
              found.map(({ setting, bound }) => [
                setting,
                bound / (unit(setting) * (Math.sqrt(Math.log(setting.slots) * -Math.log(setting.delta)) + 1)),
              ]),
            ),
          ),
        );
      },
    }),
  ];
}
