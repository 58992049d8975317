import ledger from '@lethe/algorithms/recursive-gradients/claims.json' with { type: 'json' };
import type { Program, PublicPlan, Run, Vector } from '@lethe/core';
import { recursiveGradientsChecks } from '../../src/recursive-gradients/index.js';
import {
  recursiveGradientsSubject as shipped,
  type RecursiveGradientsSubject,
} from '../../src/recursive-gradients/subject.js';
import { altered, moved, withMembers, type Change } from '../altered-runs.js';
import { testRows, type Mutant } from '../rows.js';

type Subject = RecursiveGradientsSubject;
const mutant = (
  row: number,
  title: string,
  killedBy: string,
  subject: Partial<Subject>,
  part = '',
): Mutant<Subject> => ({
  id: `choquette-choo-${row}${part}`,
  title,
  row,
  subject,
  killedBy: `choquette-choo/${killedBy}`,
});

const srgd = (change: Change): Partial<Subject> => ({
  acceleratedDpSrgd: altered(shipped.acceleratedDpSrgd, change),
});
const online = (change: (plan: PublicPlan & { readonly clipNorm: number }) => object): Partial<Subject> => ({
  onlineToBatch: altered(shipped.onlineToBatch, {
    plan: (plan) => change(plan as PublicPlan & { readonly clipNorm: number }),
  }),
});
/** Points that are asked about are `factor` times as far from 0. */
const scaled = (factor: number): Partial<Subject> =>
  srgd({ terms: (terms) => moved(terms, (one) => factor * one) });
const heavier = (by: number): Partial<Subject> =>
  srgd({ terms: (terms) => terms.map(({ weight, at }) => ({ at, weight: weight + by })) });
const times = (factor: number): Partial<Subject> => ({
  noiseOfSums: (stream, rounds) => {
    const { deviations, worst } = shipped.noiseOfSums(stream, rounds);
    return { deviations: deviations.map((one) => one * factor), worst: worst * factor };
  },
});
const profile = (factor: number): Partial<Subject> => ({
  gdp: {
    ...shipped.gdp,
    delta: (event, query) => {
      const found = shipped.gdp.delta(event, query);
      return { ...found, upper: found.upper * factor };
    },
  },
});
const tree = (change: Partial<Subject['binaryTree']>): Partial<Subject> => ({
  binaryTree: withMembers(shipped.binaryTree, change),
});
type Found = NonNullable<ReturnType<Subject['scheduleOf']>>;
const scheduled = (change: (found: Found, slots: number) => Partial<Found>): Partial<Subject> => ({
  scheduleOf: (facts, asked) => {
    const found = shipped.scheduleOf(facts, asked);
    return found && { ...found, ...change(found, facts.slots) };
  },
});
const constant = (factor: number): Partial<Subject> => ({
  privacyConstant: (slots, delta) => factor * shipped.privacyConstant(slots, delta),
});
const likely = (factor: number): Partial<Subject> => ({
  likelyRisk: (...given) => factor * shipped.likelyRisk(...given),
});
const risk = (factor: number): Partial<Subject> => ({
  riskAfter: (...given) => factor * shipped.riskAfter(...given),
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
/** Every run asks elsewhere than the one before, and ends elsewhere. */
const restless = (): Partial<Subject> => {
  let runs = 0;
  return srgd({
    terms: (terms, t) => moved(terms, (one) => one + 0.1 * (t === 0 ? ++runs : runs)),
    output: (output) => output.map((one) => one + 0.1 * runs),
  });
};
type Sensitivity = ReturnType<Subject['descentSensitivity']>;
const lessOf = (sensitivity: Sensitivity, factor: number): Sensitivity =>
  Object.fromEntries(Object.entries(sensitivity).map(([name, value]) => [name, (value ?? NaN) * factor]));
const lessSensitive = (factor: number): Partial<Subject> => ({
  descentSensitivity: (released) => lessOf(shipped.descentSensitivity(released), factor),
});
/** A snowball whose steps all have as many records. */
const evenBatches: Partial<Subject> = {
  snowballSgd: altered(shipped.snowballSgd, {
    plan: (plan) => {
      const { alike } = plan as PublicPlan & { readonly alike: readonly { readonly batchSize: number }[] };
      return { alike: alike.map((one) => ({ ...one, batchSize: alike[0].batchSize })) };
    },
  }),
};
/** Every descent is asked twice. */
function* twice(inner: Program<Vector>): Program<Vector> {
  let step = inner.next(null as never);
  while (step.done !== true) {
    if (step.value.ask === 'descend') yield step.value;
    step = inner.next(yield step.value);
  }
  return step.value;
}
const halfWeights: Partial<Subject> = { stepWeight: (t) => (t + 1) / 2 };
const { l2Ball } = shipped;

testRows<Subject>({
  paper: 'choquette-choo',
  rows: [1, 89],
  checksOf: (replaced) => recursiveGradientsChecks(replaced),
  spared: (id) => id.endsWith('-printed'),
  shippedBy: { subject: shipped, ledger },
  mutants: [
    mutant(1, 'weights are t', 'weights', { stepWeight: (t) => t }),
    mutant(2, 'weights are one too large', 'recursion', heavier(1)),
    mutant(
      3,
      'the earlier point is the one before it',
      'telescoping',
      srgd({
        terms: (terms, t, before) => (t < 2 ? terms : [terms[0], { ...terms[1], at: before[t - 2][0].at }]),
      }),
    ),
    mutant(4, 'weights are one too large', 'linear-losses', heavier(1)),
    mutant(5, 'weights are one too large', 'quadratic-losses', heavier(1)),
    mutant(6, 'weights are one too large', 'error-identity', heavier(1)),
    mutant(7, 'weights are one too large', 'error-variance', heavier(1)),
    mutant(8, 'errors fall with B', 'sampling-error', {
      likelySamplingError: (run, ...rest) =>
        shipped.likelySamplingError(run, ...rest) / Math.sqrt(run.batchSize),
    }),
    mutant(9, '2 ln(6/γ)', 'hayes', {
      likelySamplingError: (...given) => Math.sqrt(2 / 3) * shipped.likelySamplingError(...given),
    }),
    mutant(10, 'points are nearer to 0', 'coupling', scaled(0.9)),
    mutant(11, 'projections go halfway to the centre', 'projections', {
      l2Ball: (given) => {
        const ball = l2Ball(given);
        return {
          ...ball,
          projectInto: (out, point) => {
            ball.projectInto(out, point);
            for (let j = 0; j < out.length; j++) out[j] /= 2;
            return out;
          },
        };
      },
    }),
    mutant(12, 'weights are half as large', 'projection-gap', halfWeights),
    mutant(13, 'points are asked about elsewhere', 'potential', scaled(-1)),
    mutant(14, 'points are asked about elsewhere', 'drop-with-gradients', scaled(-1)),
    mutant(15, 'β for all scales', 'drop-by-errors', { potentialDrop: ({ beta }) => 4 * beta }),
    mutant(16, 'points are asked about elsewhere', 'lemma-4', scaled(-1)),
    mutant(17, 'half of the bound', 'risk-certificate', risk(0.5)),
    mutant(18, 'twice the bound', 'noise-free-rate', risk(2)),
    mutant(19, 'half of the smoothness', 'self-bounding', {
      logistic: withMembers(shipped.logistic, {
        facts: (...given: Parameters<Subject['logistic']['facts']>) => {
          const facts = shipped.logistic.facts(...given);
          const { smoothness } = facts;
          return smoothness === undefined
            ? facts
            : { ...facts, smoothness: { ...smoothness, value: smoothness.value / 2 } };
        },
      }),
    }),
    mutant(20, 'points are asked about elsewhere', 'lemma-5', scaled(-3)),
    mutant(21, 'weights are one too large', 'difference-by-steps', heavier(1)),
    mutant(22, 'points are twice as far', 'displacement', scaled(2)),
    mutant(23, 'points are asked about elsewhere', 'mirror-gap', scaled(-4)),
    mutant(
      24,
      'steps are a hundred times as long',
      'lemma-11',
      srgd({ answer: (told) => told.map((one) => 100 * one) }),
    ),
    mutant(
      25,
      'steps are two thousand times as long',
      'lemma-11-constant',
      srgd({ answer: (told) => told.map((one) => 2000 * one) }),
    ),
    mutant(26, 'half of it', 'literal-clip', { literalClip: (given) => shipped.literalClip(given) / 2 }),
    mutant(27, 'a constant without its first factor', 'base-region', constant(1 / (4 * Math.SQRT2))),
    mutant(28, 'a constant without its first factor', 'closing', constant(1 / (4 * Math.SQRT2))),
    mutant(29, 'the start is outside the domain', 'start-gradient', scaled(9)),
    mutant(
      30,
      'half of the step',
      'equation-19',
      scheduled(({ beta }) => ({ beta: beta / 2 })),
    ),
    mutant(31, 'sums up to t', 'power-sums', { powerSum: (t, power) => shipped.powerSum(t + 1, power) }),
    mutant(
      32,
      'variances of one node more',
      'tree',
      tree({ variance: (...given) => shipped.binaryTree.variance(...given) + 1 }),
    ),
    mutant(
      33,
      'lower nodes are not replaced',
      'tree-stream',
      tree({
        begin: () => {
          let row = 0;
          return { nextInto: (out, noise) => noise(row++, out) };
        },
      }),
    ),
    mutant(
      34,
      'every sum has noise of its own',
      'tree-covariance',
      tree({
        begin: (_params, { dimension }) => {
          let row = 0;
          const before = new Float64Array(dimension);
          return {
            nextInto: (out, noise) => {
              noise(row++, out);
              const now = out.slice();
              for (let j = 0; j < out.length; j++) out[j] -= before[j];
              before.set(now);
            },
          };
        },
      }),
    ),
    mutant(
      35,
      'a vector for every step',
      'tree-memory',
      tree({ vectorsKept: (_params, { steps }) => steps }),
    ),
    mutant(36, 'no second term', 'gaussian-norms', { likelyNorm: (dimension) => Math.sqrt(dimension) }),
    mutant(37, 'ten times the noise', 'lemma-8', times(10)),
    mutant(
      38,
      'bits in place of the chain',
      'tree-sensitivity',
      tree({ columnNorm: (_params, { steps }) => Math.sqrt(Math.floor(Math.log2(steps + 1))) }),
    ),
    mutant(39, 'a profile that is a part in a thousand larger', 'gaussian-profile', profile(1.001)),
    mutant(
      40,
      'twice the clip norm',
      'replay',
      srgd({ params: ({ clipNorm }) => ({ clipNorm: 2 * Number(clipNorm) }) }),
    ),
    mutant(41, 'a tenth less noise', 'loss-of-noise', times(0.9)),
    mutant(42, 'a tenth less noise', 'best-attack', times(0.9)),
    mutant(43, 'a profile ten thousand times as large', 'corollary-9', profile(1e4)),
    mutant(44, 'a tenth less noise', 'corollary-13', times(0.9)),
    mutant(45, 'a profile that is a twentieth larger', 'classical-noise', profile(1.05)),
    mutant(46, 'a tenth less noise', 'noise-law', times(0.9)),
    mutant(
      47,
      'a larger clip norm',
      'corollary-12',
      scheduled(({ clipNorm }) => ({ clipNorm: 1.1 * clipNorm })),
    ),
    mutant(
      48,
      'nine tenths of the step',
      'premise-of-14',
      scheduled(({ beta }) => ({ beta: 0.9 * beta })),
    ),
    mutant(
      49,
      'batches of n^0.6',
      'terms-of-14',
      scheduled((_found, n) => ({ rounds: Math.round(n ** 0.4), batchSize: Math.round(n ** 0.6) })),
    ),
    mutant(50, 'a hundredth of the bound', 'theorem-1', risk(0.01)),
    mutant(51, 'a tenth of the bound', 'likely-risk', likely(0.1)),
    mutant(52, 'no Lipschitz constant', 'closure', {
      neededClips: (run, errors) => shipped.neededClips(run, errors).map((one) => one - run.lipschitz),
    }),
    mutant(
      53,
      'two gradients in the first batch',
      'gradient-count',
      srgd({ terms: (terms, t) => (t === 0 ? [terms[0], { ...terms[0], weight: 0 }] : terms) }),
    ),
    mutant(54, 'a third of the clip norm', 'no-convexity', {
      certifiedClip: (...given) => (shipped.certifiedClip(...given) ?? 0) / 3,
    }),
    mutant(55, 'gradients far away', 'independent-errors', {
      acceleratedDpSgd: altered(shipped.acceleratedDpSgd, {
        terms: (terms) => moved(terms, (one) => 1000 * one),
      }),
    }),
    mutant(56, 'independent batches', 'unaccelerated-variance', {
      recursiveDpSgd: altered(shipped.recursiveDpSgd, { terms: (terms) => [terms[0]] }),
    }),
    mutant(57, 'weights are half as large', 'gradient-size', halfWeights),
    mutant(
      58,
      'answers are larger by one',
      'null-record',
      curator((told) => told.map((one) => one + 1)),
    ),
    mutant(59, 'runs end elsewhere', 'post-processing', restless()),
    mutant(60, 'the fourth root', 'trivial-regime', {
      privateRate: (records, dimension, epsilon) => dimension ** 0.25 / (epsilon * records),
    }),
    mutant(
      61,
      'a tenth less noise',
      'plan-is-run',
      curator((told) => told.map((one) => 0.9 * one)),
    ),
    mutant(
      62,
      'twice the clip norm',
      'listing',
      srgd({ params: ({ clipNorm }) => ({ clipNorm: 2 * Number(clipNorm) }) }),
    ),
    mutant(62, 'mirror scale 1', 'listing', srgd({ params: () => ({ zScale: 1 }) }), 'b'),
    mutant(63, 'mirror scale 1', 'halved-weights', srgd({ params: () => ({ zScale: 1 }) })),
    mutant(64, 'half of the bound', 'theorem-3', {
      expectedRisk: (...given) => shipped.expectedRisk(...given) / 2,
    }),
    mutant(
      64,
      'noise that is never larger than likely',
      'theorem-3',
      {
        riskOf: (facts, ...given) => {
          const found = shipped.riskOf(facts, ...given);
          const failing = (facts.lipschitz * facts.diameter) / facts.slots;
          return found && { ...found, bound: found.bound - failing };
        },
      },
      'b',
    ),
    mutant(65, 'half of the bound', 'theorem-14', likely(0.5)),
    mutant(66, 'a bound without its constants', 'theorem-10', likely(1e-6)),
    mutant(67, 'a bound without its constants', 'theorem-2', likely(1e-3)),
    mutant(68, 'half of it', 'lemma-6-constant', {
      closingConstant: (c2) => shipped.closingConstant(c2) / 2,
    }),
    mutant(69, 'a constant without its first factor', 'noise-constant', constant(1 / (4 * Math.SQRT2))),
    mutant(70, 'no 1/(1 − θ)', 'certified-clip', {
      differenceBound: ({ lipschitz, smoothness, diameter }, noise) =>
        smoothness * noise + 2 * smoothness * diameter + lipschitz,
    }),
    mutant(71, 'runs ask elsewhere', 'reach-of-a-record', restless()),
    mutant(
      72,
      'a tree of one level more',
      'noise-on-increments',
      tree({ variance: (...given) => shipped.binaryTree.variance(...given) + 1 }),
    ),
    mutant(73, 'no root', 'batch-sizes', {
      privateRate: (records, dimension, epsilon) => dimension / (epsilon * records),
    }),
    mutant(74, 'a tenth of the bound', 'theorem-15', {
      acceleratedDpSgd: altered(shipped.acceleratedDpSgd, {
        plan: ({ utility }) => ({ utility: utility && { ...utility, bound: utility.bound / 10 } }),
      }),
    }),
    mutant(75, 'noise that is always the same', 'cost-of-independence', {
      acceleratedDpSgd: altered(shipped.acceleratedDpSgd, { params: () => ({ noiseMultiplier: 1 }) }),
    }),
    mutant(76, 'the power 1/3', 'carmon', {
      carmonGradients: (records, dimension, epsilon) => records + (records * dimension) ** (1 / 3) / epsilon,
    }),
    mutant(77, 'one loss for all records', 'footnote-1-printed', { oppositeSlopes: () => [0, 0] }),
    mutant(
      78,
      'one gradient a record',
      'table-1',
      srgd({ plan: ({ gradients }) => ({ gradients: Math.ceil(gradients / 2) }) }),
    ),
    mutant(
      78,
      'a clip norm of L + MD',
      'table-1',
      online((plan) => ({ clipNorm: (2.5 / 3.5) * plan.clipNorm })),
      'b',
    ),
    mutant(
      78,
      'sampling errors that do not add up',
      'table-1',
      online(({ utility }) => ({ utility: utility && { ...utility, bound: 0.95 * utility.bound } })),
      'c',
    ),
    mutant(
      78,
      'a bound on the whole space',
      'table-1',
      online(({ utility }) => ({ utility: utility ?? { bound: 1, source: 'a fact' } })),
      'd',
    ),
    mutant(79, 'a constant without its first factor', 'closing-repaired', constant(1 / (4 * Math.SQRT2))),
    mutant(80, 'a tenth less', 'pass-stability', lessSensitive(0.9)),
    mutant(80, 'steps that count twice', 'pass-stability', lessSensitive(2), '-more'),
    mutant(81, 'a tenth less', 'phased-minimisers', {
      minimiserSensitivity: (released) => lessOf(shipped.minimiserSensitivity(released), 0.9),
    }),
    mutant(82, 'a tenth less', 'snowball-schedule', lessSensitive(0.9)),
    mutant(82, 'batches of one size', 'snowball-schedule', evenBatches, '-even'),
    mutant(83, 'averages of all points with one weight', 'online-averages', {
      onlineToBatch: altered(shipped.onlineToBatch, {
        terms: (terms, t) => terms.map(({ weight, at }) => ({ weight: weight / (t + 1), at })),
      }),
    }),
    mutant(84, 'two gradients a record', 'hidden-pass-counts', {
      phasedSgd: altered(shipped.phasedSgd, { plan: ({ gradients }) => ({ gradients: 2 * gradients }) }),
    }),
    mutant(86, 'batches of all records', 'localised-gradients', {
      localizedAcSa: altered(shipped.localizedAcSa, {
        plan: (plan) => {
          const { phases } = plan as PublicPlan & {
            readonly phases: readonly { readonly records: number }[];
          };
          return {
            phases: phases.map((one) => ({ ...one, sampler: { params: { size: one.records } } })),
          };
        },
      }),
    }),
    mutant(85, 'twice on each phase', 'hidden-passes-run', {
      phasedSgd: withMembers(shipped.phasedSgd, {
        prepare: (context: Parameters<Subject['phasedSgd']['prepare']>[0]): Run => {
          const run = shipped.phasedSgd.prepare(context);
          return { ...run, steps: (given) => twice(run.steps(given)) };
        },
      }),
    }),
    mutant(87, 'points are nearer to 0', 'unaccelerated-listing', {
      recursiveDpSgd: altered(shipped.recursiveDpSgd, {
        terms: (terms) => moved(terms, (one) => 0.9 * one),
      }),
    }),
    mutant(88, 'a clip norm of a tenth less', 'unaccelerated-numbers', {
      recursiveDpSgd: altered(shipped.recursiveDpSgd, {
        plan: (plan) => ({ clipNorm: 0.9 * (plan as PublicPlan & { readonly clipNorm: number }).clipNorm }),
      }),
    }),
    mutant(89, 'a hundredth less', 'noise-of-means', {
      acceleratedDpSgd: altered(shipped.acceleratedDpSgd, {
        plan: ({ utility }) => ({ utility: utility && { ...utility, bound: 0.99 * utility.bound } }),
      }),
    }),
  ],
});
