import { zcdp } from '@lethe/accountants';
import {
  averagedMoment,
  localizedPhases,
  localizedStronglyConvex,
  localizedSubgradient,
  noisyClippedAcSa,
  noisyClippedProximalSgd,
  noisyClippedSgd,
  noisyClippedSubgradient,
  regularisedSubgradient,
} from '@lethe/algorithms';
import {
  countedEvent,
  domainAt,
  parallelEvent,
  regulariserAt,
  type DomainReference,
  type RegulariserReference,
} from '@lethe/core';
import { intersectBall } from '@lethe/numerics';
import {
  absolute,
  empiricalGradientMoment,
  discreteBatchMoment,
  discreteMoments,
  gradientMomentOf,
  squared,
} from '@lethe/losses';
import {
  coordinateClip,
  coordinateMedianOfMeans,
  gaussian,
  l2Clip,
  mechanisms,
  medianOfMeansGroups,
  shuffledMedianOfMeans,
  shuffledScalarSum,
  shuffledVectorSum,
  shuffleMessages,
} from '@lethe/mechanisms';
import {
  clippedBias,
  clippedVariance,
  entryBias,
  leastLimit,
  meanDeviation,
  medianNoiseBias,
  medianOfMeansBound,
  noiseVariances,
  sharpConstant,
} from './formulas.js';
import {
  concentratedEpsilon,
  groupRho,
  shiftedRenyi,
  shortEpsilon,
  shortEpsilonHolds,
} from './privacy-formulas.js';
import {
  countLevels,
  countLevelsPrinted,
  countNoise,
  countVariance,
  medianNoise,
  medianShare,
  medianShareHolds,
  medianTotal,
  recentred,
  recentredPrinted,
  vectorVariance,
} from './shuffle-formulas.js';
import {
  exampleLipschitz,
  exampleMoment,
  gridShare,
  gridTerm,
  limitConstant,
  minimiserDistance,
  normMoment,
  powerSplit,
  subexponentialScale,
  tailBound,
} from './moment-formulas.js';
import { ballMean } from './ball-mean.js';
import { expectedMedian } from './noisy-median.js';

const buildDomain = (reference: DomainReference, dimension: number) =>
  domainAt(mechanisms, reference, dimension);
const buildProximal = (reference: RegulariserReference, dimension: number) =>
  regulariserAt(mechanisms, reference, dimension);

/** Functions of rows C1 to C34, as shipped, and the paper's formulas. A mutant replaces one of them. */
export const oracleSubject = Object.freeze({
  absolute,
  averagedMoment,
  ballMean,
  buildDomain,
  buildProximal,
  clippedBias,
  clippedVariance,
  concentratedEpsilon,
  coordinateClip,
  coordinateMedianOfMeans,
  countedEvent,
  countLevels,
  countLevelsPrinted,
  countNoise,
  countVariance,
  empiricalGradientMoment,
  entryBias,
  exampleLipschitz,
  exampleMoment,
  expectedMedian,
  discreteBatchMoment,
  discreteMoments,
  gaussian,
  gradientMomentOf,
  gridShare,
  gridTerm,
  groupRho,
  intersectBall,
  l2Clip,
  leastLimit,
  limitConstant,
  localizedPhases,
  localizedStronglyConvex,
  localizedSubgradient,
  meanDeviation,
  medianNoise,
  medianNoiseBias,
  medianOfMeansBound,
  medianOfMeansGroups,
  medianShare,
  medianShareHolds,
  medianTotal,
  minimiserDistance,
  noiseVariances,
  noisyClippedAcSa,
  noisyClippedProximalSgd,
  noisyClippedSgd,
  noisyClippedSubgradient,
  normMoment,
  parallelEvent,
  powerSplit,
  recentred,
  recentredPrinted,
  regularisedSubgradient,
  sharpConstant,
  shiftedRenyi,
  shortEpsilon,
  shortEpsilonHolds,
  shuffledMedianOfMeans,
  shuffledScalarSum,
  shuffledVectorSum,
  shuffleMessages,
  squared,
  subexponentialScale,
  tailBound,
  vectorVariance,
  zcdp,
});

/**
 * Functions of rows C1 to C34: oracles, protocols, conversions and moments as shipped, and the paper's
 * formulas.
 */
export type OracleSubject = typeof oracleSubject;
