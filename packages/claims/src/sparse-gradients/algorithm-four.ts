import { sameEvent, seededRandom, Unsupported } from '@lethe/core';
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
import { allSchedules } from './schedules.js';
import { carriedOut, deltaAt, plannedRun, quickly, scripted, type SparseRun } from './sparse-run.js';

const literal = { stopping: 'printed', literal: true, stepSize: 0.1 } as const;
const printed = { stopping: 'printed', stepSize: 0.1 } as const;
const seeds = (count: number): readonly string[] => range(count).map((i) => `coins ${i}`);

/** Settings whose plans are looked at. */
const plannedNumbers = [
  { slots: 20, epsilon: 1, delta: 1e-3 },
  { slots: 3, epsilon: 0.3, delta: 1e-9 },
  { slots: 100, epsilon: 13.4, delta: 1e-2 },
] as const;

/** Noise and calls of the plans of both rules. */
function numbersViolation(
  subject: DebiasedSubject,
  { slots, ...budget }: (typeof plannedNumbers)[number],
): Violation | undefined {
  const { epsilon, delta } = budget;
  const what = `n = ${slots}, ε = ${epsilon}, δ = ${delta}`;
  const { most, probability } = subject.levelsFor(slots);
  const perCall = range(most + 1).reduce(
    (sum, level) => sum + probability(level) * (2 ** (level + 1) + 1),
    0,
  );
  const given = { stepSize: 0.1, noiseMultiplier: 1e6 };
  const { plan: exact } = plannedRun(subject, {
    params: given,
    slots,
    budget,
    calibrate: quickly,
  });
  const { plan } = plannedRun(subject, { params: printed, slots, budget });
  const law = subject.lawOfStopping({ slots, ...budget });
  const below = (calls: number): number => law.slice(0, calls).reduce((sum, p) => sum + p, 0);
  return first(
    differs(`calls, ${what}`, exact.calls, Math.max(1, Math.floor(slots / Math.log(2 / delta)))),
    differs(`gradients on average, ${what}`, exact.expectedGradients, exact.calls * perCall),
    differs(
      `noise, ${what}`,
      plan.noiseMultiplier,
      Math.sqrt(2 * Math.log(1.25 / (delta / 16))) / (epsilon / 32),
    ),
    above(`P[T < calls] of ${plan.calls}, ${what}`, plan.calls === 1 ? 0 : below(plan.calls), 1 / 4),
    above(`1/4, of one call more than ${plan.calls}, ${what}`, 1 / 4, below(plan.calls + 1)),
    // e^x ≤ 1 + 2x up to 1.2564…, three times ε/32.
    isRefused(() => plannedRun(subject, { params: printed, slots, budget: { epsilon: 13.41, delta } }))
      ? undefined
      : { what: `the printed rule is planned at ε = 13.41, ${what}`, measured: 13.41, allowed: 13.4016 },
  );
}

function isRefused(plan: () => unknown): boolean {
  try {
    plan();
  } catch (error) {
    if (error instanceof Unsupported) return true;
    throw error;
  }
  return false;
}

/** What calls cost does not depend on the order of their levels. */
const withoutOrder = (levels: readonly number[]): string => levels.toSorted((a, b) => a - b).join();

/** A cap above the calls that fit leaves these, and no bound. */
function cappedViolation(
  subject: DebiasedSubject,
  {
    slots,
    delta,
    seed,
    calls,
  }: { readonly slots: number; readonly delta: number; readonly seed: string; readonly calls: number },
): Violation | undefined {
  const { plan } = plannedRun(subject, {
    params: { ...printed, calls: 1000 },
    slots,
    random: seededRandom(seed),
    budget: { epsilon: 1, delta },
  });
  return first(
    differs(`calls under a cap that is not reached, ${seed}`, plan.levels.length, calls),
    plan.utility === null && plan.median === null
      ? undefined
      : { what: `a cap of 1000 calls has a bound, ${seed}`, measured: 1, allowed: 0 },
  );
}

/** Plans that several runs follow. */
const repeatedPlans = [
  { slots: 24, calls: 6, early: 0.25 },
  { slots: 1000, calls: 2, early: 0.5 },
  { slots: 2, calls: 2, early: 0.5 },
] as const;

/** What 40 runs of one plan ask for and return, and how often more levels are drawn than it counts. */
function repeatedViolation(
  subject: DebiasedSubject,
  { slots, calls, early }: (typeof repeatedPlans)[number],
): Violation | undefined {
  const what = `n = ${slots}, ${calls} calls`;
  const stepSize = 0.01;
  const run = plannedRun(subject, {
    params: { calls, early, stepSize },
    slots,
    calibrate: quickly,
    repeated: true,
  });
  const { most, probability } = subject.levelsFor(slots);
  const countsOf = (levels: readonly number[]): readonly number[] =>
    Array.from({ length: most + 1 }, (_, level) => levels.filter((one) => one === level).length);
  const counted = countsOf(run.plan.levels);
  const different = new Set<string>();
  const runs = seeds(40).map((seed) => {
    const levels: number[] = [];
    // Only the mean over one record answers: every call moves the first coordinate by a step.
    const [at] = scripted(
      run,
      new Float64Array(3),
      ({ batch }, number) => {
        if (number % 4 === 0) levels.push(Math.log2(batch.normaliser) - 1);
        return Float64Array.of(number % 4 === 3 ? 1 : 0, 0, 0);
      },
      seed,
    );
    different.add(levels.join());
    const used = countsOf(levels);
    return first(
      above(`calls of a run, ${what}`, levels.length, calls),
      ...used.map((count, level) => above(`calls at level ${level}, ${what}`, count, counted[level])),
      levels.length === calls || used.some((count, level) => count === counted[level])
        ? undefined
        : { what: `a run ends and nothing is used up, ${what}`, measured: levels.length, allowed: calls },
      differs(`the average of iterates, ${what}`, 1 - at, 1 + (stepSize * levels.length) / 2),
    );
  });
  return first(
    ...runs,
    above(`two different runs, ${what}`, 1, most === 0 ? 1 : different.size - 1, 0),
    above(`the probability of more levels, ${what}`, 1 - withinCounts(counted, probability, calls), early),
  );
}

/** Probability that so many drawn levels keep to these counts, all at once. */
function withinCounts(
  counts: readonly number[],
  probability: (level: number) => number,
  calls: number,
): number {
  // Coefficients of `Π_ℓ Σ_{k ≤ count} (p_ℓ x)^k/k!`, up to the power of the calls.
  let series = Float64Array.from({ length: calls + 1 }, (_, i) => Number(i === 0));
  for (const [level, count] of counts.entries()) {
    const next = new Float64Array(calls + 1);
    for (let k = 0, term = 1; k <= Math.min(count, calls); term *= probability(level) / ++k)
      for (let i = 0; i + k <= calls; i++) next[i + k] += term * series[i];
    series = next;
  }
  let factorial = 1;
  for (let k = 2; k <= calls; k++) factorial *= k;
  return factorial * series[calls];
}

/** Rows 45, 54, 61, 106 and 107 of the claims: the method as it ships. */
export function algorithmFourChecks(subject: DebiasedSubject): readonly ClaimCheck[] {
  const planned = (run: SparseRun) => plannedRun(subject, run);
  return [
    defineClaimCheck({
      id: 'ghazi/literal-loop',
      tier: 'exact',
      statement:
        'the printed loop, carried out on the levels of a plan, makes all its T + 2 calls and exits with ' +
        't = T + 1; the plan averages x⁰ … x^(T+1), for 30 seeds. Without it a cap above T leaves the T ' +
        'calls that fit, and one above the likely calls leaves no bound. The noise is the classical one of ' +
        'an (ε/32, δ/16)-private Gaussian, for ε up to where a share q of 3ε/32 costs 2q of it; calls ' +
        'that are left out are n/ln(2/δ), or the most of which T falls short with probability 1/4 at most',
      power: 'certain: a call or an iterate more or less, and any of these numbers',
      run: () =>
        judge(
          30 + plannedNumbers.length,
          first(
            ...plannedNumbers.map((setting) => numbersViolation(subject, setting)),
            ...seeds(30).map((seed, i) => {
              const slots = 20;
              const delta = 1e-3;
              const { plan } = planned({
                params: literal,
                slots,
                random: seededRandom(seed),
                budget: { epsilon: 1, delta },
              });
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
                ...(i < 4 ? [cappedViolation(subject, { slots, delta, seed, calls: t - 1 })] : []),
              );
            }),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/public-schedule',
      tier: 'exact',
      statement:
        'a run asks for batches of the same sizes, and as many, on records z and −z, with the levels of ' +
        'its plan, for 8 seeds. Where 40 runs repeat a plan, each has its own levels and returns the ' +
        'average of its iterates; none has a level more often than the plan, whose counts hold for ' +
        'all calls but with probability `early`, exactly',
      power: 'any query whose kind or batch depends on an answer; a call more than a plan counts',
      run: () =>
        judge(
          8 + repeatedPlans.length,
          first(
            ...repeatedPlans.map((setting) => repeatedViolation(subject, setting)),
            ...seeds(8).map((seed) => {
              const run = planned({ params: printed, slots: 24, random: seededRandom(seed) });
              const sizes = ([1, -1] as const).map((sign) =>
                carriedOut(run, { sign, seed }).queries.flatMap((query) =>
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
      statement:
        'for T = 1 the iterate is x⁰ with probability 1/2, and a run returns the iterate that its plan names',
      power: 'an iterate of x¹ … x^T, in 80 plans',
      run(env) {
        const processes = [0, 1].map(() => boundedMean({ atMost: 1 / 2, lowest: 0 }));
        const plans = env.samples(80);
        for (let i = 0; i < plans; i++) {
          const run = planned({
            params: { ...printed, calls: 1, returns: 'uniform-iterate' },
            slots: 64,
            loss: 'logistic',
            random: seededRandom(`iterate ${env.random(i).bits32()}`),
          });
          const { stopped, output } = run.plan;
          if (stopped !== 1) continue;
          // The mean over one record alone answers, so that a step is η times it.
          const [at] = scripted(run, new Float64Array(3), (_query, number) =>
            Float64Array.of(number % 4 === 3 ? 1 : 0, 0, 0),
          );
          const isStart = at === 0;
          if (isStart !== (output.index === 0))
            return fails(i + 1, { what: 'another iterate is returned', measured: at, allowed: 0 });
          processes[0].push(isStart ? 1 : 0);
          processes[1].push(isStart ? 0 : 1);
          if (processes.some((process) => process.rejects(env.alpha / 2)))
            return fails(i + 1, {
              what: `x⁰ is not returned in half of ${i + 1} plans`,
              measured: i + 1,
              allowed: 0,
            });
        }
        return holds(plans);
      },
    }),
    defineClaimCheck({
      id: 'ghazi/private-run',
      tier: 'exact',
      statement:
        'every schedule of the printed rule for n = 8 is (ε/2, δ/2)-private by the exact event of its ' +
        'plan, and with the two calls of the literal loop (ε, δ)-private; drawn schedules of the exact ' +
        'rule are (ε, δ)-private; the ledger holds the event of the plan',
      power: 'noise of a tenth of the printed one; an event that is not the ledger’s',
      run() {
        const setting = { slots: 8, epsilon: 1, delta: 1e-2 };
        const { slots, ...budget } = setting;
        const isKept = (run: ReturnType<typeof planned>, factor: number): Violation | undefined => {
          const what = `levels ${run.plan.levels.join()}`;
          return first(
            above(
              `δ at ${factor}ε, ${what}`,
              deltaAt(run.plan.event, factor * budget.epsilon),
              factor * budget.delta,
            ),
            sameEvent(carriedOut(run).event, run.plan.event)
              ? undefined
              : { what: `the ledger holds another event, ${what}`, measured: 1, allowed: 0 },
          );
        };
        const missing = new Set(
          allSchedules(subject, setting).map(({ levels }) => withoutOrder(levels.slice(0, -1))),
        );
        const seen = new Set<string>();
        let tried = 0;
        for (const seed of seeds(200)) {
          if (missing.size === 0) break;
          const random = seededRandom(seed);
          const run = planned({ params: literal, slots, budget, random });
          const { levels, stopped } = run.plan;
          if (seen.has(withoutOrder(levels))) continue;
          seen.add(withoutOrder(levels));
          tried++;
          const violation = first(
            isKept(run, 1),
            missing.delete(withoutOrder(levels.slice(0, stopped)))
              ? isKept(
                  planned({ params: { ...printed, calls: Math.max(1, stopped) }, slots, budget, random }),
                  1 / 2,
                )
              : undefined,
          );
          if (violation !== undefined) return fails(tried, violation);
        }
        const exact = seeds(4).map((seed) =>
          isKept(
            planned({ params: { calls: 3, stepSize: 1 }, slots, budget, random: seededRandom(seed) }),
            1,
          ),
        );
        return judge(
          tried + exact.length,
          first(...exact, differs('1 + schedules that were not drawn', 1 + missing.size, 1)),
        );
      },
    }),
    defineClaimCheck({
      id: 'ghazi/noise-of-levels',
      tier: 'exact',
      statement:
        'the estimate that the method steps by has the expectation of one mean over 2^⌊log₂ n⌋ records, ' +
        'over all levels of a call, where means depend on batch and noise: with the printed and the ' +
        'exact rule, for n = 2, 3, 8 and 13',
      power: 'any noise, step or weight that depends on the drawn level',
      run: () =>
        judge(
          8,
          first(
            ...[2, 3, 8, 13].flatMap((slots) =>
              [literal, { calls: 1, early: 1e-6, stepSize: 0.1 }].map((params) => {
                const { most, probability } = subject.levelsFor(slots);
                const answer = (size: number, noise: number): number => Math.sin(size) + noise * size ** 0.3;
                const estimates = new Map<number, number>();
                let noise = 0;
                for (const seed of seeds(200)) {
                  if (estimates.size > most) break;
                  const run = planned({
                    params: { ...params, returns: 'average' },
                    slots,
                    loss: 'logistic',
                    random: seededRandom(seed),
                    calibrate: quickly,
                  });
                  const { levels, output, stepSize, noiseMultiplier } = run.plan;
                  if (estimates.has(levels[0])) continue;
                  noise = noiseMultiplier;
                  // Calls after the first do not move, so that all iterates but x⁰ are the same.
                  const [at] = scripted(run, new Float64Array(3), ({ batch, target }, number) => {
                    const own = 'noiseMultiplier' in target ? target.noiseMultiplier : Number.NaN;
                    return Float64Array.of(number < 4 ? answer(batch.normaliser, own) : 0, 0, 0);
                  });
                  const iterates = output.iterates ?? Number.NaN;
                  estimates.set(levels[0], ((-at / stepSize) * iterates) / (iterates - 1));
                }
                const expected = [...estimates].reduce(
                  (sum, [level, estimate]) => sum + probability(level) * estimate,
                  0,
                );
                return first(
                  differs(`levels that were drawn for n = ${slots}`, estimates.size, most + 1),
                  differs(`the expectation for n = ${slots}`, expected, answer(2 ** (most + 1), noise)),
                );
              }),
            ),
          ),
        ),
    }),
  ];
}
