import type { ClaimCheck } from '@lethe/laws';
import {
  acSaExpectation,
  acSaNoiseSum,
  acSaPathwise,
  acSaSchedule,
  acSaStep,
  printedAcSaSchedule,
  printedDiameter,
} from './ac-sa.js';
import { gradientCounts } from './counts.js';
import { localizedNumbers, printedAveragedMoment, printedBlocks, wrapperBlocks } from './localized.js';
import {
  printedProximalModel,
  printedProximalNoise,
  proximalPerturbation,
  proximalPlBound,
  proximalPlClass,
  proximalPlStep,
} from './proximal.js';
import {
  gradientStep,
  printedBatches,
  printedGradientStep,
  stochasticSteps,
  stronglyConvexBound,
  stronglyConvexChoices,
} from './sgd.js';
import { printedSmoothConvexRounds, smoothConvexChoices } from './smooth-convex.js';
import {
  minimiserStability,
  regularisedExcess,
  stableGap,
  swapGapIdentity,
  swapIdentity,
  swapStability,
} from './stability.js';
import { printedPhaseLength, subgradientDistance, subgradientStep } from './subgradient.js';
import type { OptimizerSubject } from './subject.js';

const checks: readonly ((subject: OptimizerSubject) => ClaimCheck)[] = [
  acSaSchedule,
  printedAcSaSchedule,
  acSaStep,
  acSaPathwise,
  acSaNoiseSum,
  acSaExpectation,
  printedDiameter,
  smoothConvexChoices,
  printedSmoothConvexRounds,
  gradientStep,
  printedGradientStep,
  stochasticSteps,
  stronglyConvexBound,
  printedBatches,
  stronglyConvexChoices,
  subgradientStep,
  subgradientDistance,
  printedPhaseLength,
  localizedNumbers,
  printedAveragedMoment,
  swapStability,
  swapIdentity,
  swapGapIdentity,
  minimiserStability,
  stableGap,
  regularisedExcess,
  wrapperBlocks,
  printedBlocks,
  proximalPlClass,
  proximalPerturbation,
  proximalPlStep,
  printedProximalModel,
  proximalPlBound,
  printedProximalNoise,
  gradientCounts,
];

/** Checks of rows C35 to C59, in row order. Checks of printed statements end in `-printed` and fail. */
export const optimizerChecks = (subject: OptimizerSubject): readonly ClaimCheck[] =>
  checks.map((check) => check(subject));
