import { plainLoops, type Program, type Vector } from '@lethe/core';
import { momentumAt, proximityAt } from '@lethe/algorithms';
import { optimizerSubject, type OptimizerSubject } from '../../src/heavy-tails/optimizers/subject.js';
import type { Mutant } from '../rows.js';

const shipped = optimizerSubject;
type Subject = OptimizerSubject;

interface AcSaFlaws {
  readonly middle?: 'average' | 'iterate';
  readonly step?: (eta: number, t: number) => number;
  readonly unprojected?: boolean;
  readonly average?: (t: number) => number;
}
/** Algorithm 5, plainly, with a flaw. */
const flawedAcSa = ({
  middle,
  step = (eta, t) => momentumAt(t) / proximityAt(eta, t),
  unprojected = false,
  average = momentumAt,
}: AcSaFlaws): Subject['acSa'] =>
  function* ({ rounds, eta, domain, start, oracle, loops = plainLoops() }): Program<Vector> {
    let w = start.slice();
    let aggregate = w.slice();
    const now = loops.state({ w, aggregate });
    for (const t of loops.rounds(rounds)) {
      const alpha = momentumAt(t);
      const beta = average(t);
      let at: Float64Array<ArrayBuffer>;
      if (middle === 'average') at = aggregate.slice();
      else if (middle === 'iterate') at = w.slice();
      else at = w.map((entry, j) => alpha * entry + (1 - alpha) * aggregate[j]);
      const gradient = yield* oracle(at, t);
      w = w.map((entry, j) => entry - step(eta, t) * gradient[j]);
      if (!unprojected) domain.projectInto(w, w);
      aggregate = aggregate.map((entry, j) => beta * w[j] + (1 - beta) * entry);
      Object.assign(now, { w, aggregate });
    }
    return aggregate;
  };

interface SgdFlaws {
  readonly average?: 'plain' | 'from the start';
  readonly fewer?: boolean;
  readonly step?: number;
  readonly unprojected?: boolean;
}
/** Algorithm 7, plainly, with a flaw. */
const flawedSgd = ({
  average,
  fewer = false,
  step = 1,
  unprojected = false,
}: SgdFlaws): Subject['weightedSgd'] =>
  function* ({ rounds, stepSizes, weights, domain, start, oracle }): Program<Vector> {
    let w = (start as Vector).slice();
    let total = 0;
    const sum = w.map(() => 0);
    const count = rounds + (fewer ? 0 : 1);
    for (let t = 0; t < count; t++) {
      const gradient = yield* oracle(w, t);
      const weight = average === 'plain' ? 1 : weights[t];
      const before = w;
      w = w.map((entry, j) => entry - step * stepSizes[t] * gradient[j]);
      if (!unprojected) domain.projectInto(w, w);
      total += weight;
      w.forEach((entry, j) => {
        sum[j] += weight * (average === 'from the start' ? before[j] : entry);
      });
    }
    return sum.map((entry) => entry / total);
  };

interface SubgradientFlaws {
  readonly pull?: 'none' | 'to the origin' | 'clipped';
  readonly step?: number;
  readonly anySize?: boolean;
}
/** Algorithm 3, plainly, with a flaw. */
const flawedSubgradient = ({
  pull,
  step = 1,
  anySize = false,
}: SubgradientFlaws): Subject['regularisedSubgradient'] =>
  function* (options): Program<Vector> {
    const { rounds, stepSize, strength, centre, domain, start, oracle, loops = plainLoops() } = options;
    if (!anySize && stepSize * strength > 2.0001) return yield* shipped.regularisedSubgradient(options);
    let w: Vector = start.slice();
    const now = loops.state({ w });
    for (const t of loops.rounds(rounds)) {
      const gradient = yield* oracle(w, t);
      const pulled = w.map((entry, j) => strength * (entry - (pull === 'to the origin' ? 0 : centre[j])));
      const whole = gradient.map((entry, j) => entry + (pull === 'none' ? 0 : pulled[j]));
      const length = Math.hypot(...whole);
      const scale = pull === 'clipped' ? Math.min(1, 1 / length) : 1;
      w = domain.projectInto(
        new Float64Array(w.length),
        w.map((entry, j) => entry - step * stepSize * scale * whole[j]),
      );
      now.w = w;
    }
    return w;
  };

/** Algorithm 9 with the proximal map before the gradient step, of another length, or left out. */
const flawedProximal = (flaw: 'before' | 'unit' | 'none'): Subject['proximalSgd'] =>
  function* ({ rounds, stepSizes, proximal, start, oracle }): Program<Vector> {
    let w = (start as Vector).slice();
    for (let t = 0; t < rounds; t++) {
      if (flaw === 'before') proximal(w, w, stepSizes[t]);
      const gradient = yield* oracle(w, t);
      w = w.map((entry, j) => entry - stepSizes[t] * gradient[j]);
      if (flaw === 'unit') proximal(w, w, 1);
    }
    return w;
  };

/** Step sizes of Lemma 33 that shrink from the start, or with equal weights. */
const shrinking: Subject['stochasticStepSizes'] = ({ convexity: a, smoothness: g, rounds }) => {
  const place = Array.from({ length: rounds + 1 }, (_, t) => (2 * g) / a + t);
  return { stepSizes: place.map((one) => 2 / (a * one)), weights: place };
};
const equalWeights: Subject['stochasticStepSizes'] = (rule) => {
  const steps = shipped.stochasticStepSizes(rule);
  return { ...steps, weights: steps.weights.map(() => 1) };
};
const longer: Subject['stochasticStepSizes'] = (rule) => {
  const steps = shipped.stochasticStepSizes(rule);
  return { ...steps, stepSizes: steps.stepSizes.map((eta) => 1.01 * eta) };
};

type Phase = ReturnType<Subject['localizedPhases']>['phases'][number];
const phasesWith =
  (change: (phase: Phase, n: number) => Partial<Phase>): Subject['localizedPhases'] =>
  (...given) => {
    const made = shipped.localizedPhases(...given);
    return { ...made, phases: made.phases.map((phase) => ({ ...phase, ...change(phase, made.records) })) };
  };

/** The moment of the loss less that of its mean: what is left where the gradient is centred. */
const centred: Subject['secondMoment'] = (distribution, lower, upper) => {
  const mean = (w: number): number =>
    distribution.records.reduce(
      (sum, { below, above, at, curvature }, i) =>
        sum + distribution.probabilities[i] * ((w < at ? below : above) + curvature * (w - at)),
      0,
    );
  return Math.max(
    0,
    shipped.secondMoment(distribution, lower, upper) -
      Math.min(mean(lower) ** 2, mean(upper) ** 2, mean((lower + upper) / 2) ** 2),
  );
};
const halfRegularised: Subject['kinkedMinimiser'] = (problem) =>
  shipped.kinkedMinimiser({ ...problem, strength: problem.strength / 2 });
const ownPlan = (
  optimizer: Subject['noisyClippedSgd'],
  change: (plan: { readonly gradients: number }) => object,
): Subject['noisyClippedSgd'] =>
  ({
    ...optimizer,
    name: optimizer.name,
    prepare: (context: never) => {
      const run = optimizer.prepare(context);
      return { ...run, plan: { ...run.plan, ...change(run.plan) } };
    },
  }) as never;
/** Runs everything twice. */
const twice = <O extends { readonly name: string }>(optimizer: O): O =>
  ({
    ...optimizer,
    name: optimizer.name,
    prepare: (context: never) => {
      const run = (
        optimizer as never as { prepare(context: never): { steps(given: never): Program<Vector> } }
      ).prepare(context);
      return {
        ...run,
        *steps(given: never): Program<Vector> {
          yield* run.steps(given);
          return yield* run.steps(given);
        },
      };
    },
  }) as never;

/** One for each way of failing that the table of claims names, and others that are as easily made. */
export const optimizerMutants: readonly Mutant<OptimizerSubject>[] = [
  {
    id: 'O-01',
    row: 35,
    title: 'the recursion of the weights is the printed one',
    subject: { nextProduct: shipped.printedNextProduct },
    killedBy: 'lowy/ac-sa-schedule',
  },
  {
    id: 'O-02',
    row: 35,
    title: 'α_t is 2/(t + 2)',
    subject: { momentumAt: (t) => 2 / (t + 2) },
    killedBy: 'lowy/ac-sa-schedule',
  },
  {
    id: 'O-03',
    row: 35,
    title: 'η_t is a round late',
    subject: { proximityAt: (eta, t) => shipped.proximityAt(eta, t + 1) },
    killedBy: 'lowy/ac-sa-schedule',
  },
  {
    id: 'O-04',
    row: 35,
    title: 'the printed recursion is right, so that there is nothing to refute',
    subject: { printedNextProduct: shipped.nextProduct },
    killedBy: 'lowy/ac-sa-schedule-printed',
  },
  {
    id: 'O-05',
    row: 36,
    title: 'steps are twice as long',
    subject: { acSa: flawedAcSa({ step: (eta, t) => t / eta }) },
    killedBy: 'lowy/ac-sa-step',
  },
  {
    id: 'O-06',
    row: 36,
    title: 'iterates are not projected',
    subject: { acSa: flawedAcSa({ unprojected: true }) },
    killedBy: 'lowy/ac-sa-step',
  },
  {
    id: 'O-07',
    row: 36,
    title: 'the average has the weights of the round before',
    subject: { acSa: flawedAcSa({ average: (t) => Math.min(1, 2 / t) }) },
    killedBy: 'lowy/ac-sa-step',
  },
  {
    id: 'O-08',
    row: 37,
    title: 'gradients are taken at the iterate',
    subject: { acSa: flawedAcSa({ middle: 'iterate' }) },
    killedBy: 'lowy/ac-sa-pathwise',
  },
  {
    id: 'O-95',
    row: 36,
    title: 'gradients are taken at the average',
    subject: { acSa: flawedAcSa({ middle: 'average' }) },
    killedBy: 'lowy/ac-sa-step',
  },
  {
    id: 'O-09',
    row: 37,
    title: 'η_t lacks a factor t',
    subject: { acSa: flawedAcSa({ step: (eta, t) => (t * momentumAt(t)) / proximityAt(eta, t) }) },
    killedBy: 'lowy/ac-sa-pathwise',
  },
  {
    id: 'O-10',
    row: 37,
    title: 'the pathwise bound lacks the square of the error',
    subject: { acSaPathwiseBound: (path) => shipped.acSaPathwiseBound({ ...path, factor: 0 }) },
    killedBy: 'lowy/ac-sa-pathwise',
  },
  {
    id: 'O-11',
    row: 37,
    title: 'the pathwise bound lacks ⟨e, w − w_{t−1}⟩',
    subject: {
      acSaPathwiseBound: (path) =>
        shipped.acSaPathwiseBound({ ...path, errors: path.errors.map(({ norm }) => ({ norm, inner: 0 })) }),
    },
    killedBy: 'lowy/ac-sa-pathwise',
  },
  {
    id: 'O-12',
    row: 38,
    title: 'the noise term is a hundredth smaller',
    subject: {
      acSaExcessRisk: (terms) => shipped.acSaExcessRisk({ ...terms, error: terms.error * Math.sqrt(0.99) }),
    },
    killedBy: 'lowy/ac-sa-noise-sum',
  },
  {
    id: 'O-13',
    row: 38,
    title: 'the term of the start is the printed one',
    subject: { acSaExcessRisk: (terms) => shipped.acSaExcessRisk(terms, 'printed') },
    killedBy: 'lowy/ac-sa-noise-sum',
  },
  {
    id: 'O-14',
    row: 39,
    title: 'the bound lacks BD',
    subject: { acSaExcessRisk: (terms) => shipped.acSaExcessRisk({ ...terms, bias: 0 }) },
    killedBy: 'lowy/ac-sa-expectation',
  },
  {
    id: 'O-15',
    row: 39,
    title: 'the bound lacks the noise',
    subject: { acSaExcessRisk: (terms) => shipped.acSaExcessRisk({ ...terms, error: 0 }) },
    killedBy: 'lowy/ac-sa-expectation',
  },
  {
    id: 'O-16',
    row: 39,
    title: 'steps go up the gradient',
    subject: { acSa: flawedAcSa({ step: (eta, t) => -t / (2 * eta) }) },
    killedBy: 'lowy/ac-sa-expectation',
  },
  {
    id: 'O-17',
    row: 40,
    title: 'the second branch of T has r_k',
    subject: { smoothConvexRounds: (setting) => shipped.smoothConvexRounds(setting, 'printed') },
    killedBy: 'lowy/smooth-convex-choices',
  },
  {
    id: 'O-18',
    row: 40,
    title: 'the shipped T has r_k in its second branch',
    subject: {
      smoothConvexSchedule: (facts, _schedule, overrides) =>
        shipped.smoothConvexSchedule(facts, 'printed', overrides),
    },
    killedBy: 'lowy/smooth-convex-choices',
  },
  {
    id: 'O-19',
    row: 40,
    title: 'the last term of Eq. 2 has the exponent of the first',
    subject: {
      heavyTailsRates: {
        ...shipped.heavyTailsRates,
        'convex-linear-time': {
          ...shipped.heavyTailsRates['convex-linear-time'],
          value: (setting) =>
            shipped.heavyTailsRates['convex-linear-time'].value({
              ...setting,
              order: (setting.order ?? 2) + 0.1,
            }),
        },
      },
    },
    killedBy: 'lowy/smooth-convex-choices',
  },
  {
    id: 'O-20',
    row: 40,
    title: 'the printed T has r_2, so that there is nothing to refute',
    subject: { smoothConvexRounds: (setting) => shipped.smoothConvexRounds(setting, 'corrected') },
    killedBy: 'lowy/smooth-convex-rounds-printed',
  },
  {
    id: 'O-21',
    row: 41,
    title: 'the gap counts twice',
    subject: { gradientStepBound: (step) => shipped.gradientStepBound({ ...step, gap: 2 * step.gap }) },
    killedBy: 'lowy/sgd-step',
  },
  {
    id: 'O-22',
    row: 41,
    title: 'the distance contracts by 1 − 2μη',
    subject: {
      gradientStepBound: (step) =>
        shipped.gradientStepBound(step) - step.convexity * step.stepSize * step.distance,
    },
    killedBy: 'lowy/sgd-step',
  },
  {
    id: 'O-23',
    row: 41,
    title: 'the step bound is the printed one',
    subject: { gradientStepBound: shipped.printedGradientStepBound },
    killedBy: 'lowy/sgd-step',
  },
  {
    id: 'O-24',
    row: 41,
    title: 'iterates are not projected',
    subject: { weightedSgd: flawedSgd({ unprojected: true }) },
    killedBy: 'lowy/sgd-step',
  },
  {
    id: 'O-25',
    row: 41,
    title: 'the printed step bound is right, so that there is nothing to refute',
    subject: { printedGradientStepBound: shipped.gradientStepBound },
    killedBy: 'lowy/sgd-step-printed',
  },
  {
    id: 'O-26',
    row: 42,
    title: 'steps shrink from the start',
    subject: { stochasticStepSizes: shrinking },
    killedBy: 'lowy/stochastic-steps',
  },
  {
    id: 'O-27',
    row: 42,
    title: 'weights are equal',
    subject: { stochasticStepSizes: equalWeights },
    killedBy: 'lowy/stochastic-steps',
  },
  {
    id: 'O-28',
    row: 42,
    title: 'steps are longer than 1/g',
    subject: { stochasticStepSizes: longer },
    killedBy: 'lowy/stochastic-steps',
  },
  {
    id: 'O-29',
    row: 42,
    title: 'the lemma lacks its noise',
    subject: { stichBound: (terms) => shipped.stichBound({ ...terms, c: 0 }) },
    killedBy: 'lowy/stochastic-steps',
  },
  {
    id: 'O-30',
    row: 43,
    title: 'the bound lacks the noise',
    subject: {
      stronglyConvexExcessRisk: (run, schedule) =>
        shipped.stronglyConvexExcessRisk({ ...run, variance: 0 }, schedule),
    },
    killedBy: 'lowy/strongly-convex-bound',
  },
  {
    id: 'O-31',
    row: 43,
    title: 'the bound lacks the bias',
    subject: {
      stronglyConvexExcessRisk: (run, schedule) =>
        shipped.stronglyConvexExcessRisk({ ...run, bias: 0 }, schedule),
    },
    killedBy: 'lowy/strongly-convex-bound',
  },
  {
    id: 'O-32',
    row: 43,
    title: 'the shipped bound is the printed one',
    subject: { stronglyConvexExcessRisk: (run) => shipped.stronglyConvexExcessRisk(run, 'printed') },
    killedBy: 'lowy/strongly-convex-bound',
  },
  {
    id: 'O-33',
    row: 43,
    title: 'the average is a plain one',
    subject: { weightedSgd: flawedSgd({ average: 'plain' }) },
    killedBy: 'lowy/strongly-convex-bound',
  },
  {
    id: 'O-34',
    row: 43,
    title: 'the average holds the start',
    subject: { weightedSgd: flawedSgd({ average: 'from the start' }) },
    killedBy: 'lowy/strongly-convex-bound',
  },
  {
    id: 'O-35',
    row: 43,
    title: 'there are T steps, so that there is nothing to refute',
    subject: { weightedSgd: flawedSgd({ fewer: true }) },
    killedBy: 'lowy/strongly-convex-batches-printed',
  },
  {
    id: 'O-36',
    row: 44,
    title: 'T is half of what it should be',
    subject: {
      smoothStronglyConvexSchedule: (facts, schedule, overrides) =>
        shipped.smoothStronglyConvexSchedule(facts, schedule, {
          ...overrides,
          rounds: Math.ceil(shipped.smoothStronglyConvexSchedule(facts, schedule, overrides).rounds / 2),
        }),
    },
    killedBy: 'lowy/strongly-convex-choices',
  },
  {
    id: 'O-37',
    row: 44,
    title: 'the clip norm lacks the root of T',
    subject: {
      smoothStronglyConvexSchedule: (facts, schedule, overrides) => {
        const made = shipped.smoothStronglyConvexSchedule(facts, schedule, overrides);
        return { ...made, clipNorm: made.clipNorm * made.rounds ** (1 / (2 * facts.order)) };
      },
    },
    killedBy: 'lowy/strongly-convex-choices',
  },
  {
    id: 'O-38',
    row: 44,
    title: 'there are batches of n/T for T + 1 rounds',
    subject: {
      smoothStronglyConvexSchedule: (facts, schedule, overrides) => {
        const made = shipped.smoothStronglyConvexSchedule(facts, schedule, overrides);
        return { ...made, batchSize: Math.floor(facts.slots / made.rounds) };
      },
    },
    killedBy: 'lowy/strongly-convex-choices',
  },
  {
    id: 'O-39',
    row: 45,
    title: 'the distance contracts by 1 − 2λη',
    subject: {
      subgradientStepBound: (step) =>
        shipped.subgradientStepBound(step) - step.strength * step.stepSize * step.distance,
    },
    killedBy: 'lowy/subgradient-step',
  },
  {
    id: 'O-40',
    row: 45,
    title: 'the step bound lacks the length of the step',
    subject: { subgradientStepBound: (step) => shipped.subgradientStepBound({ ...step, length: 0 }) },
    killedBy: 'lowy/subgradient-step',
  },
  {
    id: 'O-41',
    row: 45,
    title: 'the regulariser is clipped, too',
    subject: { regularisedSubgradient: flawedSubgradient({ pull: 'clipped' }) },
    killedBy: 'lowy/subgradient-step',
  },
  {
    id: 'O-42',
    row: 45,
    title: 'the regulariser pulls to the origin',
    subject: { regularisedSubgradient: flawedSubgradient({ pull: 'to the origin' }) },
    killedBy: 'lowy/subgradient-step',
  },
  {
    id: 'O-43',
    row: 45,
    title: 'there is no regulariser',
    subject: { regularisedSubgradient: flawedSubgradient({ pull: 'none' }) },
    killedBy: 'lowy/subgradient-step',
  },
  {
    id: 'O-44',
    row: 45,
    title: 'the minimiser is that of half the regulariser',
    subject: { kinkedMinimiser: halfRegularised },
    killedBy: 'lowy/subgradient-step',
  },
  {
    id: 'O-45',
    row: 46,
    title: 'step sizes above 2/λ are taken',
    subject: { regularisedSubgradient: flawedSubgradient({ anySize: true }) },
    killedBy: 'lowy/subgradient-distance',
  },
  {
    id: 'O-46',
    row: 46,
    title: 'Lemma 14 has 16 for 20',
    subject: {
      subgradientDistanceBound: (run, form) =>
        shipped.subgradientDistanceBound(run, form) -
        (form === 'sharp' ? 0 : 4 * (run.bias / run.strength) ** 2),
    },
    killedBy: 'lowy/subgradient-distance',
  },
  {
    id: 'O-47',
    row: 46,
    title: 'Lemma 14 lacks λ²D²',
    subject: {
      subgradientDistanceBound: (run, form) =>
        shipped.subgradientDistanceBound(form === 'sharp' ? run : { ...run, diameter: 0 }, form),
    },
    killedBy: 'lowy/subgradient-distance',
  },
  {
    id: 'O-48',
    row: 46,
    title: 'the sharper form lacks the noise',
    subject: {
      subgradientDistanceBound: (run, form) =>
        shipped.subgradientDistanceBound(form === 'sharp' ? { ...run, noiseVariance: 0 } : run, form),
    },
    killedBy: 'lowy/subgradient-distance',
  },
  {
    id: 'O-49',
    row: 46,
    title: 'phases are as long as printed',
    subject: { phaseRounds: shipped.printedPhaseRounds },
    killedBy: 'lowy/subgradient-distance',
  },
  {
    id: 'O-50',
    row: 46,
    title: 'the printed phases are long enough, so that there is nothing to refute',
    subject: { printedPhaseRounds: shipped.phaseRounds },
    killedBy: 'lowy/localized-rounds-printed',
  },
  {
    id: 'O-51',
    row: 47,
    title: 'phases are as long as printed',
    subject: {
      localizedPhases: (facts, _schedule, overrides) => shipped.localizedPhases(facts, 'printed', overrides),
    },
    killedBy: 'lowy/localized-numbers',
  },
  {
    id: 'O-52',
    row: 47,
    title: 'half as many rounds',
    subject: {
      localizedPhases: phasesWith(({ rounds, noise }) => ({
        rounds: Math.ceil(rounds / 2),
        noise: noise / Math.sqrt(rounds / Math.ceil(rounds / 2)),
      })),
    },
    killedBy: 'lowy/localized-numbers',
  },
  {
    id: 'O-53',
    row: 47,
    title: 'λ lacks the power 1/k',
    subject: {
      localizedPhases: phasesWith(({ stepSize, records }) => ({ strength: 1 / (stepSize * records) })),
    },
    killedBy: 'lowy/localized-numbers',
  },
  {
    id: 'O-54',
    row: 47,
    title: 'balls of half the radius',
    subject: { localizedPhases: phasesWith(({ radius }) => ({ radius: radius / 2 })) },
    killedBy: 'lowy/localized-numbers',
  },
  {
    id: 'O-55',
    row: 47,
    title: 'noise of one round',
    subject: { localizedPhases: phasesWith(({ noise, rounds }) => ({ noise: noise / Math.sqrt(rounds) })) },
    killedBy: 'lowy/localized-numbers',
  },
  {
    id: 'O-56',
    row: 47,
    title: 'the averaged moment is the one of a single record, so that there is nothing to refute',
    subject: { averagedMoment: (moments) => moments[moments.length - 1] },
    killedBy: 'lowy/averaged-moment-printed',
  },
  {
    id: 'O-57',
    row: 48,
    title: 'the minimiser is that of half the regulariser',
    subject: { kinkedMinimiser: halfRegularised },
    killedBy: 'lowy/swap-stability',
  },
  {
    id: 'O-58',
    row: 48,
    title: 'the minimiser is rounded to a grid',
    subject: { kinkedMinimiser: (problem) => Math.round(shipped.kinkedMinimiser(problem) * 4) / 4 },
    killedBy: 'lowy/swap-stability',
  },
  {
    id: 'O-59',
    row: 49,
    title: 'n for n − 1',
    subject: { swappedRiskSum: ({ records, sum, otherSum }) => records * sum + otherSum },
    killedBy: 'lowy/swap-identity',
  },
  {
    id: 'O-60',
    row: 50,
    title: 'Eq. 53 lacks 1/n',
    subject: { swapGap: ({ gap }) => gap },
    killedBy: 'lowy/swap-gap',
  },
  {
    id: 'O-61',
    row: 51,
    title: 'r²/(λn)² for 4r²/(λn)²',
    subject: { stabilityBound: (run) => shipped.stabilityBound(run) / 4 },
    killedBy: 'lowy/minimiser-stability',
  },
  {
    id: 'O-62',
    row: 51,
    title: 'r²/(2λn) for 2r²/(λn)',
    subject: { generalisationBound: (run) => shipped.generalisationBound(run) / 4 },
    killedBy: 'lowy/minimiser-stability',
  },
  {
    id: 'O-63',
    row: 51,
    title: 'the moment is centred',
    subject: { secondMoment: centred },
    killedBy: 'lowy/minimiser-stability',
  },
  {
    id: 'O-64',
    row: 51,
    title: 'the minimiser is a quarter off',
    subject: { kinkedMinimiser: (problem) => Math.round(shipped.kinkedMinimiser(problem) * 4) / 4 },
    killedBy: 'lowy/minimiser-stability',
  },
  {
    id: 'O-65',
    row: 52,
    title: 'half of the bound',
    subject: { stableGapBound: (terms) => shipped.stableGapBound(terms) / 2 },
    killedBy: 'lowy/stable-gap',
  },
  {
    id: 'O-66',
    row: 52,
    title: 'α for α²',
    subject: {
      stableGapBound: (terms) => shipped.stableGapBound({ ...terms, stability: Math.sqrt(terms.stability) }),
    },
    killedBy: 'lowy/stable-gap',
  },
  {
    id: 'O-67',
    row: 53,
    title: 'the bound lacks the distance',
    subject: { regularisedExcessBound: (run) => shipped.regularisedExcessBound({ ...run, distance: 0 }) },
    killedBy: 'lowy/regularised-excess',
  },
  {
    id: 'O-68',
    row: 53,
    title: 'λ/8 for λ/2',
    subject: {
      regularisedExcessBound: (run) => shipped.regularisedExcessBound({ ...run, distance: run.distance / 4 }),
    },
    killedBy: 'lowy/regularised-excess',
  },
  {
    id: 'O-69',
    row: 53,
    title: 'the bound lacks the moment',
    subject: { regularisedExcessBound: (run) => shipped.regularisedExcessBound({ ...run, secondMoment: 0 }) },
    killedBy: 'lowy/regularised-excess',
  },
  {
    id: 'O-70',
    row: 53,
    title: 'the moment is centred',
    subject: { secondMoment: centred },
    killedBy: 'lowy/regularised-excess',
  },
  {
    id: 'O-71',
    row: 54,
    title: 'blocks are of one size',
    subject: {
      stronglyConvexBlocks: (n) => {
        const sizes = shipped.stronglyConvexBlocks(n);
        return sizes.map(() => sizes[0]);
      },
    },
    killedBy: 'lowy/wrapper-blocks',
  },
  {
    id: 'O-72',
    row: 54,
    title: 'blocks are twice as large',
    subject: { stronglyConvexBlocks: (n) => shipped.stronglyConvexBlocks(n).map((size) => 2 * size) },
    killedBy: 'lowy/wrapper-blocks',
  },
  {
    id: 'O-73',
    row: 54,
    title: 'E_j lacks its square',
    subject: { blockError: (block) => Math.sqrt(shipped.blockError(block)) },
    killedBy: 'lowy/wrapper-blocks',
  },
  {
    id: 'O-74',
    row: 54,
    title: 'Eq. 58 lacks a root',
    subject: { nextBlockGap: ({ error, gap }) => error * gap },
    killedBy: 'lowy/wrapper-blocks',
  },
  {
    id: 'O-75',
    row: 54,
    title: 'the averaged moment has equal weights',
    subject: {
      averagedMoment: (moments) =>
        Math.sqrt(Array.from(moments).reduce((sum, moment) => sum + moment ** 2 / moments.length, 0)),
    },
    killedBy: 'lowy/wrapper-blocks',
  },
  {
    id: 'O-76',
    row: 54,
    title: 'the printed block is the right one, so that there is nothing to refute',
    subject: { printedNextBlock: shipped.nextBlock },
    killedBy: 'lowy/wrapper-blocks-printed',
  },
  {
    id: 'O-77',
    row: 55,
    title: 'the decrease is half',
    subject: { proximalDecrease: (terms) => shipped.proximalDecrease(terms) / 2 },
    killedBy: 'lowy/proximal-pl-class',
  },
  {
    id: 'O-78',
    row: 55,
    title: 'the decrease lacks β',
    subject: { proximalDecrease: ({ least }) => -least },
    killedBy: 'lowy/proximal-pl-class',
  },
  {
    id: 'O-79',
    row: 55,
    title: 'there is no proximal map',
    subject: { proximalSgd: flawedProximal('none') },
    killedBy: 'lowy/proximal-pl-class',
  },
  {
    id: 'O-80',
    row: 56,
    title: 'L_h/(4β) for L_h/(2β)',
    subject: { proximalShift: (terms) => shipped.proximalShift(terms) / 2 },
    killedBy: 'lowy/proximal-perturbation',
  },
  {
    id: 'O-81',
    row: 56,
    title: '‖u‖²/(8β) for ‖u‖²/(4β)',
    subject: { proximalCost: (terms) => shipped.proximalCost(terms) / 2 },
    killedBy: 'lowy/proximal-perturbation',
  },
  {
    id: 'O-82',
    row: 56,
    title: 'the proximal map has step size 1',
    subject: { proximalSgd: flawedProximal('unit') },
    killedBy: 'lowy/proximal-perturbation',
  },
  {
    id: 'O-83',
    row: 57,
    title: 'half steps contract like whole ones',
    subject: {
      proximalPlStepBound: (step) =>
        shipped.proximalPlStepBound(step) - (step.convexity * step.gap) / (2 * step.smoothness),
    },
    killedBy: 'lowy/proximal-pl-step',
  },
  {
    id: 'O-84',
    row: 57,
    title: 'whole steps pay for an error like half ones',
    subject: {
      proximalPlStepBound: (step) =>
        shipped.proximalPlStepBound(
          step.stepSize === 'half' ? step : { ...step, error: step.error / Math.SQRT2 },
        ),
    },
    killedBy: 'lowy/proximal-pl-step',
  },
  {
    id: 'O-85',
    row: 57,
    title: 'the proximal map comes before the gradient',
    subject: { proximalSgd: flawedProximal('before') },
    killedBy: 'lowy/proximal-pl-step',
  },
  {
    id: 'O-86',
    row: 57,
    title: 'Eq. 65 is wide enough, so that there is nothing to refute',
    subject: { printedModelBound: ({ least, error, smoothness }) => least + (4 * error ** 2) / smoothness },
    killedBy: 'lowy/proximal-model-printed',
  },
  {
    id: 'O-87',
    row: 58,
    title: 'the sharper bound has a tenth less of the error',
    subject: {
      proximalPlExcessRisk: (run, schedule) =>
        shipped.proximalPlExcessRisk(
          schedule === 'printed'
            ? run
            : { ...run, variance: 0.9 * run.variance, bias: run.bias * Math.sqrt(0.9) },
          schedule,
        ),
    },
    killedBy: 'lowy/proximal-pl-bound',
  },
  {
    id: 'O-88',
    row: 58,
    title: 'half of the noise that privacy asks for',
    subject: { stepNoise: shipped.printedStepNoise },
    killedBy: 'lowy/proximal-pl-bound',
  },
  {
    id: 'O-89',
    row: 58,
    title: 'the printed noise is what privacy asks for, so that there is nothing to refute',
    subject: { printedStepNoise: shipped.stepNoise },
    killedBy: 'lowy/proximal-noise-printed',
  },
  {
    id: 'O-90',
    row: 58,
    title: 'Proposition 46 has 4 times the root of the error',
    subject: {
      proximalPlExcessRisk: (run, schedule) =>
        shipped.proximalPlExcessRisk(
          schedule === 'printed' ? { ...run, variance: Math.sqrt(run.variance) } : run,
          schedule,
        ),
    },
    killedBy: 'lowy/proximal-pl-bound',
  },
  {
    id: 'O-91',
    row: 59,
    title: 'accelerated steps go through the records twice',
    subject: { noisyClippedAcSa: twice(shipped.noisyClippedAcSa) },
    killedBy: 'lowy/gradient-counts',
  },
  {
    id: 'O-92',
    row: 59,
    title: 'a plan counts one gradient less',
    subject: {
      noisyClippedSgd: ownPlan(shipped.noisyClippedSgd, ({ gradients }) => ({ gradients: gradients - 1 })),
    },
    killedBy: 'lowy/gradient-counts',
  },
  {
    id: 'O-93',
    row: 59,
    title: 'the localized method runs twice',
    subject: { localizedSubgradient: twice(shipped.localizedSubgradient) },
    killedBy: 'lowy/gradient-counts',
  },
  {
    id: 'O-94',
    row: 59,
    title: 'full passes run twice',
    subject: { noisyClippedSubgradient: twice(shipped.noisyClippedSubgradient) },
    killedBy: 'lowy/gradient-counts',
  },
  {
    id: 'O-96',
    row: 39,
    title: 'the printed bound has the diameter after all, so that there is nothing to refute',
    subject: {
      acSaExcessRisk: (run, schedule) =>
        shipped.acSaExcessRisk({ ...run, diameter: Math.max(2, run.diameter) }, schedule),
    },
    killedBy: 'lowy/ac-sa-diameter-printed',
  },
];
