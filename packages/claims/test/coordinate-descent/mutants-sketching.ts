import type { Program, Drawn, MeanQuery, Optimizer, RandomSource, Sketch, Vector } from '@lethe/core';
import { defined } from '@lethe/numerics';
import { coordinateDescentSubject as shipped, type CoordinateDescentSubject } from '../../src/index.js';
import { listedDescent, meanOf } from './listed-descent.js';
import type { Mutant } from '../rows.js';

type Name = keyof CoordinateDescentSubject;
const mutant = <K extends Name>(
  row: number,
  name: string,
  title: string,
  killedBy: string,
  subject: { readonly [N in K]: unknown },
): Mutant<CoordinateDescentSubject> => ({
  id: `row-${row}/${name}`,
  title,
  row,
  killedBy: `maranjyan/${killedBy}`,
  subject: subject as Partial<CoordinateDescentSubject>,
});

const {
  dpCd,
  dpSkgd,
  noisyGradientDescent,
  scaled,
  tauNice,
  singleCoordinate,
  gaussian,
  sketchConstants,
  blockLipschitz,
  lazyAverage,
  theoremNoiseScale,
  rates,
} = shipped;
const redrawn = (
  sketch: Sketch,
  draw: (params: never, dimension: number, random: RandomSource) => Drawn,
): Sketch => ({ ...sketch, draw });
const listOf = (sketch: Sketch, params: unknown, d: number) =>
  defined(sketch.enumerate(sketch.params.parse(params) as never, d)).map(
    ({ drawn: { coordinates }, probability }) => ({ coordinates, probability }),
  );
const probabilitiesOf = (sketch: Sketch, params: unknown, d: number): Float64Array =>
  sketch.marginals(sketch.params.parse(params) as never, d);

/**
 * Walks along the coordinates, stops at each with its probability,
 * and begins again at the end: early ones come too often.
 */
function sequential(params: never, d: number, random: RandomSource): Drawn {
  const p = singleCoordinate.marginals(params, d);
  for (;;)
    for (let j = 0; j < d; j++)
      if (random.uniform() < p[j]) return { coordinates: Uint32Array.of(j), block: j };
}

type Geometry = Parameters<typeof sketchConstants>[2];
/** Constants with `Σ_S²` by another formula, of the drawn set, its probability, marginals and smoothness. */
const otherNoise =
  (term: (probability: number, p: number, M: number) => number) =>
  (sketch: Sketch, params: unknown, geometry: Geometry) => {
    const { smoothness: M, lipschitz } = geometry;
    const d = M.length;
    const p = probabilitiesOf(sketch, params, d);
    const noise = listOf(sketch, params, d).reduce((sum, { coordinates, probability }) => {
      if (coordinates.length === 0) return sum;
      const square =
        typeof lipschitz === 'function'
          ? lipschitz(coordinates) ** 2
          : coordinates.reduce((all, j) => all + lipschitz[j], 0);
      return sum + square * coordinates.reduce((all, j) => all + term(probability, p[j], M[j]), 0);
    }, 0);
    return { ...sketchConstants(sketch, params as never, geometry), noise };
  };

type RunNoise = Parameters<CoordinateDescentSubject['runNoiseScale']>[0];
const otherVariance =
  (variance: (run: RunNoise) => number) =>
  (run: RunNoise): number =>
    Math.sqrt(variance(run));
const rightVariance = ({ lipschitz, innerSteps, rounds, records, epsilon, delta }: RunNoise): number =>
  (12 * lipschitz ** 2 * innerSteps * rounds * -Math.log(delta)) / (records * epsilon) ** 2;

const oneRound = ({ lipschitz, records, innerSteps: steps, epsilon, delta }: RunNoise): number =>
  theoremNoiseScale({ lipschitz, records, steps, epsilon, delta });

type Step = Parameters<CoordinateDescentSubject['sketchedStep']>[0];
type Sensitivity = CoordinateDescentSubject['boundedMeanSensitivity'];
const alongMax = (features: readonly (readonly number[])[], set: Iterable<number>): number =>
  Math.max(...features.flatMap((x) => [...set].map((j) => Math.abs(x[j]))));

/** An optimizer that asks for less noise than it planned. */
const quieter = (optimizer: Optimizer, factor: number): Optimizer => ({
  ...optimizer,
  prepare(context) {
    const run = optimizer.prepare(context);
    return {
      ...run,
      steps: function* quiet(options): Program<Vector> {
        const steps = run.steps(options);
        for (let next = steps.next(); ;) {
          if (next.done === true) return next.value;
          const query = next.value as MeanQuery;
          next = steps.next(
            yield {
              ...query,
              target: {
                noiseMultiplier: (query.target as { noiseMultiplier: number }).noiseMultiplier * factor,
              },
            },
          );
        }
      },
    };
  },
});

/** An optimizer whose smoothness constants are others, or whose rounds are. */
const withParams = (
  optimizer: Optimizer,
  change: (params: Record<string, unknown>, dimension: number) => Record<string, unknown>,
): Optimizer => ({
  ...optimizer,
  prepare: (context) =>
    optimizer.prepare({
      ...context,
      params: {
        ...(context.params as object),
        ...change(context.params as Record<string, unknown>, context.problem.dimension),
      },
    }),
});
const timesDimension = (params: Record<string, unknown>, d: number) => ({
  smoothness: (params['smoothness'] as number[]).map((M) => M * d),
});
const loose = (optimizer: unknown): Optimizer => optimizer as Optimizer;

export const sketchingMutants: readonly Mutant<CoordinateDescentSubject>[] = [
  mutant(1, 'not-scaled', 'entries are not divided by their marginals', 'unbiased', {
    scaled: (x: Float64Array, set: Uint32Array) => x.map((entry, j) => (set.includes(j) ? entry : 0)),
  }),
  mutant(2, 'with-replacement', 'tau coordinates are drawn with replacement', 'sampler-laws', {
    tauNice: redrawn(tauNice, ({ tau }: { readonly tau: number }, d, random) => ({
      coordinates: Uint32Array.from(new Set(Array.from({ length: tau }, () => random.integer(d)))).toSorted(),
    })),
  }),
  mutant(2, 'sequential', 'a coordinate is found by rejection, one after the other', 'sampler-laws', {
    singleCoordinate: redrawn(singleCoordinate, sequential),
  }),
  mutant(3, 'wrong-block', 'entries are divided by the probability of another block', 'unbiased-draws', {
    scaled: (x: Float64Array, set: Uint32Array, p: Float64Array) =>
      scaled(
        x,
        set,
        p.map((_, j) => p[(j + 1) % p.length]),
      ),
  }),
  mutant(3, 'not-scaled', 'entries are not divided at all', 'unbiased-draws', {
    scaled: (x: Float64Array, set: Uint32Array) => x.map((entry, j) => (set.includes(j) ? entry : 0)),
  }),
  mutant(4, 'no-inverse', 'the norm is by D', 'second-moment', {
    expectedSketchedDiagonal: (_s: Sketch, _p: unknown, D: Float64Array) => D,
  }),
  mutant(4, 'inverse-twice', 'the norm is by P⁻²D', 'second-moment', {
    expectedSketchedDiagonal: (sketch: Sketch, params: unknown, D: Float64Array) => {
      const p = probabilitiesOf(sketch, params, D.length);
      return D.map((entry, j) => entry / p[j] ** 2);
    },
  }),
  mutant(5, 'share', 'pairs are weighed by tau/d', 'sketched-matrix', {
    niceSecondMoment: (A: Float64Array, d: number, tau: number) =>
      A.map((entry, at) => (d / tau) * entry * (Math.floor(at / d) === at % d ? 1 : tau / d)),
  }),
  mutant(5, 'independent-pairs', 'pairs of tau coordinates are taken for independent', 'sketched-matrix', {
    tauNice: {
      ...tauNice,
      pairProbability: ({ tau }: { readonly tau: number }, d: number, i: number, j: number) =>
        (tau / d) ** (i === j ? 1 : 2),
    },
  }),
  mutant(6, 'divided-again', 'the diagonal holds squared inverse marginals', 'one-sketch', {
    sketchDiagonal: (set: Uint32Array, p: Float64Array) =>
      p.map((one, j) => (set.includes(j) ? 1 / one ** 2 : 0)),
  }),
  mutant(7, 'variance', 'the variance is σ_S', 'noisy-second-moment', {
    noiseVariance: (scale: number) => scale,
  }),
  mutant(7, 'gaussian-variance', 'Gaussian noise takes its scale for a variance', 'noisy-second-moment', {
    gaussian: {
      ...gaussian,
      addNoise: (params: Record<string, never>, value: Float64Array, scale: number, random: RandomSource) => {
        gaussian.addNoise(params, value, Math.sqrt(scale), random);
      },
    },
  }),
  mutant(8, 'swapped', 'the norm of the drawn ones is by PM⁻¹', 'noise-constant', {
    sketchConstants: otherNoise((probability, p, M) => (probability * p) / M),
  }),
  mutant(9, 'no-cancelling', 'the probability of the block is forgotten', 'block-noise', {
    sketchConstants: otherNoise((_probability, p, M) => 1 / (p * M)),
  }),
  mutant(9, 'no-marginal', 'the marginal is forgotten', 'block-noise', {
    sketchConstants: otherNoise((probability, _p, M) => probability / M),
  }),
  mutant(10, 'mean-square', 'the constant along a set is the mean of squares', 'noise-of-coarser-blocks', {
    lipschitzAlong: (features: readonly (readonly number[])[], set: Iterable<number>) =>
      Math.sqrt([...set].reduce((sum, j) => sum + alongMax(features, [j]) ** 2, 0) / [...set].length),
  }),
  mutant(11, 'share', 'pairs are weighed by tau/d', 'nice-noise', {
    niceNoise: ({
      squares,
      smoothness,
      tau,
    }: {
      readonly squares: Float64Array;
      readonly smoothness: Float64Array;
      readonly tau: number;
    }) => {
      const d = squares.length;
      const sum = (values: Float64Array): number => values.reduce((all, one) => all + one, 0);
      return (
        (1 - tau / d) * sum(squares.map((square, j) => square / smoothness[j])) +
        (tau / d) * sum(squares) * sum(smoothness.map((M) => 1 / M))
      );
    },
  }),
  mutant(12, 'no-square', 'entries are not squared', 'dual-norms', {
    weightedNorm: (v: ArrayLike<number>, weights: ArrayLike<number>) =>
      Math.sqrt(Array.from(v).reduce((sum, entry, j) => sum + weights[j] * Math.abs(entry), 0)),
  }),
  mutant(13, 'largest', 'the constant along a set is the largest of its coordinates', 'block-gradients', {
    lipschitzAlong: alongMax,
  }),
  mutant(13, 'declared-largest', 'so is the one from declared facts', 'block-gradients', {
    blockLipschitz: (facts: Parameters<typeof blockLipschitz>[0], d: number, set: Uint32Array) =>
      Math.max(...Array.from(set, (j) => defined(blockLipschitz(facts, d, Uint32Array.of(j))))),
  }),
  mutant(14, 'factor-1', 'a replaced record moves the mean by L_U/n', 'gradient-sensitivity', {
    boundedMeanSensitivity: ((radius, n) => ({ 'replace-one': radius / n })) satisfies Sensitivity,
  }),
  mutant(14, 'not-averaged', 'the sensitivity is not divided by n', 'gradient-sensitivity', {
    boundedMeanSensitivity: ((radius, n) => ({ 'replace-one': (2 * radius) / n ** 2 })) satisfies Sensitivity,
  }),
  mutant(15, 'swapped', 'the deviation is taken for the variance', 'gaussian-renyi', {
    gaussianRenyi: ({ alpha, shift, deviation }: Parameters<CoordinateDescentSubject['gaussianRenyi']>[0]) =>
      (alpha * shift ** 2) / (2 * deviation),
  }),
  mutant(16, 'averaged', 'divergences of sets are averaged', 'block-mechanism', {
    sketchedRenyi: (alpha: number, parts: Parameters<CoordinateDescentSubject['sketchedRenyi']>[1]) =>
      parts.reduce(
        (sum, { probability, shift, deviation }) =>
          sum + (probability * alpha * shift ** 2) / (2 * deviation ** 2),
        0,
      ),
  }),
  mutant(17, 'root', 'slopes grow with the root of the steps', 'renyi-composition', {
    renyiSlope: ({ steps, noiseMultiplier }: { readonly steps: number; readonly noiseMultiplier: number }) =>
      Math.sqrt(steps) / 2 / noiseMultiplier ** 2,
  }),
  mutant(18, 'no-two', 'the cross term lacks its 2', 'renyi-conversion', {
    renyiConversion: ({ slope, delta }: { readonly slope: number; readonly delta: number }) => ({
      epsilon: slope + Math.sqrt(slope * -Math.log(delta)),
      order: 1 + Math.sqrt(-Math.log(delta) / slope),
    }),
  }),
  mutant(19, 'constant-2', 'the constant is 2 instead of 3', 'noise-suffices', {
    theoremNoiseMultiplier: ({
      steps,
      epsilon,
      delta,
    }: Parameters<CoordinateDescentSubject['theoremNoiseMultiplier']>[0]) =>
      Math.sqrt(2 * steps * -Math.log(delta)) / epsilon,
  }),
  mutant(19, 'everywhere', 'the lemma is said to hold at every ε', 'noise-suffices', {
    lemmaD8Holds: () => true,
  }),
  mutant(20, 'records', 'the variance is divided by n', 'noise-formula', {
    runNoiseScale: otherVariance((run) => rightVariance(run) * run.records),
  }),
  mutant(20, 'one-round', 'only the steps of one round count', 'noise-formula', { runNoiseScale: oneRound }),
  mutant(20, 'constant-3', 'the constant is 3 instead of 12', 'noise-formula', {
    runNoiseScale: otherVariance((run) => rightVariance(run) / 4),
  }),
  mutant(20, 'constant-6', 'the constant is 6 instead of 12', 'noise-formula', {
    runNoiseScale: otherVariance((run) => rightVariance(run) / 2),
  }),
  mutant(20, 'binary-logarithm', 'the logarithm is binary', 'noise-formula', {
    runNoiseScale: otherVariance((run) => rightVariance(run) / Math.LN2),
  }),
  mutant(21, 'constant-6', 'the constant is 6 instead of 12', 'size-does-not-matter', {
    runNoiseScale: otherVariance((run) => rightVariance(run) / 2),
  }),
  mutant(21, 'one-round', 'only the steps of one round count', 'size-does-not-matter', {
    runNoiseScale: oneRound,
  }),
  mutant(22, 'mu', 'the Gaussian parameter lacks the 3', 'exactly-private', {
    theoremGaussianMu: ({ epsilon, delta }: { readonly epsilon: number; readonly delta: number }) =>
      epsilon / Math.sqrt(-Math.log(delta)),
  }),
  mutant(22, 'third-of-noise', 'the noise is a third of what it should be', 'exactly-private', {
    theoremNoiseMultiplier: ({
      steps,
      epsilon,
      delta,
    }: Parameters<CoordinateDescentSubject['theoremNoiseMultiplier']>[0]) =>
      Math.sqrt((steps * -Math.log(delta)) / 3) / epsilon,
  }),
  mutant(23, 'quarter', 'the noise is a quarter of what it should be', 'audit', {
    dpSkgd: quieter(loose(dpSkgd), 1 / 4),
  }),
  mutant(23, 'half', 'the noise is half of what it should be', 'audit', {
    dpSkgd: quieter(loose(dpSkgd), 1 / 2),
  }),
  mutant(24, 'everywhere', 'noise is added to all coordinates', 'noise-where-drawn', {
    sketchedDescent: listedDescent({
      stray: (theta, slopes, set, eta) => {
        theta.forEach((_, j) => {
          if (!set.includes(j)) theta[j] = theta[j] - eta[j] * (slopes[0] ?? 0);
        });
      },
    }),
  }),
  mutant(24, 'listed-everywhere', 'the listing adds noise to all coordinates', 'noise-where-drawn', {
    sketchedStep: ({ gradient, noise, steps, coordinates, marginals }: Step) =>
      scaled(gradient, coordinates, marginals).map(
        (entry, j) => steps[j] * (entry + noise[j] / marginals[j]),
      ),
  }),
  mutant(24, 'not-sketched', 'noise is not multiplied by C', 'noise-where-drawn', {
    sketchedStep: ({ gradient, noise, steps, coordinates, marginals }: Step) =>
      scaled(gradient, coordinates, marginals).map(
        (entry, j) => steps[j] * (entry + (coordinates.includes(j) ? noise[j] : 0)),
      ),
  }),
  mutant(24, 'scale', 'Gaussian noise takes its scale for a variance', 'noise-where-drawn', {
    gaussian: {
      ...gaussian,
      addNoise: (params: Record<string, never>, value: Float64Array, scale: number, random: RandomSource) => {
        gaussian.addNoise(params, value, Math.sqrt(scale), random);
      },
    },
  }),
  mutant(24, 'quieter', 'the run asks for less noise than the theorem says', 'noise-where-drawn', {
    dpSkgd: quieter(loose(dpSkgd), 0.8),
  }),
  mutant(25, 'no-marginals', 'Γ is M⁻¹', 'canonical-step', {
    canonicalSteps: (_p: Float64Array, M: Float64Array) => M.map((constant) => 1 / constant),
  }),
  mutant(26, 'no-marginals', 'the step is not divided by p', 'coordinate-descent', {
    dpSkgd: withParams(loose(dpSkgd), timesDimension),
  }),
  mutant(26, 'both', 'nor is it in DP-CD', 'coordinate-descent', {
    dpSkgd: withParams(loose(dpSkgd), timesDimension),
    dpCd: withParams(loose(dpCd), timesDimension),
  }),
  mutant(26, 'importance', 'coordinates are drawn by importance', 'coordinate-descent', {
    dpSkgd: withParams(loose(dpSkgd), ({ sketch }) => ({
      sketch: { ...(sketch as object), importance: true },
    })),
  }),
  mutant(27, 'one-step-size', 'gradient descent has one step size', 'full-gradient', {
    noisyGradientDescent: withParams(loose(noisyGradientDescent), ({ smoothness }) => ({
      smoothness: Math.max(...(smoothness as number[])),
    })),
  }),
  mutant(27, 'one-round', 'gradient descent does not restart', 'full-gradient', {
    noisyGradientDescent: withParams(loose(noisyGradientDescent), ({ rounds, innerSteps }) => ({
      rounds: 1,
      innerSteps: (rounds as number) * (innerSteps as number),
    })),
  }),
  mutant(28, 'importance', 'blocks of one coordinate are chosen uniformly', 'special-cases', {
    rates: { ...rates, blocks: rates['blocks-uniform'] },
  }),
  mutant(28, 'nice', 'the rate of tau coordinates forgets d/τ', 'special-cases', {
    rates: {
      ...rates,
      'tau-nice': (setting: Parameters<typeof rates.full>[0]) => {
        const { convex, stronglyConvex } = rates['tau-nice'](setting);
        const share = defined(setting.tau) / setting.smoothness.length;
        return { convex: convex * Math.sqrt(share), stronglyConvex: stronglyConvex * share };
      },
    },
  }),
  mutant(29, 'no-trace', 'the rate of all coordinates lacks the dimension', 'gradient-descent-rate', {
    rates: {
      ...rates,
      full: (setting: Parameters<typeof rates.full>[0]) => {
        const { convex, stronglyConvex } = rates.full(setting);
        const d = setting.smoothness.length;
        return { convex: convex / Math.sqrt(d), stronglyConvex: stronglyConvex / d };
      },
    },
  }),
  mutant(29, 'no-square', 'the strongly convex rate of DP-SGD has no square', 'gradient-descent-rate', {
    rates: {
      ...rates,
      'dp-sgd': (setting: Parameters<typeof rates.full>[0]) => {
        const { convex, stronglyConvex } = rates['dp-sgd'](setting);
        return { convex, stronglyConvex: Math.sqrt(stronglyConvex) };
      },
    },
  }),
  mutant(30, 'with-start', 'the average takes θ⁰ and leaves θ^K', 'averaging', {
    sketchedDescent: listedDescent({ endOf: (iterates) => meanOf(iterates.slice(0, -1)) }),
  }),
  mutant(30, 'one-more', 'the sum is divided by K + 1', 'averaging', {
    sketchedDescent: listedDescent({ endOf: (iterates) => meanOf(iterates.slice(1), iterates.length) }),
  }),
  mutant(30, 'last', 'the round ends in θ^K', 'averaging', {
    sketchedDescent: listedDescent({ endOf: (iterates) => iterates[iterates.length - 1] }),
  }),
  mutant(30, 'lazy', 'the lazy average divides by K + 1', 'averaging', {
    lazyAverage: (start: Float64Array) => {
      const whole = lazyAverage(start);
      let count = 0;
      return {
        ...whole,
        push: (next: ArrayLike<number>, set: ArrayLike<number>) => {
          count++;
          whole.push(next, set);
        },
        value: () => whole.value().map((entry) => (entry * count) / (count + 1)),
      };
    },
  }),
  mutant(31, 'from-last', 'a round goes on from θ^K', 'restarts', {
    sketchedDescent: listedDescent({ nextFrom: (iterates) => iterates[iterates.length - 1] }),
  }),
];
