import {
  acceleratedDpSgd,
  acceleratedDpSrgd,
  certifiedClip,
  certifiedClipAt,
  closingClip,
  closingClipAt,
  coupling,
  differenceBound,
  expectedRisk,
  likelyErrorsAt,
  likelyNorm,
  likelyRisk,
  likelySamplingError,
  literalClip,
  localizedAcSa,
  neededClips,
  noiseOfSums,
  noisePerClip,
  onlineToBatch,
  phasedErm,
  phasedSgd,
  potentialDrop,
  privacyConstant,
  recursiveDpSgd,
  riskAfter,
  riskOf,
  scheduleOf,
  snowballSgd,
  stepWeight,
  weightSum,
} from '@lethe/algorithms';
import { gdp } from '@lethe/accountants';
import { centralCurator, descentSensitivity, minimiserSensitivity } from '@lethe/curator';
import { logistic } from '@lethe/losses';
import { binaryTree, gaussian, gradientDifferenceClip, independentIncrements } from '@lethe/mechanisms';
import { box, l2Ball } from '@lethe/numerics';

/** The paper's private rate, in units of `LR`: `√d/(εn)`. */
const privateRate = (records: number, dimension: number, epsilon: number): number =>
  Math.sqrt(dimension) / (epsilon * records);

/**
 * Gradients of Carmon et al. 2023 up to a constant, where that many records allow one epoch:
 * `n + (nd)^(2/3)/ε`.
 */
const carmonGradients = (records: number, dimension: number, epsilon: number): number =>
  records + (records * dimension) ** (2 / 3) / epsilon;

/** `Σ_{i < t} i^k`. */
const powerSum = (t: number, power: number): number =>
  Array.from({ length: t }, (_, i) => i ** power).reduce((sum, one) => sum + one, 0);

/** Slopes `±x` of two records, which the average does not have. */
const oppositeSlopes = (): readonly number[] => [1, -1];

/** Least `c₁` with `√2 c₂ max(√(8c₁ + 1), 1 + √2/c₂) ≤ c₁`, by iteration. */
function closingConstant(c2: number): number {
  let c1 = 1;
  for (let i = 0; i < 500; i++) c1 = Math.SQRT2 * c2 * Math.max(Math.sqrt(8 * c1 + 1), 1 + Math.SQRT2 / c2);
  return c1;
}

/** The functions and plugins that the claims are about, as shipped, and the paper's own formulas. */
export const recursiveGradientsSubject = Object.freeze({
  acceleratedDpSgd,
  acceleratedDpSrgd,
  binaryTree,
  box,
  carmonGradients,
  centralCurator,
  certifiedClip,
  certifiedClipAt,
  closingClip,
  closingClipAt,
  closingConstant,
  coupling,
  descentSensitivity,
  differenceBound,
  expectedRisk,
  gaussian,
  gdp,
  gradientDifferenceClip,
  independentIncrements,
  l2Ball,
  likelyErrorsAt,
  likelyNorm,
  likelyRisk,
  likelySamplingError,
  literalClip,
  localizedAcSa,
  logistic,
  minimiserSensitivity,
  neededClips,
  noiseOfSums,
  noisePerClip,
  onlineToBatch,
  oppositeSlopes,
  phasedErm,
  phasedSgd,
  potentialDrop,
  powerSum,
  privacyConstant,
  privateRate,
  recursiveDpSgd,
  riskAfter,
  riskOf,
  scheduleOf,
  snowballSgd,
  stepWeight,
  weightSum,
});

/** A subject: shipped functions, or others in their place. */
export type RecursiveGradientsSubject = typeof recursiveGradientsSubject;
