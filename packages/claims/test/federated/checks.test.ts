import ledger from '@lethe/algorithms/federated/claims.json' with { type: 'json' };
import type { Answered, Mechanism, PublicPlan, Query, Vector } from '@lethe/core';
import { addWords } from '@lethe/mechanisms';
import type { Domain } from '@lethe/numerics';
import { federatedChecks } from '../../src/federated/index.js';
import { federatedSubject as shipped, type FederatedSubject } from '../../src/federated/subject.js';
import { altered, moved, withMembers, type Change } from '../altered-runs.js';
import { testRows, type Mutant } from '../rows.js';

type Subject = FederatedSubject;
const mutant = (
  row: number,
  title: string,
  killedBy: string,
  subject: Partial<Subject>,
): Mutant<Subject> => ({
  id: `reshef-levy-${row}`,
  title,
  row,
  subject,
  killedBy: `reshef-levy/${killedBy}`,
});
const run = (change: Change): Partial<Subject> => ({ dpMu2Sgd: altered(shipped.dpMu2Sgd, change) });
const heavier = run({ terms: (terms) => terms.map(({ weight, at }) => ({ at, weight: weight + 1 })) });
const longer = run({ terms: (terms) => terms.map(({ weight, at }) => ({ at, weight: 3 * weight })) });
/** Points that are asked about are `factor` times as far from 0. */
const scaled = (factor: number): Partial<Subject> =>
  run({ terms: (terms) => moved(terms, (one) => factor * one) });
const stale = run({
  terms: (terms, t, before) => (t < 2 ? terms : [terms[0], { ...terms[1], at: before[t - 2][0].at }]),
});
const steps = (factor: number): Partial<Subject> =>
  run({ params: ({ stepSize }) => ({ stepSize: factor * Number(stepSize) }) });
const noise = (factor: number): Partial<Subject> => ({
  noiseOfSums: (stream, rounds) => {
    const { deviations, worst } = shipped.noiseOfSums(stream, rounds);
    return { deviations: deviations.map((one) => one * factor), worst: worst * factor };
  },
});
const curator = (change: (told: Vector) => Vector): Partial<Subject> => ({
  centralCurator: (options) => {
    const inner = shipped.centralCurator(options);
    return {
      ...inner,
      answer: (index, query) => {
        const said = inner.answer(index, query);
        return query.ask === 'push' ? { ...said, answer: change(said.answer as Vector) } : said;
      },
    };
  },
});
const factsOf = (loss: 'logistic' | 'softmax', name: 'lipschitz' | 'smoothness'): Partial<Subject> => ({
  [loss]: withMembers(shipped[loss], {
    facts: (...given: never[]) => {
      const facts = (shipped[loss].facts as (...all: never[]) => Record<string, { readonly value: number }>)(
        ...given,
      );
      return { ...facts, [name]: { ...facts[name], value: facts[name].value / 2 } };
    },
  }),
});
/** The set, with projections that go halfway to 0. */
const halfway = <Set extends Domain>(set: Set): Set => ({
  ...set,
  projectInto: (out, point) => {
    set.projectInto(out, point);
    for (let j = 0; j < out.length; j++) out[j] /= 2;
    return out;
  },
});
let runs = 0;
const restless = run({ output: (output) => output.map((one) => one + 0.1 * ++runs) });
let answers = 0;
const earlier: Partial<Subject> = {
  incrementBound: (constants, clip, t) => shipped.incrementBound(constants, clip, Math.max(1, t - 1)),
};
/** A server whose noise is twice as large. */
const louder: Partial<Subject> = {
  trustedFederation: (options) =>
    shipped.trustedFederation({
      ...options,
      registry: options.registry.map((plugin) =>
        plugin.name === 'gaussian' && plugin.kind === 'mechanism'
          ? withMembers(plugin as Mechanism, {
              addNoise: (params: never, out: Vector, scale: number, randomness: never) =>
                (plugin as Mechanism).addNoise(params, out, 2 * scale, randomness),
            })
          : plugin,
      ),
    }),
};
/** A federation in which all silos say what the first one says. */
const parroting: Partial<Subject> = {
  federation: (options) => {
    let first: unknown;
    return shipped.federation({
      ...options,
      silos: options.silos.map((silo, i) => ({
        ...silo,
        answer: (index: number, query: Query) => {
          const said = silo.answer(index, query) as Answered;
          if (!(said.answer instanceof Float64Array)) return said as never;
          if (i === 0) first = said.answer.slice();
          return { ...said, answer: (first as Vector).slice() } as never;
        },
      })),
    });
  },
};
/** A federation whose weights are equal, whatever it is told. */
const equal: Partial<Subject> = {
  federation: ({ silos }) => shipped.federation({ silos }),
};
let shared = 0;
/** The step of the plan on four silos of 1024 records. */
const usualStep = 1.456e-4;

testRows<Subject>({
  paper: 'reshef-levy',
  rows: [1, 80],
  checksOf: (replaced) => federatedChecks(replaced),
  spared: (id) => id.endsWith('-printed'),
  shippedBy: { subject: shipped, ledger },
  mutants: [
    mutant(1, 'weights are t + 1', 'weights', {
      incrementTerms: (t, state) => shipped.incrementTerms(t + 1, state),
    }),
    mutant(2, 'points are nearer to 0', 'averages', scaled(0.9)),
    mutant(3, 'points are nearer to 0', 'step-identity', scaled(0.9)),
    mutant(4, 'projections go halfway to the centre', 'projections', {
      l2Ball: (given) => halfway(shipped.l2Ball(given)),
    }),
    mutant(5, 'weights are one too large', 'momentum', heavier),
    mutant(6, 'the earlier point is the one before it', 'sum-of-increments', stale),
    mutant(7, 'the earlier point is the one before it', 'errors-of-sums', stale),
    mutant(8, 'the earlier point is the one before it', 'telescoping', stale),
    mutant(9, 'weights are one too large', 'quadratic-sums', heavier),
    mutant(10, 'weights are one too large', 'linear-sums', heavier),
    mutant(11, 'weights are one too large', 'general-quadratics', heavier),
    mutant(12, 'a radius of G + 1.9LD', 'lemma-4', {
      incrementRadius: ({ lipschitz, smoothness, diameter }) => lipschitz + 1.9 * smoothness * diameter,
    }),
    mutant(13, 'the bound of the round before', 'lemma-4-by-round', earlier),
    mutant(14, 'the bound of the round before', 'lemma-4-attained', earlier),
    mutant(15, 'half of the smoothness', 'gradient-bounds', factsOf('logistic', 'smoothness')),
    mutant(16, 'gradients of the other sign', 'convexity', {
      softmax: withMembers(shipped.softmax, {
        gradientInto: (params: never, out: Vector, at: Vector, record: never) => {
          shipped.softmax.gradientInto(params, out, at, record);
          for (let j = 0; j < out.length; j++) out[j] = -out[j];
        },
      }),
    }),
    mutant(17, 'half of the Lipschitz constant', 'implied-variances', factsOf('softmax', 'lipschitz')),
    mutant(18, 'weights are one too large', 'martingale', heavier),
    mutant(19, 'weights are one too large', 'unbiased', heavier),
    mutant(20, 'weights are one too large', 'conditional-bias', heavier),
    mutant(21, 'weights are one too large', 'lemma-6', heavier),
    mutant(22, 'three times the gradients', 'lemma-4-variance', longer),
    mutant(23, 'three times the gradients', 'lemma-5', longer),
    mutant(24, 'weights are one too large', 'lemma-5-equality', heavier),
    mutant(25, 'one sample for all silos', 'errors-of-silos', parroting),
    mutant(26, 'three times the gradients', 'error-of-momentum', longer),
    mutant(27, 'the earlier point is the one before it', 'frozen-transcript', stale),
    mutant(28, 'half of the radius', 'sensitivity', {
      incrementRadius: (...given) => shipped.incrementRadius(...given) / 2,
    }),
    mutant(29, 'the bound of the round before', 'tight-sensitivity', earlier),
    mutant(30, 'no 1/2', 'lemma-1', {
      gaussianDivergence: (...given) => 2 * shipped.gaussianDivergence(...given),
    }),
    mutant(31, 'an order more', 'renyi-divergence', {
      renyi: (alpha, P, Q) => shipped.renyi(alpha + 1, P, Q),
    }),
    mutant(32, 'another map for another law', 'post-processing', {
      mapped: (P, rows) => shipped.mapped(P, P[0] > 0.4 ? rows : rows.map((row) => row.toReversed())),
    }),
    mutant(33, 'the average of the second', 'composition', {
      composedBound: (first, seconds) => first + seconds.reduce((sum, one) => sum + one, 0) / seconds.length,
    }),
    mutant(34, 'ln(1/δ)/α', 'lemma-2', {
      converted: (alpha, divergence, delta) => divergence + Math.log(1 / delta) / alpha,
    }),
    mutant(35, 'no root', 'lemma-2-all-orders', {
      printedEpsilon: (level, delta) => level ** 2 / 2 + level * 2 * Math.log(1 / delta),
    }),
    mutant(36, 'the level of small budgets', 'level-of-budget', {
      printedLevel: ({ epsilon, delta }) => epsilon / Math.sqrt(2 * Math.log(1 / delta)),
    }),
    mutant(37, 'a tenth less noise', 'noise-of-a-round', noise(0.9)),
    mutant(38, 'a hundredth less noise', 'linear-equality', noise(0.99)),
    mutant(39, 'a round less', 'exact-level', {
      exactLevel: (rounds, ...rest) => shipped.exactLevel(rounds - 1, ...rest),
    }),
    mutant(
      40,
      'sums that silos share',
      'silos-apart',
      curator((told) => told.map((one) => one + 1e-3 * (shared += one))),
    ),
    mutant(41, 'twice the noise of a trusted server', 'noise-of-servers', louder),
    mutant(
      42,
      'a tenth less noise',
      'noise-law',
      curator((told) => told.map((one) => 0.9 * one)),
    ),
    mutant(
      43,
      'half of a message',
      'messages-with-noise',
      curator((told) => told.map((one) => one / 2)),
    ),
    mutant(44, 'points on the other side', 'anytime', scaled(-1)),
    mutant(45, 'twice the step', 'projected-steps', steps(2)),
    mutant(46, 'twice the step', 'first-order', steps(2)),
    mutant(47, 'projections go halfway to the centre', 'lemma-10', {
      box: (given) => halfway(shipped.box(given)),
    }),
    mutant(48, 'B in place of 2B', 'lemma-11', { absorbed: (rest) => rest }),
    mutant(49, 'ten times the step', 'master', steps(10)),
    mutant(
      50,
      'half of the bound',
      'risk-bound',
      run({ plan: ({ utility }) => ({ utility: utility && { ...utility, bound: utility.bound / 2 } }) }),
    ),
    mutant(51, 'twice the noise', 'rate', noise(2)),
    mutant(52, 'twice the noise of a trusted server', 'rate-in-silos', louder),
    mutant(
      53,
      'steps that grow with their cube',
      'steps-of-silos',
      run({
        params: ({ stepSize }) =>
          stepSize === undefined ? {} : { stepSize: Number(stepSize) ** 3 / usualStep ** 2 },
      }),
    ),
    mutant(54, 'runs end elsewhere', 'from-messages', restless),
    mutant(
      55,
      'two gradients in the first round',
      'gradient-count',
      run({ terms: (terms, t) => (t === 0 ? [terms[0], { ...terms[0], weight: 0 }] : terms) }),
    ),
    mutant(56, 'half of the weight of the point before', 'missed-rounds', {
      incrementTerms: (t, state, last) =>
        shipped
          .incrementTerms(t, state, last)
          .map(({ weight, at }, k) => ({ at, weight: k === 1 && last !== undefined ? weight / 2 : weight })),
    }),
    mutant(57, 'twice the noise of a trusted server', 'one-machine', louder),
    mutant(58, 'twice the step', 'no-noise', steps(2)),
    mutant(59, 'points are three times as far', 'reach', scaled(3)),
    mutant(
      60,
      'twice the clip norm',
      'clipped-increments',
      run({ params: ({ clipNorm }) => ({ clipNorm: 2 * Number(clipNorm) }) }),
    ),
    mutant(
      61,
      'answers that depend on how many there were',
      'any-server',
      curator((told) => told.map((one) => one + 1e-3 * ++answers)),
    ),
    mutant(62, 'a tenth more for several', 't-fold', {
      gdp: {
        ...shipped.gdp,
        delta: (event, query) => {
          const found = shipped.gdp.delta(event, query);
          return event.kind === 'core/compose' ? { ...found, upper: 1.1 * found.upper } : found;
        },
      },
    }),
    mutant(63, 'a tenth more noise', 'calibration', {
      calibrate: (asked) => {
        const found = shipped.calibrate(asked);
        return { ...found, value: 1.1 * found.value };
      },
    }),
    mutant(64, 'bounds about the origin', 'centred-clip', { incrementCentre: () => null }),
    mutant(65, 'the radius of Lemma 4', 'flat-domains', {
      incrementRadius: (constants) => shipped.incrementRadius(constants, 'lemma-4'),
    }),
    mutant(66, 'equal weights', 'errors-of-unequal-silos', {
      federation: (options) => ({
        ...(equal.federation as Subject['federation'])(options),
        facts: shipped.federation(options).facts,
      }),
    }),
    mutant(
      67,
      'twice the noise',
      'batches-of-silos',
      run({ params: ({ noiseMultiplier }) => ({ noiseMultiplier: 2 * Number(noiseMultiplier) }) }),
    ),
    mutant(68, 'M in place of M − c', 'published-only', {
      publishedEvent: (event, { shares }) => shipped.publishedEvent(event, { shares, colluding: 0 }),
    }),
    mutant(69, 'a hundredth more noise', 'factorisations', noise(1.01)),
    mutant(70, 'records of an owner in slots of their own', 'owners', {
      attachData: ({ owners: given, ...rest }) =>
        shipped.attachData({
          ...rest,
          ...(given === undefined
            ? {}
            : { owners: { ...given, of: Uint32Array.from(given.of, (_, row) => row % given.slots) } }),
        }),
    }),
    mutant(71, 'k times', 'spread-owners', {
      independentPrefixes: withMembers(shipped.independentPrefixes, {
        columnNorm: (_params: object, { steps: count }: { steps: number }, { times }: { times: number }) =>
          times * Math.sqrt(count),
      }),
    }),
    mutant(72, 'twice the noise of a trusted server', 'noise-on-the-sum', louder),
    mutant(73, 'masks of pairs that are added on both sides', 'masked-sums', {
      maskedWords: (values, { silo, members, masks }) => {
        const masked = shipped.maskedWords(values, { silo, members: [silo], masks });
        for (const other of members) if (other !== silo) addWords(masked, masks.pair(silo, other), 1);
        return masked;
      },
    }),
    mutant(74, 'a threshold that does not count corrupted silos', 'one-set', {
      sumParameters: ({ silos, corrupted }) => {
        const threshold = Math.floor(silos / 2) + 1;
        return { silos, corrupted, threshold, survivors: threshold, honest: threshold - corrupted };
      },
    }),
    mutant(75, 'shares of variance σ_Z²/M', 'noise-shares', {
      noiseShare: ({ silos }, deviation) => deviation / Math.sqrt(silos),
    }),
    mutant(
      76,
      'twice the step',
      'step-size',
      run({ plan: (plan) => ({ stepSize: 2 * (plan as unknown as { stepSize: number }).stepSize }) }),
    ),
    mutant(77, 'noise on updates that leaves nothing for the counts', 'fedavg-cost', {
      noiseSplit: ({ noiseMultiplier }) => noiseMultiplier,
    }),
    {
      ...mutant(77, 'averages over all slots, though they count less', 'fedavg-cost', {
        dpFedAvg: altered(shipped.dpFedAvg, { params: () => ({ meanWeight: 1 }) }),
      }),
      id: 'reshef-levy-77-weights',
    },
    mutant(78, 'steps of a tenth more', 'comparison-plan', {
      parallelSgd: altered(shipped.parallelSgd, {
        plan: (plan) => ({ stepSize: 1.1 * (plan as PublicPlan & { readonly stepSize: number }).stepSize }),
      }),
    }),
    mutant(79, 'a result that is halfway to 0', 'comparison-listing', {
      parallelSgd: altered(shipped.parallelSgd, { output: (output) => output.map((one) => one / 2) }),
    }),
    mutant(80, 'four fifths of the bound', 'comparison-bound', {
      parallelSgd: altered(shipped.parallelSgd, {
        plan: ({ utility }) => ({ utility: utility && { ...utility, bound: 0.8 * utility.bound } }),
      }),
    }),
  ],
});
