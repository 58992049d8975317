import {
  boosted,
  boostingBudget,
  boostingFailure,
  dpSgd,
  empiricalRisk,
  empiricalStrength,
  largestEntry,
  likelyRegret,
  meanRuns,
  outputPerturbation,
  perturbationRisk,
  populationStrength,
  scoreMargin,
  sparseExponential,
  sparseNet,
  sparseNetRisk,
  sparseNetSpacing,
} from '@lethe/algorithms';
import { boundedMeanSensitivity } from '@lethe/core';
import { centralCurator, minimiserSensitivity } from '@lethe/curator';
import { acceleratedGradient, exponential, projectionErrorWithin } from '@lethe/mechanisms';
import { hinge, huber, logistic } from '@lethe/losses';
import { l2Ball } from '@lethe/numerics';
import {
  approximateBlocks,
  approximateMeanRate,
  blockDiagonal,
  failureNeeded,
  fingerprintingMeanSquare,
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
import { meansSubject } from './means/subject.js';

/** The paper's bound on the probability that ρ₀K/2 of K independent trials succeed. */
const independentFailures = (trials: number, each: number): number => -Math.expm1((-each * trials) / 8);

/** The factor of the fingerprinting identity. */
const scoreFactor = (): number => 2;

/** The functions and plugins that the claims are about, as shipped, and the paper's own formulas. */
export const sparseGradientsSubject = Object.freeze({
  ...debiasedSubject,
  ...meansSubject,
  acceleratedGradient,
  boosted,
  boostingBudget,
  boostingFailure,
  boundedMeanSensitivity,
  centralCurator,
  dpSgd,
  meanRuns,
  scoreMargin,
  empiricalRisk,
  empiricalStrength,
  exponential,
  hinge,
  huber,
  l2Ball,
  largestEntry,
  likelyRegret,
  logistic,
  minimiserSensitivity,
  outputPerturbation,
  perturbationRisk,
  populationStrength,
  sparseExponential,
  sparseNet,
  sparseNetRisk,
  sparseNetSpacing,
  approximateBlocks,
  approximateMeanRate,
  blockDiagonal,
  failureNeeded,
  fingerprintingMeanSquare,
  greedyPacking,
  independentFailures,
  logPackingPromise,
  packingMeanBound,
  projectionErrorWithin,
  pureBaseRate,
  pureBlocks,
  pureMeanRate,
  rateTables,
  scoreFactor,
  separationOf,
});
/** Type of {@link sparseGradientsSubject}. */
export type SparseGradientsSubject = typeof sparseGradientsSubject;
