import {
  empiricalRisk,
  empiricalStrength,
  largestEntry,
  likelyRegret,
  outputPerturbation,
  perturbationRisk,
  populationStrength,
  sparseNet,
  sparseNetRisk,
  sparseNetSpacing,
} from '@lethe/algorithms';
import { minimiserSensitivity } from '@lethe/core';
import { acceleratedGradient, exponential } from '@lethe/mechanisms';
import { l2Ball } from '@lethe/numerics';
import {
  approximateBlocks,
  approximateMeanRate,
  blockDiagonal,
  failureNeeded,
  greedyPacking,
  logPackingPromise,
  packingMeanBound,
  pureBaseRate,
  pureBlocks,
  pureMeanRate,
  rateTables,
  separationOf,
} from '@lethe/lower-bounds';
import { debiasedSubject } from './debiased-subject.js';

/** The paper's bound on the probability that ρ₀K/2 of K independent trials succeed. */
const independentFailures = (trials: number, each: number): number => -Math.expm1((-each * trials) / 8);

/** The functions and plugins that the claims are about, as shipped, and the paper's own formulas. */
export const sparseGradientsSubject = Object.freeze({
  ...debiasedSubject,
  acceleratedGradient,
  empiricalRisk,
  empiricalStrength,
  exponential,
  l2Ball,
  largestEntry,
  likelyRegret,
  minimiserSensitivity,
  outputPerturbation,
  perturbationRisk,
  populationStrength,
  sparseNet,
  sparseNetRisk,
  sparseNetSpacing,
  approximateBlocks,
  approximateMeanRate,
  blockDiagonal,
  failureNeeded,
  greedyPacking,
  independentFailures,
  logPackingPromise,
  packingMeanBound,
  pureBaseRate,
  pureBlocks,
  pureMeanRate,
  rateTables,
  separationOf,
});
/** Type of {@link sparseGradientsSubject}. */
export type SparseGradientsSubject = typeof sparseGradientsSubject;
