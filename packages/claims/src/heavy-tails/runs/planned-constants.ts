import { defineClaimCheck, type ClaimCheck, type Violation } from '@lethe/laws';
import { clippedMean, gaussian, l2Clip } from '@lethe/mechanisms';
import fc, { type Arbitrary } from 'fast-check';
import { both } from '../../common/compare.js';
import { above, differs, first, noted } from '../../common/judging.js';
import {
  acSaBound,
  errorOf,
  movedApart,
  phasesBound,
  phasesOf,
  proximalBound,
  sharpBias,
  stichSteps,
  worstAverage,
  type Phase,
  type PhaseFacts,
  type Reached,
} from './formulas.js';
import {
  boundOf,
  constantsOf,
  laws,
  lengthsMoved,
  plannedIn,
  plannedRun,
  type Planned,
  type Scenario,
} from './planned-runs.js';
import type { RunsSubject } from './subject.js';

type CheckOf = (subject: RunsSubject) => ClaimCheck;

/** Scenarios whose noise is given, of any length: nothing is run. */
const numbers = fc.record({
  law: laws,
  records: fc.oneof(
    fc.integer({ min: 16, max: 60 }),
    fc.integer({ min: 4, max: 16 }).map((e) => 2 ** e + e),
  ),
  columns: fc.constantFrom(1, 7, 300),
  adjacency: fc.constantFrom<Scenario['adjacency']>('replace-one', 'zero-out'),
  noiseMultiplier: fc.constantFrom(0.3, 1, 9),
});
type Numbers = typeof numbers extends Arbitrary<infer T> ? T : never;
const schedules = fc.constantFrom('corrected', 'printed', 'least-bound');
const lengths = fc.option(fc.tuple(fc.constantFrom(0.6, 1, 1.7, 40), fc.boolean()), { freq: 2 });

const scenarioOf = (
  optimizer: Scenario['optimizer'],
  { noiseMultiplier, ...given }: Numbers,
  params: Scenario['params'],
  without: readonly string[] = [],
): Scenario => ({
  ...given,
  optimizer,
  epsilon: 1,
  delta: 1e-6,
  params: { noiseMultiplier, ...params },
  without,
});

/** The paper's `ε`: noise of multiplier `m` is `m` times the sensitivity `2C/s`, or `C/s`. */
const paperEpsilonOf = ({ adjacency, noiseMultiplier }: Numbers): number =>
  2 / (lengthsMoved(adjacency) * noiseMultiplier);

/** Violation if `T` is not a number of rounds, rounded up and kept from 1 to `most`. */
function roundsViolation(rounds: number, real: number, most: number): Violation | undefined {
  const whole = (scale: number): number => Math.max(1, Math.min(most, Math.ceil(real * scale)));
  return first(above('T', rounds, whole(1 + 1e-9), 0), above('T, from below', whole(1 - 1e-9), rounds, 0));
}

/** `C`, `s`, `σ`, `B` and `Σ²` of a plan of one pass. */
function errorViolation(
  given: Numbers,
  { batchSize, clipNorm, noise, bias, variance, paperEpsilon }: Planned,
  { batches, isPrinted }: { readonly batches: number; readonly isPrinted: boolean },
): Violation | undefined {
  const { records, columns: dimension } = given;
  const epsilon = paperEpsilonOf(given);
  const own = errorOf({ ...constantsOf(given.law), clipNorm, batchSize, noise, dimension, isPrinted });
  return first(
    differs('the paper’s ε', paperEpsilon, epsilon),
    differs('s', batchSize, Math.floor(records / batches)),
    differs('σ', noise, (2 * clipNorm) / (batchSize * epsilon)),
    differs('B', bias, own.bias),
    differs('Σ²', variance, own.variance),
  );
}

function acSaViolation(subject: RunsSubject, given: Numbers, schedule: string): Violation | undefined {
  const { k, moment, secondMoment, smoothness: beta, diameter: D, startDistance } = constantsOf(given.law);
  const { records: n, columns: d } = given;
  const run = plannedRun(subject, scenarioOf('noisyClippedAcSa', given, { schedule, momentOrder: k }));
  const plan = plannedIn(run);
  const { rounds: T, bias, variance, eta, clipNorm } = plan;
  const epsilon = paperEpsilonOf(given);
  const isPrinted = schedule === 'printed';
  // What is printed knows the diameter only.
  const R = isPrinted ? D : startDistance;
  const real = Math.min(
    ((beta * R) / moment) ** ((2 * k) / (5 * k - 1)) *
      ((epsilon * n) / Math.sqrt(d)) ** ((2 * k - 2) / (5 * k - 1)),
    Math.sqrt((beta * R) / (isPrinted ? moment : secondMoment)) * n ** 0.25,
  );
  const error = Math.sqrt(variance + bias ** 2);
  const balanced = schedule === 'least-bound' ? Math.sqrt((2 / 3) * T * (T + 1) * (T + 2)) : T ** 1.5;
  const wanted = Math.max(2 * beta, (balanced * error) / R);
  return first(
    differs('β', plan.smoothness, beta),
    differs('D', plan.diameter, D),
    differs('‖w_0 − w*‖', plan.startDistance, startDistance),
    errorViolation(given, plan, { batches: T, isPrinted }),
    ...(schedule === 'least-bound'
      ? []
      : [
          roundsViolation(T, real, n),
          differs('C', clipNorm, moment * ((epsilon * n) / Math.sqrt(d * T)) ** (1 / k)),
        ]),
    schedule === 'least-bound'
      ? above('the bound, against that of the best η', boundOf(run), acSaBound({ ...plan, eta: wanted }))
      : differs('η', eta, wanted),
    differs('the bound', boundOf(run), acSaBound({ ...plan, startDistance: R })),
    differs('the printed bound', plan.printedBound ?? Number.NaN, acSaBound(plan, true)),
  );
}

function sgdViolation(subject: RunsSubject, given: Numbers, schedule: string): Violation | undefined {
  const { k, moment, smoothness: beta, convexity: mu, startDistance: D } = constantsOf(given.law);
  const { records: n, columns: d } = given;
  const run = plannedRun(subject, scenarioOf('noisyClippedSgd', given, { schedule, momentOrder: k }));
  const plan = plannedIn(run);
  const { rounds: T, clipNorm, bias, variance } = plan;
  const epsilon = paperEpsilonOf(given);
  const isPrinted = schedule === 'printed';
  const gained = ((mu * beta * D ** 2) / moment ** 2) * (n + ((epsilon * n) ** 2 / d) ** ((k - 1) / k));
  const kappa = beta / mu;
  return first(
    differs('β', plan.smoothness, beta),
    differs('μ', plan.convexity ?? Number.NaN, mu),
    differs('‖w_0 − w*‖', plan.startDistance, D),
    errorViolation(given, plan, { batches: T + 1, isPrinted }),
    ...(schedule === 'least-bound'
      ? []
      : [
          roundsViolation(T, (isPrinted ? 4 : 2) * kappa * Math.log(gained), n - 1),
          differs('C', clipNorm, moment * ((epsilon * n) ** 2 / (d * T)) ** (1 / (2 * k))),
        ]),
    differs(
      'the bound',
      boundOf(run),
      worstAverage(
        { convexity: mu, distance: D, bias, variance },
        stichSteps(isPrinted ? mu / 2 : mu, beta, T),
      ),
    ),
    differs(
      'the printed bound',
      plan.printedBound ?? Number.NaN,
      32 * beta * D ** 2 * Math.exp(-T / (4 * kappa)) + (72 * variance) / (mu * T) + (2 * bias ** 2) / mu,
    ),
  );
}

function convexSgdViolation(
  subject: RunsSubject,
  given: Numbers,
  schedule: string,
  rounds: number,
): Violation | undefined {
  const { k, smoothness: beta, startDistance: D, diameter } = constantsOf(given.law);
  const run = plannedRun(
    subject,
    scenarioOf('noisyClippedSgd', given, { schedule, momentOrder: k, rounds }, ['populationStrongConvexity']),
  );
  const plan = plannedIn(run);
  const { bias, variance, stepSize } = plan;
  return first(
    errorViolation(given, plan, { batches: rounds + 1, isPrinted: schedule === 'printed' }),
    differs('T', plan.rounds, rounds),
    differs('η', stepSize, Math.min(1 / beta, D / Math.sqrt(2 * (rounds + 1) * variance))),
    differs(
      'the bound',
      boundOf(run),
      D ** 2 / (2 * stepSize * (rounds + 1)) + bias * diameter + stepSize * variance,
    ),
  );
}

function proximalViolation(subject: RunsSubject, given: Numbers, schedule: string): Violation | undefined {
  const own = constantsOf(given.law);
  const { k, moment, smoothness, convexity, lipschitz, startDistance } = own;
  const { records: n, columns: dimension } = given;
  const run = plannedRun(subject, scenarioOf('noisyClippedProximalSgd', given, { schedule, momentOrder: k }));
  const plan = plannedIn(run);
  const epsilon = paperEpsilonOf(given);
  const isPrinted = schedule === 'printed';
  const gap = Math.min(own.gap, lipschitz * startDistance);
  const at = (real: number) => {
    const rounds = Math.max(1, Math.min(n, Math.ceil(real * (1 - 1e-12))));
    const batchSize = Math.floor(n / rounds);
    const clipNorm = moment * ((epsilon * n) / (Math.sqrt(dimension) * rounds)) ** (1 / k);
    const noise = (2 * clipNorm) / (batchSize * epsilon);
    const error = errorOf({ ...own, clipNorm, batchSize, noise, dimension, isPrinted });
    return {
      rounds,
      clipNorm,
      ...error,
      bound: proximalBound({ smoothness, convexity, gap, rounds, ...error }),
    };
  };
  let met = at(smoothness / convexity);
  let best = met;
  for (let pass = 0; pass < 8; pass++) {
    const logarithm = Math.log(Math.max(Math.E, (gap * convexity) / (met.bias ** 2 + met.variance)));
    met = at(2 * Math.ceil((smoothness / convexity) * logarithm * (1 - 1e-12)));
    if (met.bound < best.bound) best = met;
  }
  return first(
    differs('β', plan.smoothness, smoothness),
    differs('μ', plan.convexity ?? Number.NaN, convexity),
    differs('Δ', plan.startGap, gap),
    differs('η', plan.stepSize, 1 / (2 * smoothness)),
    errorViolation(given, plan, { batches: plan.rounds, isPrinted }),
    ...(schedule === 'least-bound'
      ? []
      : [differs('T', plan.rounds, best.rounds), differs('C', plan.clipNorm, best.clipNorm)]),
    differs('the bound', boundOf(run), proximalBound({ ...plan, smoothness, convexity, gap })),
    differs(
      'the printed bound',
      plan.printedBound ?? Number.NaN,
      proximalBound({ ...plan, smoothness, convexity, gap }, true),
    ),
  );
}

function subgradientViolation(
  subject: RunsSubject,
  given: Numbers,
  rounds: number,
  clipNorm: number,
): Violation | undefined {
  const own = constantsOf(given.law);
  const { k, moment, startDistance, diameter } = own;
  const { records, columns: dimension } = given;
  const [stepSize, strength] = [0.4 / own.smoothness, 1.5 * own.smoothness];
  const run = plannedRun(
    subject,
    scenarioOf('noisyClippedSubgradient', given, { rounds, stepSize, strength, clipNorm: clipNorm * moment }),
  );
  const plan = plannedIn(run);
  const C = clipNorm * moment;
  const noise = (2 * C) / (records * paperEpsilonOf(given));
  // Moments of every order 2k that is declared; one of a higher order bounds those below.
  const bias = Math.min(
    sharpBias(k, own.uniformDoubleMoment, C),
    k >= 4 ? sharpBias(k / 2, own.uniformMoment, C) : Infinity,
  );
  const reached = { ...own, dimension };
  const whole = plannedRun(subject, {
    ...scenarioOf('noisyClippedSubgradient', given, { rounds, stepSize, strength, clipNorm: C }),
    longest: { value: C, scope: 'every-record' },
  });
  const certain = certainOf({ ...own, dimension }, C);
  const phase: Phase = {
    records,
    rounds,
    stepSize,
    strength,
    radius: diameter,
    clipNorm: C,
    noise,
    bias,
    samplingRate: 1,
  };
  return first(
    differs('σ', plan.noise, noise),
    differs('E‖w_T − ŵ‖²', plan.meanSquaredDistance ?? Number.NaN, movedApart(phase, reached)),
    differs('the bound', boundOf(run), phasesBound([phase], startDistance, reached)),
    differs(
      'the bound where no gradient is longer than C',
      boundOf(whole),
      phasesBound([{ ...phase, bias: 0 }], startDistance, certain),
    ),
  );
}

/** Constants of a law whose gradients are no longer than `L`, whatever the record. */
const certainOf = <C extends Reached & Pick<PhaseFacts, 'uniformMoment' | 'uniformDoubleMoment'>>(
  own: C,
  longest: number,
) => {
  const secondMoment = Math.min(own.secondMoment, longest);
  return {
    ...own,
    secondMoment,
    uniformSecondMoment: Math.min(own.uniformSecondMoment, longest),
    uniformMoment: Math.min(own.uniformMoment, longest),
    uniformDoubleMoment: Math.min(own.uniformDoubleMoment, longest),
    lipschitz: Math.min(own.lipschitz, longest),
    longest,
  };
};

const comparedPhases = (
  got: readonly Phase[],
  want: readonly Phase[],
): readonly (Violation | undefined)[] => [
  differs('the number of phases', got.length, want.length),
  ...want.flatMap((phase, i) => [
    differs(`n_${i + 1}`, got[i].records, phase.records),
    above(
      `T_${i + 1} away from ${phase.rounds}`,
      Math.abs(got[i].rounds - phase.rounds),
      0,
      1e-9 * phase.rounds,
    ),
    ...(['stepSize', 'strength', 'radius', 'clipNorm', 'noise', 'bias'] as const).map((name) =>
      differs(`${name} of phase ${i + 1}`, got[i][name], phase[name]),
    ),
  ]),
];

/** A plan of phases; the numbers of draws are those of the plan, and only its bound is looked at. */
function localizedViolation(
  subject: RunsSubject,
  given: Numbers,
  {
    schedule,
    mostRounds,
    isSubsampled,
    length,
  }: {
    readonly schedule: string;
    readonly mostRounds: number;
    readonly isSubsampled: boolean;
    /** Of the longest gradient, over the moment of order 2k; and whether it is that of every record. */
    readonly length: readonly [ratio: number, isCertain: boolean] | null;
  },
): Violation | undefined {
  const declared = constantsOf(given.law);
  const longest = length === null ? undefined : length[0] * declared.uniformDoubleMoment;
  const reached = { ...declared, dimension: given.columns };
  // What holds on average bounds no record's gradient.
  const own = longest !== undefined && length?.[1] === true ? certainOf(reached, longest) : reached;
  const { k, startDistance: distance } = own;
  const numbersOf: Numbers = isSubsampled ? { ...given, adjacency: 'zero-out' } : given;
  const run = plannedRun(subject, {
    ...scenarioOf('localizedSubgradient', numbersOf, {
      schedule,
      momentOrder: k,
      mostRounds,
      ...(isSubsampled ? { variant: 'subsampled' } : {}),
    }),
    ...(longest === undefined
      ? {}
      : { longest: { value: longest, scope: length?.[1] === true ? 'every-record' : 'population' } }),
  });
  const plan = plannedIn(run);
  const epsilon = paperEpsilonOf(numbersOf);
  const n = 2 ** Math.floor(Math.log2(given.records));
  const facts = { ...own, epsilon, distance };
  const phases = phasesOf(n, facts, { isPrinted: schedule === 'printed', mostRounds });
  const want = isSubsampled
    ? phases.map((phase, i) => ({
        ...phase,
        samplingRate: phase.records ** -0.5,
        noise: plan.phases[i].noise,
      }))
    : phases;
  return first(
    differs('the paper’s ε', plan.epsilon, epsilon),
    differs('the distance', plan.distance, distance),
    differs('the records read', plan.recordsRead, n - 1),
    ...comparedPhases(plan.phases, want),
    ...want.map(({ samplingRate }, i) =>
      differs(`the rate of phase ${i + 1}`, plan.phases[i].samplingRate, samplingRate),
    ),
    differs('the bound', boundOf(run), phasesBound(want, distance, own)),
  );
}

/** Phases with a mean of a radius of its own, which is their clip norm. */
function fixedViolation(subject: RunsSubject, given: Numbers, radius: number): Violation | undefined {
  const mean = clippedMean({ clip: l2Clip({ radius }), mechanism: gaussian({}) });
  const run = plannedRun(subject, {
    ...scenarioOf('localizedSubgradient', given, { mean, mostRounds: 3 }),
    isFixed: true,
  });
  const { epsilon, phases } = plannedIn(run);
  const own = paperEpsilonOf(given);
  return first(
    differs('the paper’s ε of a mean that cannot be scaled', epsilon, own),
    ...phases.flatMap(({ clipNorm, noise, records, rounds }, i) => [
      differs(`C_${i + 1} of a mean that cannot be scaled`, clipNorm, radius),
      differs(
        `σ_${i + 1} of a mean that cannot be scaled`,
        noise,
        (2 * radius * Math.sqrt(rounds)) / (records * own),
      ),
    ]),
  );
}

/** The plan of Appendix G.3, with distances that follow what is proved, or the rate times a constant. */
function blocksViolation(
  subject: RunsSubject,
  given: Numbers,
  {
    schedule,
    mostRounds,
    rateConstant,
  }: { readonly schedule: string; readonly mostRounds: number; readonly rateConstant: number | null },
): Violation | undefined {
  const own = constantsOf(given.law);
  const { k, convexity: mu, lipschitz, diameter, startDistance, uniformDoubleMoment } = own;
  const { records: n, columns: dimension } = given;
  const run = plannedRun(
    subject,
    scenarioOf('localizedStronglyConvex', given, {
      schedule,
      momentOrder: k,
      mostRounds,
      ...(rateConstant === null ? {} : { rateConstant }),
    }),
  );
  const plan = plannedIn(run);
  const epsilon = paperEpsilonOf(given);
  const sure = Math.min(diameter, (2 * lipschitz) / mu);
  const reached = { ...own, dimension };
  const isPrinted = schedule === 'printed';
  const violations: (Violation | undefined)[] = [];
  const all: Phase[] = [];
  let [planned, proved, bound] = [Math.min(sure, startDistance), Math.min(sure, startDistance), Number.NaN];
  const levels = Math.log2(n);
  const count = Math.ceil(Math.log2(levels));
  for (let j = 1; j <= count; j++) {
    const records = 2 ** Math.floor(Math.log2((2 ** (j - 2) * n) / levels) + 1e-12);
    violations.push(
      differs(`N_${j}`, plan.blocks[j - 1].records, records),
      differs(`D_${j - 1}`, plan.blocks[j - 1].distance, planned),
    );
    const phases = phasesOf(
      records,
      { ...own, dimension, epsilon, distance: planned },
      { isPrinted, mostRounds },
    );
    all.push(...phases);
    bound = phasesBound(phases, proved, reached);
    const rate =
      uniformDoubleMoment *
      (records ** -0.5 + (Math.sqrt(dimension * Math.log(records)) / (epsilon * records)) ** ((k - 1) / k));
    planned =
      rateConstant === null
        ? Math.min(sure, Math.sqrt((2 * phasesBound(phases, planned, reached)) / mu))
        : Math.min(planned, Math.sqrt((2 * rateConstant * planned * rate) / mu));
    proved = Math.min(sure, Math.sqrt((2 * bound) / mu));
  }
  return first(
    differs('the number of blocks', plan.blocks.length, count),
    ...violations,
    ...comparedPhases(plan.phases, all),
    differs('the bound', boundOf(run), bound),
  );
}

function descentViolation(subject: RunsSubject, given: Numbers, rounds: number): Violation | undefined {
  const own = constantsOf(given.law);
  const { k, moment, smoothness, convexity, startDistance, lipschitz } = own;
  const { records, columns: dimension } = given;
  const mean = clippedMean({ clip: l2Clip({ radius: 1 }), mechanism: gaussian({}) });
  const run = plannedRun(
    subject,
    scenarioOf('heavyTailedGradientDescent', given, { rounds, batches: 'disjoint', momentOrder: k, mean }),
  );
  const plan = plannedIn(run);
  const batchSize = Math.floor(records / rounds);
  const unit = 2 / (batchSize * paperEpsilonOf(given));
  const clipNorm = moment * (Math.sqrt(dimension) * unit) ** (-1 / k);
  const { bias, variance } = errorOf({ ...own, clipNorm, batchSize, noise: unit * clipNorm, dimension });
  const kept = smoothness / (smoothness + convexity);
  const left = kept ** rounds;
  const apart =
    left * startDistance +
    (Math.hypot(bias, Math.sqrt(variance)) / (smoothness + convexity)) * ((1 - left) / (1 - kept));
  return first(
    differs('C', plan.clipNorm, clipNorm),
    differs('η', plan.stepSize, 1 / (smoothness + convexity)),
    differs('B', plan.bias, bias),
    differs('Σ²', plan.variance, variance),
    differs('the bound', boundOf(run), lipschitz * apart + (smoothness / 2) * apart ** 2),
  );
}

/** The least bound against those at other rounds, clip norms and moments, which the plan is told to take. */
function leastViolation(
  subject: RunsSubject,
  optimizer: Scenario['optimizer'],
  given: Numbers,
): Violation | undefined {
  const at = (params: Scenario['params']): number =>
    boundOf(plannedRun(subject, scenarioOf(optimizer, given, params)));
  const run = plannedRun(subject, scenarioOf(optimizer, given, {}));
  const { rounds, clipNorm } = plannedIn(run);
  const most = optimizer === 'noisyClippedSgd' ? given.records - 1 : given.records;
  const counts = [rounds - 1, rounds + 1, Math.floor(rounds / 1.4), Math.ceil(1.4 * rounds), 1, 3 * rounds];
  const others = [
    ...counts.filter((count) => count >= 1 && count <= most).map((count) => ({ rounds: count })),
    ...[0.3, 0.8, 1.25, 3].map((factor) => ({ clipNorm: factor * clipNorm })),
    { schedule: 'corrected' },
    { momentOrder: given.law.order },
  ];
  return first(
    ...others.map((params) =>
      above(`the least bound, against ${JSON.stringify(params)}`, boundOf(run) * (1 - 1e-3), at(params)),
    ),
  );
}

const onePass = ['noisyClippedAcSa', 'noisyClippedSgd', 'noisyClippedProximalSgd'] as const;

/** Row C76. */
export const plannedConstants: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'lowy/planned-constants',
    tier: 'search',
    statement:
      'The numbers of a plan are the theorems’ at the facts of its problem: T, C, s, σ, B, Σ² and η of ' +
      'Theorems 31, 34 and 48, as corrected and as printed, n_i, η_i, λ_i, D_i, C_i, T_i and σ_i of ' +
      'Theorem 41, N_j and the distances of Theorem 43; the bounds are those of Propositions 30, 32 ' +
      'repaired, 46 sharpened, Lemma 14 with Proposition 40, and Eq. 7, and the printed ones as printed. ' +
      'The schedule least-bound has a bound that no other rounds, clip norm or moment beats.',
    power: 'A relative error of 1e-9 of any of them; of the least bound 1e-3.',
    run: (env) => {
      let plans = 0;
      const each =
        <T>(cases: Arbitrary<T>, check: (one: T) => Violation | undefined, runs: number) =>
        () =>
          env.forAll(
            cases,
            (one) => {
              plans++;
              return check(one);
            },
            { runs },
          );
      const some = fc.integer({ min: 1, max: 12 });
      const most = fc.constantFrom(3, 50, 1e12);
      return noted(
        both(
          each(fc.tuple(numbers, schedules), ([given, name]) => acSaViolation(subject, given, name), 40),
          each(fc.tuple(numbers, schedules), ([given, name]) => sgdViolation(subject, given, name), 40),
          each(
            fc.tuple(numbers, schedules, some),
            ([given, name, rounds]) => convexSgdViolation(subject, given, name, rounds),
            30,
          ),
          each(fc.tuple(numbers, schedules), ([given, name]) => proximalViolation(subject, given, name), 40),
          each(
            fc.tuple(numbers, some, fc.constantFrom(0.2, 1, 4)),
            ([given, rounds, clip]) => subgradientViolation(subject, given, rounds, clip),
            40,
          ),
          each(
            fc.tuple(numbers, schedules, most, fc.boolean(), lengths),
            ([given, name, mostRounds, isSubsampled, length]) =>
              localizedViolation(subject, given, {
                schedule: name === 'printed' ? name : 'corrected',
                mostRounds,
                isSubsampled,
                length,
              }),
            40,
          ),
          each(
            fc.tuple(numbers, schedules, most, fc.constantFrom(null, 1, 2)),
            ([given, name, mostRounds, rateConstant]) =>
              blocksViolation(subject, given, {
                schedule: name === 'printed' ? name : 'corrected',
                mostRounds,
                rateConstant,
              }),
            40,
          ),
          each(fc.tuple(numbers, some), ([given, rounds]) => descentViolation(subject, given, rounds), 30),
          each(
            fc.tuple(numbers, fc.constantFrom(0.5, 2)),
            ([given, radius]) => fixedViolation(subject, given, radius),
            20,
          ),
          each(
            fc.tuple(fc.constantFrom(...onePass), numbers),
            ([optimizer, given]) => leastViolation(subject, optimizer, given),
            20,
          ),
        ),
        () => `${plans} plans`,
      );
    },
  });
