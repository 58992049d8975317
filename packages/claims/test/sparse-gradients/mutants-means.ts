import { l1Clip, l2Clip } from '@lethe/mechanisms';
import {
  meansSubject as shipped,
  type MeansSubject,
  type ProjectedMean,
  type RecoveredMean,
} from '../../src/sparse-gradients/means/subject.js';
import type { Mutant } from '../rows.js';

const mutant = (
  row: number,
  title: string,
  killedBy: string,
  subject: Partial<MeansSubject>,
  part = '',
): Mutant<MeansSubject> => ({ id: `ghazi-${row}${part}`, title, row, subject, killedBy });

/** The projected mean with another way to finish. */
const finishing = (
  base: ProjectedMean,
  finish: (answer: Float64Array, radius: number, noised: Float64Array) => Float64Array,
): ProjectedMean => ({
  ...base,
  begin(params, shape, random) {
    const run = base.begin(params, shape, random);
    return {
      ...run,
      finish: (noised) => finish(run.finish(noised).slice(), params.radius, Float64Array.from(noised)),
    };
  },
});
/** The projected mean whose declared sensitivity is another multiple. */
const declaring = (
  base: ProjectedMean,
  factor: (sparsity: number, dimension: number) => number,
): ProjectedMean => ({
  ...base,
  sensitivity(params, shape) {
    const { 'replace-one': one = Number.NaN } = base.sensitivity(params, shape);
    return { 'replace-one': one * factor(params.sparsity, shape.dimension) };
  },
});
const recovering = (change: Partial<Omit<RecoveredMean, 'kind'>>): RecoveredMean => ({
  ...shipped.gaussianL1Recovery,
  ...change,
});
/** Basis pursuit that stops at the first basis. */
const firstBasis: MeansSubject['basisPursuit'] = (problem) =>
  shipped.basisPursuit({ ...problem, iterations: 0 });

export const meansMutants: readonly Mutant<MeansSubject>[] = [
  mutant(1, 'the exponents change places', 'ghazi/norms-of-sparse-vectors', {
    sparseNormRatio: (s, p, q) => shipped.sparseNormRatio(s, q, p),
  }),
  mutant(2, 'the ℓ1 ball has the ℓ2 radius', 'ghazi/means-of-sparse-records', {
    l1ProjectionMechanism: finishing(
      shipped.l1ProjectionMechanism,
      (_answer, radius, noised) => shipped.projectL1Ball(noised, radius).point,
    ),
  }),
  mutant(3, 'a replaced record counts once in ℓ1', 'ghazi/l1-sensitivity', {
    laplaceProjectionMechanism: declaring(shipped.laplaceProjectionMechanism, () => 0.5),
  }),
  mutant(4, 'a replaced record counts once in ℓ2', 'ghazi/l2-sensitivity', {
    projectionMechanism: declaring(shipped.projectionMechanism, () => 0.5),
  }),
  mutant(5, 's stands for √s', 'ghazi/laplace-scale', {
    laplaceProjectionMechanism: declaring(shipped.laplaceProjectionMechanism, Math.sqrt),
  }),
  mutant(6, 'the noise is for ε twice as large', 'ghazi/laplace-privacy', {
    laplace: {
      ...shipped.laplace,
      multiplierFor: (params, target) => shipped.laplace.multiplierFor(params, target) / 2,
    },
  }),
  mutant(7, 'the sensitivity is L/n', 'ghazi/gaussian-variance', {
    l1ProjectionMechanism: declaring(shipped.l1ProjectionMechanism, () => 0.5),
  }),
  mutant(8, 'the textbook noise lacks its factor 2', 'ghazi/textbook-noise', {
    classicalGaussian: {
      ...shipped.classicalGaussian,
      multiplierFor: (params, target) =>
        shipped.classicalGaussian.multiplierFor(params, target) * Math.SQRT1_2,
    },
  }),
  mutant(
    8,
    'the textbook noise is twice as large',
    'ghazi/textbook-noise-printed',
    { textbookMultiplier: (epsilon, delta) => 2 * shipped.textbookMultiplier(epsilon, delta) },
    '-printed',
  ),
  mutant(9, 'the point is scaled into the ball', 'ghazi/projection-conditions', {
    projectL1Ball: (point, radius) => {
      const scaled = point.slice();
      l1Clip.clipInPlace({ radius }, scaled);
      return { point: scaled, gap: 0 };
    },
  }),
  mutant(10, 'the point is projected onto an ℓ2 ball inside', 'ghazi/obtuse-angle', {
    projectL1Ball: (point, radius) => {
      const scaled = point.slice();
      l2Clip.clipInPlace({ radius: radius / Math.sqrt(point.length) }, scaled);
      return { point: scaled, gap: 0 };
    },
  }),
  mutant(11, 'the lemma lacks its factor 2', 'ghazi/projected-error', {
    lemmaBound: (radius, sparsity, largest) => shipped.lemmaBound(radius, sparsity, largest) / 2,
  }),
  mutant(
    11,
    'the noised mean is not projected',
    'ghazi/projected-error',
    { projectionMechanism: finishing(shipped.projectionMechanism, (_answer, _radius, noised) => noised) },
    '-b',
  ),
  mutant(12, 'answers are moved to the border of the ball', 'ghazi/projected-noise', {
    laplaceProjectionMechanism: finishing(shipped.laplaceProjectionMechanism, (answer, radius) => {
      const size = Math.hypot(...answer);
      return answer.map((x) => (size === 0 ? x : (x / size) * radius));
    }),
  }),
  mutant(13, 'half of the gap is reported', 'ghazi/approximate-projection', {
    l1Gap: (...given) => shipped.l1Gap(...given) / 2,
  }),
  mutant(14, 'Laplace noise of scale 1 is said to have variance 1', 'ghazi/laplace-tails', {
    laplace: { ...shipped.laplace, standardDeviation: () => 1 },
  }),
  mutant(15, 'the largest of normal variables lacks its factor 2', 'ghazi/gaussian-tails', {
    gaussianLargest: (dimension) => shipped.gaussianLargest(dimension) / Math.SQRT2,
  }),
  mutant(
    15,
    'a normal vector is said to have a length of √d',
    'ghazi/gaussian-tails',
    {
      gaussianQuantiles: (dimension, beta) => ({
        ...shipped.gaussianQuantiles(dimension, beta),
        length: Math.sqrt(dimension),
      }),
    },
    '-b',
  ),
  mutant(16, 'the bound lacks the sparsity', 'ghazi/pure-error', {
    pureError: (given, beta) => shipped.pureError({ ...given, sparsity: 1 }, beta),
  }),
  mutant(17, 'the logarithm is of d/β for 2d/β', 'ghazi/approximate-error', {
    approximateError: (given, beta) => shipped.approximateError(given, 2 * beta),
  }),
  mutant(18, 'the variance of Laplace noise is its squared scale', 'ghazi/squared-error', {
    projectionMeanSquaredError: (given) =>
      shipped.projectionMeanSquaredError({ ...given, scale: given.scale * Math.SQRT1_2 }),
  }),
  mutant(19, 'answers are moved to norm L', 'ghazi/clipped-projection', {
    l2Clip: {
      clipInPlace({ radius }, vector) {
        const size = Math.hypot(...vector);
        if (size > 0) for (let j = 0; j < vector.length; j++) vector[j] *= radius / size;
        return size;
      },
    },
  }),
  mutant(20, 'the noise of measurements is for the whole of δ', 'ghazi/recovery-variance', {
    printedRecoveryVariance: (given) => shipped.printedRecoveryVariance({ ...given, delta: 2 * given.delta }),
  }),
  mutant(21, 'K lacks the dependence on δ', 'ghazi/number-of-measurements', {
    l1RecoveryPlan: (setting) => {
      const plan = shipped.l1RecoveryPlan(setting);
      return { ...plan, spread: plan.spread * Math.sqrt(Math.log(1 / setting.delta)) };
    },
  }),
  mutant(22, 'the branch is chosen by d < m ln²m alone', 'ghazi/branch', {
    l1RecoveryPlan: (setting) => {
      const plan = shipped.l1RecoveryPlan(setting);
      const isDense = shipped.printedGaussianBranch(setting.dimension, plan.exact);
      return { ...plan, branch: isDense ? 'gaussian' : 'recovery' };
    },
  }),
  mutant(
    22,
    'the branch is chosen by d ≤ m',
    'ghazi/branch-printed',
    { printedGaussianBranch: (dimension, measurements) => dimension <= measurements },
    '-printed',
  ),
  mutant(23, 'κ lacks the union over supports', 'ghazi/norm-of-measurements', {
    sensingNormWithin: (sensing, failure) =>
      shipped.sensingNormWithin({ ...sensing, dimension: sensing.sparsity }, failure),
  }),
  mutant(24, 'the printed noise is taken for one measurement', 'ghazi/unit-batches', {
    gaussianL1Recovery: recovering({
      sensitivity: ({ radius }, { slots }) => ({ 'replace-one': (3 * radius) / slots }),
    }),
  }),
  mutant(
    24,
    'the fallback measures unit batches',
    'ghazi/unit-batches',
    {
      l1RecoveryOrProjection: (setting) =>
        shipped.l1RecoveryOrProjection({ ...setting, slots: 120, dimension: 1e5 }),
    },
    '-b',
  ),
  mutant(
    24,
    'the noise is for the norm of the row',
    'ghazi/unit-batches-printed',
    { printedRecoveryVariance: (given) => 400 * shipped.printedRecoveryVariance(given) },
    '-printed',
  ),
  mutant(25, 'a replaced record counts once in the measurements', 'ghazi/verified-sensitivity', {
    gaussianL1Recovery: recovering({
      sensitivity: (params, shape) => {
        const { 'replace-one': one = Number.NaN } = shipped.gaussianL1Recovery.sensitivity(params, shape);
        return { 'replace-one': one / 2 };
      },
    }),
  }),
  mutant(26, 'the first basis is the answer', 'ghazi/basis-pursuit', { basisPursuit: firstBasis }),
  mutant(27, 'the first basis is the answer', 'ghazi/noise-of-least-norm', { basisPursuit: firstBasis }),
  mutant(28, 'answers that are too long are scaled', 'ghazi/largest-answer', {
    gaussianL1Recovery: recovering({
      begin(params, shape, random) {
        const run = shipped.gaussianL1Recovery.begin(params, shape, random);
        const long = shipped.gaussianL1Recovery.begin({ ...params, radius: 1e200 }, shape, random);
        return {
          ...run,
          finish(noised) {
            const answer = long.finish(noised).slice();
            l2Clip.clipInPlace({ radius: 2 * params.radius }, answer);
            return answer;
          },
        };
      },
    }),
  }),
  mutant(29, 'twelve of the measurements are used', 'ghazi/exact-recovery', {
    basisPursuit: ({ matrix, target }) =>
      shipped.basisPursuit({ matrix: { ...matrix, rows: 12 }, target: target.subarray(0, 12) }),
  }),
  mutant(30, 'the error falls with the square of K', 'ghazi/averaged-draws', {
    averagedDraws: (points, weights, draws) => shipped.averagedDraws(points, weights, draws) / draws,
  }),
  mutant(31, 'the noise is for values that move by 3L/(2n)', 'ghazi/recovery-noise-privacy', {
    printedRecoveryVariance: (given) => shipped.printedRecoveryVariance(given) / 4,
  }),
  mutant(99, 'records are held to the ℓ1 ball alone', 'ghazi/records-of-the-l1-ball', {
    projectionMechanism: {
      ...shipped.projectionMechanism,
      begin: (params, shape, random) => shipped.laplaceProjectionMechanism.begin(params, shape, random),
    },
  }),
  mutant(
    99,
    'the sensitivity is that of the ℓ1 ball',
    'ghazi/records-of-the-l1-ball-printed',
    { l1ProjectionMechanism: declaring(shipped.l1ProjectionMechanism, Math.sqrt) },
    '-printed',
  ),
  mutant(100, 'the event leaves out the failure', 'ghazi/privacy-of-measurements', {
    gaussianL1Recovery: recovering({ event: (_params, noise) => noise }),
  }),
  mutant(
    100,
    'matrices have twice the declared norm',
    'ghazi/privacy-of-measurements',
    {
      gaussianL1Recovery: recovering({
        begin(params, shape, random) {
          const run = shipped.gaussianL1Recovery.begin(params, shape, random);
          return { ...run, value: () => run.value().map((x) => 2 * x) };
        },
      }),
    },
    '-b',
  ),
  mutant(101, 'the variance of the mean is that for δ/2', 'ghazi/recovery-error', {
    printedGaussianVariance: (given) => shipped.printedGaussianVariance({ ...given, delta: given.delta / 2 }),
  }),
  mutant(
    101,
    'every recovered answer is taken for too long',
    'ghazi/recovery-error',
    {
      gaussianL1Recovery: recovering({
        begin(params, shape, random) {
          const run = shipped.gaussianL1Recovery.begin(params, shape, random);
          return { ...run, finish: (noised) => run.finish(noised).fill(0) };
        },
      }),
    },
    '-b',
  ),
  mutant(
    101,
    'the variance falls with the number of measurements',
    'ghazi/recovery-error-printed',
    { printedGaussianVariance: (given) => shipped.printedGaussianVariance(given) / 100 },
    '-printed',
  ),
  mutant(102, 'the solver starts from the records', 'ghazi/solver-sees-no-records', {
    gaussianL1Recovery: recovering({
      begin(params, shape, random) {
        const run = shipped.gaussianL1Recovery.begin(params, shape, random);
        return { ...run, finish: (noised) => run.finish(noised).map((x) => x + 1e-12 * run.value()[0]) };
      },
    }),
  }),
  mutant(103, 'the answer is not a vertex', 'ghazi/entries-of-answers', {
    basisPursuit: (problem) => {
      const found = shipped.basisPursuit(problem);
      return { ...found, point: found.point.map((x) => x + 1e-12) };
    },
  }),
  mutant(125, 'the event that is asked for is not counted', 'ghazi/filter-of-events', {
    approximateFilter: (options, saved) => {
      const filter = shipped.approximateFilter(options, saved);
      let isLate = false;
      return {
        ...filter,
        trySpend(event, count) {
          const isGranted = filter.trySpend(event, count) || !isLate;
          if (!isGranted) return false;
          isLate ||= filter.granted() === 0;
          return isGranted;
        },
      };
    },
  }),
  mutant(127, 'gradients are dense', 'ghazi/linear-losses', {
    linear: {
      ...shipped.linear,
      gradientInto(params, out, at, record) {
        shipped.linear.gradientInto(params, out, at, record);
        for (let j = 0; j < out.length; j++) out[j] += 1e-9;
      },
    },
  }),
  mutant(128, 'the noise is for d entries', 'ghazi/large-data-sets', {
    laplaceProjectionMechanism: declaring(shipped.laplaceProjectionMechanism, (s, d) => Math.sqrt(d / s)),
  }),
];
