import type { HardInstance, RiskLowerBound, Vector } from '@lethe/core';
import { defined } from '@lethe/numerics';
import { hardnessSubject as shipped, type HardnessSubject } from '../../src/heavy-tails/hardness/subject.js';
import type { Mutant } from '../rows.js';

type Subject = HardnessSubject;
type Drawn = 'nonPrivateInstance' | 'privateInstance' | 'nonPrivateMeanInstance' | 'privateMeanInstance';
const mutant = (
  row: number,
  name: string,
  title: string,
  killedBy: string,
  subject: Partial<Subject>,
): Mutant<HardnessSubject> => ({
  id: `row-${row}/${name}`,
  title,
  row,
  killedBy: `lowy/${killedBy}`,
  subject,
});
/** An instance that is changed after it is drawn. */
const redrawn = (name: Drawn, change: (drawn: HardInstance) => Partial<HardInstance>): Partial<Subject> =>
  ({
    [name]: (given: never, random: never) => {
      const drawn = (shipped[name] as (given: never, random: never) => HardInstance)(given, random);
      return { ...drawn, ...change(drawn) };
    },
  }) as Partial<Subject>;
/** A bound with a part replaced. */
const bound = <K extends 'convexLowerBound' | 'stronglyConvexLowerBound'>(
  name: K,
  change: (own: Subject[K]) => object,
): Partial<Subject> => ({ [name]: { ...shipped[name], ...change(shipped[name]) } }) as Partial<Subject>;
const withRates = (replaced: Partial<Subject['heavyTailsRates']>): Partial<Subject> => ({
  heavyTailsRates: { ...shipped.heavyTailsRates, ...replaced },
});
const rateTimes = (
  name: keyof Subject['heavyTailsRates'],
  factor: (setting: Parameters<Subject['heavyTailsRates']['convex-optimal']['value']>[0]) => number,
): Partial<Subject> =>
  withRates({
    [name]: {
      ...shipped.heavyTailsRates[name],
      value: (setting: never) => shipped.heavyTailsRates[name].value(setting) * factor(setting),
    },
  });
/** A proved value, or the part of drawn instances, times a factor. */
const heightened = (
  name: 'convexLowerBound' | 'stronglyConvexLowerBound',
  factor: (given: { readonly n: number }) => number,
  part: 'value' | 'drawn',
): Partial<Subject> =>
  bound(name, (own: RiskLowerBound) => ({
    evaluate(given: { readonly n: number }) {
      const found = own.evaluate(given);
      return found.explicit ? { ...found, [part]: factor(given) * (found[part] ?? found.value) } : found;
    },
  }));
const firstSign = (word: Vector): Vector => word.map((x) => Math.abs(x) * Math.sign(word[0]));

/**
 * For each row what makes it fail: as the table says, or, where it is silent, what is as easily done wrong.
 */
export const hardnessMutants: readonly Mutant<HardnessSubject>[] = [
  mutant(
    60,
    'gap',
    'the excess risk of signs is a hundredth too small: no equality on the sphere',
    'hard-separation',
    redrawn('nonPrivateInstance', ({ excessRisk }) => ({ excessRisk: (w) => 0.99 * excessRisk(w) })),
  ),
  mutant(
    60,
    'optimum',
    'the optimum of rare records is on the other side',
    'hard-separation',
    redrawn('privateInstance', ({ optimum }) => ({ optimum: optimum.map((x) => -x) })),
  ),
  mutant(60, 'bias', 'coins have twice the bias that the signal says', 'hard-separation', {
    bernoulliBias: (n) => 2 * shipped.bernoulliBias(n),
  }),
  mutant(61, 'first', 'the first word is taken', 'nearest-word', { nearestWord: ([word]) => word }),
  mutant(61, 'largest-entry', 'nearest by the largest entry', 'nearest-word', {
    nearestWord: (words, point) =>
      words.reduce((best, word) => {
        const far = (one: Vector): number => Math.max(...one.map((x, j) => Math.abs(x - point[j])));
        return far(word) < far(best) ? word : best;
      }),
  }),
  mutant(
    62,
    'convexity',
    'squared distances forget μ',
    'hard-scaling',
    redrawn('privateMeanInstance', ({ excessRisk, optimum }) => ({
      excessRisk: (w) => excessRisk(w) - 0.1 * w.reduce((sum, x, j) => sum + (x - optimum[j]) ** 2, 0),
    })),
  ),
  mutant(
    62,
    'thirds',
    'the strongly convex bound scales by r/(3μ√d), for which its domain is not',
    'hard-scaling',
    bound('stronglyConvexLowerBound', (own) => ({
      instance: (given: never, random: never) =>
        defined(own.instance)(
          { ...(given as object), moment: (given as { moment: number }).moment / 1.5 } as never,
          random,
        ),
    })),
  ),
  mutant(
    62,
    'coordinates',
    'part 3 of the convex bound draws as part 1 does',
    'hard-scaling',
    bound('convexLowerBound', (own) => ({
      instance: (given: never, random: never) =>
        defined(own.instance)({ ...(given as object), assumption: 'A1' } as never, random),
    })),
  ),
  mutant(62, 'power', 'the statistical term of part 3 has γ_2^(2/k)', 'hard-scaling', {
    coordinateTerm: shipped.printedCoordinateTerm,
  }),
  mutant(
    62,
    'printed',
    'the printed term has γ_2, so that there is nothing to refute',
    'coordinate-scaling-printed',
    { printedCoordinateTerm: shipped.coordinateTerm },
  ),
  mutant(63, 'half', 'the loss lacks its ½', 'mean-risk', {
    squaredDistance: {
      ...shipped.squaredDistance,
      value: (params: never, at: never, record: never) =>
        2 * shipped.squaredDistance.value(params, at, record),
    } as never,
  }),
  mutant(
    63,
    'optimum',
    'the optimum is drawn to the origin',
    'mean-risk',
    redrawn('nonPrivateMeanInstance', ({ optimum }) => ({ optimum: optimum.map((x) => 0.99 * x) })),
  ),
  mutant(64, 'distance', 'words are a tenth of all places apart', 'code-words', {
    codeWords: (d, shape, random) =>
      shipped
        .codeWords(d, { ...shape, distance: Math.ceil(d / 8) - 1 }, random)
        .map((word, i, all) => (i === 1 ? all[0].map((x, j) => (j < d / 8 - 1 ? -x : x)) : word)),
  }),
  mutant(64, 'count', 'a word is lacking', 'code-words', {
    codeWords: (d, shape, random) => shipped.codeWords(d, shape, random).slice(1),
  }),
  mutant(64, 'fano', 'Fano counts 4 times the divergence', 'code-words', {
    fanoHeight: (given) => shipped.fanoHeight({ ...given, n: 4 * given.n }),
  }),
  mutant(
    64,
    'bias',
    'Fano is told the separation of words that differ in an eighth of half of all places',
    'code-words',
    { fanoHeight: (given) => shipped.fanoHeight({ ...given, separation: given.separation / 4 }) },
  ),
  mutant(
    64,
    'printed',
    'words that differ in half of all places: nothing to refute',
    'code-separation-printed',
    {
      codeWords: (d, shape) =>
        Array.from({ length: Math.min(8, shape.count) }, (_, i) =>
          Float64Array.from({ length: d }, (_unused, j) =>
            ((j % 8) & i).toString(2).replaceAll('0', '').length % 2 === 0 ? 1 : -1,
          ),
        ),
    },
  ),
  mutant(65, 'power', 'k for k − 1', 'coin-moment', {
    bernoulliMoment: ({ bias, order }) => shipped.bernoulliMoment({ bias, order: order + 1 }),
  }),
  mutant(
    65,
    'unscaled',
    'coins under A3 are not scaled back',
    'coin-moment',
    bound('convexLowerBound', (own) => ({
      problem: (given: never) => {
        const posed = defined(own.problem)(given);
        const { moment, dimension } = given as { moment: number; dimension: number };
        return { ...posed, record: { ...posed.record, featureNorm: moment * Math.sqrt(dimension) } };
      },
    })),
  ),
  mutant(65, 'printed', 'the moment is not centred: nothing to refute', 'coin-moment-printed', {
    bernoulliMoment: () => 1,
  }),
  mutant(66, 'root', 'spikes of length r/p', 'spike-moment', {
    lengthOfHeavyTail: ({ moment, probability }) => moment / probability,
  }),
  mutant(66, 'second', 'spikes forget the moment of order 2', 'spike-moment', {
    lengthOfHeavyTail: ({ order, moment, probability }) =>
      shipped.lengthOfHeavyTail({ order, moment, probability }),
  }),
  mutant(66, 'centre', 'the moment is not centred', 'spike-moment', { spikeCoordinateMoment: () => 1 }),
  mutant(
    66,
    'printed',
    'records are signs, all of them: nothing to refute',
    'spike-records-printed',
    redrawn('privateInstance', ({ features }) => ({ features: features.map(() => 1) })),
  ),
  mutant(67, 'tosses', 'the divergence is of half a toss', 'divergences', {
    coinDivergence: (bias) => shipped.coinDivergence(bias) / 2,
  }),
  mutant(67, 'square', 'group privacy grows with the group, not with its square', 'divergences', {
    informationOfHeavyTails: ({ n, dimension, rho, probability }) => (rho * n * probability) / dimension,
  }),
  mutant(67, 'mean-only', 'the group is as large as it is on average', 'divergences', {
    informationOfHeavyTails: ({ n, dimension, rho, probability }) =>
      (rho * (n * probability) ** 2) / dimension,
  }),
  mutant(67, 'alignment', 'information of the whole is taken for the alignment', 'divergences', {
    alignmentOfInformation: (information) => information,
  }),
  mutant(
    67,
    'printed',
    'the printed chance is a tenth as large: nothing to refute',
    'spike-coupling-printed',
    {
      probabilityOfHeavyTail: (given) =>
        shipped.probabilityOfHeavyTail({ ...given, coupling: given.coupling / 1000 }),
    },
  ),
  mutant(68, 'half', 'the divergence without its half', 'le-cam', {
    pairDivergence: (bias) => 2 * shipped.pairDivergence(bias),
  }),
  mutant(68, 'alignment', 'the alignment of half the coins', 'le-cam', {
    alignmentOfBernoulli: ({ n, bias }) => shipped.alignmentOfBernoulli({ n: n / 2, bias }),
  }),
  mutant(
    69,
    'common',
    'the shipped instance has one common bit',
    'independent-bits',
    redrawn('nonPrivateMeanInstance', ({ features, optimum }) => {
      const one = firstSign(optimum);
      const d = optimum.length;
      return {
        optimum: one,
        features: features.map((x, k) => x * Math.sign(optimum[k % d]) * Math.sign(one[k % d])),
      };
    }),
  ),
  mutant(69, 'bias', 'coins of a bias that is seen through', 'independent-bits', {
    meanBernoulliBias: (n) => 20 / Math.sqrt(n + 400),
  }),
  mutant(
    69,
    'height',
    'the proved term has no 1/(n + 1)',
    'independent-bits',
    bound('stronglyConvexLowerBound', (own) => ({
      evaluate: (given: never) => {
        const found = own.evaluate(given);
        return {
          ...found,
          terms: { ...found.terms, nonPrivate: found.terms['nonPrivate'] * (given as { n: number }).n },
        };
      },
    })),
  ),
  mutant(
    69,
    'printed',
    'coins so alike that pooling 200 does not tell: nothing to refute',
    'common-bit-printed',
    { pairDivergence: () => 0.05 },
  ),
  mutant(70, 'radius', 'the domain grows as printed', 'mean-domain', {
    meanRadius: shipped.printedMeanRadius,
  }),
  mutant(70, 'mean', 'a domain that the mean is not in', 'mean-domain', {
    meanRadius: ({ dimension }) => 0.9 * Math.sqrt(dimension),
  }),
  mutant(
    70,
    'shipped',
    'the shipped domain is half as wide again',
    'mean-domain',
    bound('stronglyConvexLowerBound', (own) => ({
      problem: (given: never) => {
        const posed = defined(own.problem)(given);
        return {
          ...posed,
          domain: {
            ...posed.domain,
            params: { radius: 1.5 * (posed.domain.params as { radius: number }).radius },
          },
        };
      },
    })),
  ),
  mutant(70, 'printed', 'the printed domain is the repaired one: nothing to refute', 'mean-domain-printed', {
    printedMeanRadius: shipped.meanRadius,
  }),
  mutant(71, 'young', 'the factor without its 2', 'jensen', {
    youngFactor: (a, b) => shipped.youngFactor(a, b) / 2,
  }),
  mutant(71, 'pareto', 'a tail one power lighter', 'jensen', {
    paretoMoment: (given) => shipped.paretoMoment({ ...given, shape: given.shape + 1 }),
  }),
  mutant(72, 'long', 'a step of 1/λ', 'contraction', {
    restatedStep: (given) => shipped.restatedStep({ ...given, smoothness: 0 }),
  }),
  mutant(72, 'double', 'a step of 2/(λ + L)', 'contraction', {
    restatedStep: ({ gradient, ...given }) =>
      shipped.restatedStep({ ...given, gradient: gradient.map((x) => 2 * x) }),
  }),
  mutant(72, 'factor', 'the factor of Eq. 8', 'contraction', {
    descentContraction: ({ convexity, smoothness }) => shipped.printedContraction(convexity, smoothness),
  }),
  mutant(72, 'sum', 'errors of all steps but the last are forgotten', 'contraction', {
    descentDistanceBound: (run, form) =>
      shipped.descentDistanceBound({ ...run, error: 0 }, form) + run.error / (run.convexity + run.smoothness),
  }),
  mutant(72, 'shipped', 'the method that ships takes steps of 1/(2λ + L)', 'contraction', {
    heavyTailedGradientDescent: {
      ...shipped.heavyTailedGradientDescent,
      prepare: (context: Parameters<Subject['heavyTailedGradientDescent']['prepare']>[0]) =>
        shipped.heavyTailedGradientDescent.prepare({
          ...context,
          params: {
            ...context.params,
            strongConvexity: 2 * (context.params as { readonly strongConvexity: number }).strongConvexity,
          } as never,
        }),
    } as never,
  }),
  mutant(72, 'printed', 'Eq. 8 has the factor of Eq. 7: nothing to refute', 'contraction-printed', {
    printedContraction: (convexity, smoothness) =>
      shipped.descentContraction({ convexity, smoothness }, 'printed'),
  }),
  mutant(
    73,
    'logarithm',
    'the strongly convex rate without ln n',
    'rates',
    rateTimes(
      'strongly-convex-linear-time',
      ({ records, order = 2 }) => Math.log(records) ** (-(order - 1) / order),
    ),
  ),
  mutant(
    73,
    'lower',
    'a lower rate of ε for √ρ',
    'rates',
    rateTimes('strongly-convex-lower-bound', () => 1.01),
  ),
  mutant(
    73,
    'exponent',
    'acceleration with 1/4 for 1/5 of an exponent',
    'rates',
    withRates({
      'convex-linear-time': {
        ...shipped.heavyTailsRates['convex-linear-time'],
        value: (setting) =>
          shipped.heavyTailsRates['convex-optimal'].value(setting) +
          1.1 *
            (shipped.heavyTailsRates['convex-linear-time'].value(setting) -
              shipped.heavyTailsRates['convex-optimal'].value(setting)),
      },
    }),
  ),
  mutant(
    73,
    'above',
    'a proved height above the printed rate',
    'rates',
    bound('convexLowerBound', (own) => ({
      evaluate: (given: never) => {
        const found = own.evaluate(given);
        return found.explicit ? { ...found, value: 50 * found.value } : found;
      },
    })),
  ),
  ...(['convexLowerBound', 'stronglyConvexLowerBound'] as const).flatMap((name) => [
    mutant(
      73,
      `many-records-${name}`,
      'a proved height 1.05 times as high for many records',
      'rates',
      heightened(name, ({ n }) => 1 + n / (20 * (n + 1000)), 'value'),
    ),
    mutant(
      73,
      `drawn-${name}`,
      'the part of drawn instances 1.05 times as high for many records',
      'rates',
      heightened(name, ({ n }) => 1 + n / (20 * (n + 1000)), 'drawn'),
    ),
  ]),
];
