import {
  dpCd,
  dpFtrl,
  dpSgd,
  dpSkgd,
  dpSvrg,
  heavyTailedGradientDescent,
  localizedStronglyConvex,
  localizedSubgradient,
  noisyAcSa,
  noisyClippedAcSa,
  noisyClippedProximalSgd,
  noisyClippedSgd,
  noisyClippedSubgradient,
  noisyGradientDescent,
  noisyProximalSgd,
  noisySgd,
  oneRecordSgd,
} from '@lethe/algorithms';
import { subjectsOf, type Subject } from '@lethe/laws';
import { clippedMean, coordinateMedianOfMeans, gaussian, l2Clip } from '@lethe/mechanisms';
import { defineTight } from '../mutant.js';
import { companions } from '../reference/spied-optimizer.js';
import { untilQuiet } from '../reference/until-quiet.js';

const tight = (
  id: string,
  plugin: Parameters<typeof subjectsOf>[0],
  params?: unknown,
): ReturnType<typeof defineTight<'optimizer'>> =>
  defineTight({
    id,
    kind: 'optimizer',
    plant: () =>
      subjectsOf(plugin, {
        registry: companions,
        ...(params === undefined ? {} : { params }),
      })[0] as Subject<'optimizer'>,
  });

export const tightDpSgd = tight('dp-sgd', dpSgd);
export const tightFullBatch = tight('dp-sgd-everyone', dpSgd, {
  steps: 3,
  rate: 1,
  clipNorm: 1,
  stepSize: 0.5,
  average: 'polyak',
});
export const tightAcSa = tight('noisy-clipped-ac-sa', noisyClippedAcSa);
export const tightAcSaOneByOne = tight('noisy-clipped-ac-sa-one-by-one', noisyClippedAcSa, {
  rounds: 24,
  clipNorm: 1,
  mean: clippedMean({ clip: l2Clip({ radius: 1 }), mechanism: gaussian({}) }),
});
export const tightUntilQuiet = tight('until-quiet', untilQuiet());

// One pass: all records, or all but one; a batch of one; gradients clipped to almost nothing.
export const tightClippedSgd = tight('noisy-clipped-sgd', noisyClippedSgd);
export const tightClippedSgdOneByOne = tight('noisy-clipped-sgd-one-by-one', noisyClippedSgd, {
  rounds: 23,
  clipNorm: 1,
  noiseMultiplier: 1,
});
export const tightClippedAway = tight('noisy-clipped-ac-sa-clipped-away', noisyClippedAcSa, {
  rounds: 11,
  clipNorm: 2 ** -10,
  noiseMultiplier: 1,
});
export const tightClippedProximal = tight('noisy-clipped-proximal-sgd', noisyClippedProximalSgd, {
  rounds: 24,
  clipNorm: 1,
  noiseMultiplier: 1,
});
export const tightMedians = tight('noisy-clipped-sgd-medians', noisyClippedSgd, {
  rounds: 2,
  clipNorm: 2,
  mean: coordinateMedianOfMeans({ limit: 1, groups: 8 }),
  noiseMultiplier: 1,
  order: 'stored',
});
export const tightLipschitzAcSa = tight('noisy-ac-sa', noisyAcSa);
export const tightLipschitzSgd = tight('noisy-sgd', noisySgd, { rounds: 1 });
export const tightLipschitzProximal = tight('noisy-proximal-sgd', noisyProximalSgd);

// Many passes: one round, the largest step size, phases down to one record.
export const tightClippedSubgradient = tight('noisy-clipped-subgradient', noisyClippedSubgradient, {
  rounds: 5,
  stepSize: 0.5,
  strength: 4,
  clipNorm: 1,
  noiseMultiplier: 1,
});
export const tightSingleSubgradient = tight('noisy-clipped-subgradient-once', noisyClippedSubgradient, {
  rounds: 1,
  stepSize: 1,
  clipNorm: 1,
  noiseMultiplier: 1,
});
export const tightLocalized = tight('localized', localizedSubgradient, {
  mostRounds: 2,
  noiseMultiplier: 1,
  order: 'stored',
});
export const tightLocalizedDraws = tight('localized-subsampled', localizedSubgradient, {
  variant: 'subsampled',
  mostRounds: 2,
  noiseMultiplier: 1,
});
export const tightLocalizedBlocks = tight('localized-strongly-convex', localizedStronglyConvex, {
  strongConvexity: 0.5,
  mostRounds: 1,
  clipNorm: 1,
  noiseMultiplier: 1,
});
export const tightHeavyTails = tight('heavy-tailed-everyone', heavyTailedGradientDescent);
export const tightHeavyTailsApart = tight('heavy-tailed-disjoint', heavyTailedGradientDescent, {
  rounds: 24,
  strongConvexity: 1,
  batches: 'disjoint',
  mean: clippedMean({ clip: l2Clip({ radius: 1 }), mechanism: gaussian({}) }),
  noiseMultiplier: 1,
});

// Sketches, single records and reduced variance.
export const tightSketched = tight('dp-skgd', dpSkgd);
export const tightSketchedImportance = tight('dp-skgd-importance', dpSkgd, {
  sketch: { name: 'single-coordinate', importance: true },
  innerSteps: 5,
  smoothness: 1,
  noiseMultiplier: 1,
});
export const tightCoordinates = tight('dp-cd', dpCd, { innerSteps: 5, smoothness: 1, noiseMultiplier: 1 });
export const tightGradientDescent = tight('noisy-gradient-descent', noisyGradientDescent, {
  innerSteps: 4,
  smoothness: 1,
  noiseMultiplier: 1,
});
export const tightOneRecord = tight('one-record-sgd', oneRecordSgd);
export const tightReducedVariance = tight('dp-svrg', dpSvrg, {
  epochs: 2,
  innerSteps: 1,
  stepSize: 1,
  batchSize: 12,
  noiseMultiplier: 1,
});

// Running sums: a stream of a few batches, and of single records.
export const tightFtrl = tight('dp-ftrl', dpFtrl);
export const tightFtrlOneByOne = tight('dp-ftrl-one-by-one', dpFtrl, {
  rounds: 24,
  clipNorm: 1,
  stepSize: 0.5,
  prefixSum: { name: 'banded-toeplitz', params: { bandwidth: 4 } },
  noiseMultiplier: 1,
  average: 'polyak',
});
