import type { ClaimCheck } from '@lethe/laws';
import {
  againstDpCd,
  againstDpSgd,
  convexityInOtherNorms,
  printedBlockNorm,
  printedGuarantees,
  printedImportanceDistance,
  refinedCondition,
} from './comparisons.js';
import type { ConvergenceSubject } from './convergence-subject.js';
import {
  descentLemma,
  distanceLemma,
  expectedSmoothness,
  gapLemma,
  printedDistanceLemma,
} from './descent-lemmas.js';
import { bestForConvex, importanceDominates, importanceIsBest } from './probabilities.js';
import { blockwiseRounds, roundBounds, wholeSmoothness } from './rounds.js';
import { printedScaling, scaleInvariance } from './scaling.js';
import {
  bestLength,
  conditionAtLeastOne,
  convexTheorem,
  printedBestLength,
  printedConstant,
  printedHypotheses,
  printedLength,
  safeConstant,
  stronglyConvexTheorem,
} from './theorem.js';
import { averageRisk, marginalCost, wholeRun } from './whole-run.js';

const checks: readonly ((subject: ConvergenceSubject) => ClaimCheck)[] = [
  descentLemma,
  distanceLemma,
  printedDistanceLemma,
  gapLemma,
  roundBounds,
  averageRisk,
  wholeSmoothness,
  blockwiseRounds,
  convexTheorem,
  bestLength,
  printedBestLength,
  stronglyConvexTheorem,
  printedHypotheses,
  safeConstant,
  printedConstant,
  conditionAtLeastOne,
  printedLength,
  scaleInvariance,
  printedScaling,
  importanceIsBest,
  importanceDominates,
  bestForConvex,
  againstDpSgd,
  printedBlockNorm,
  againstDpCd,
  printedImportanceDistance,
  convexityInOtherNorms,
  refinedCondition,
  printedGuarantees,
  expectedSmoothness,
  marginalCost,
  wholeRun,
];

/** Checks of rows 32 to 55, in row order; row 50 repeats row 29. Ids that end in `-printed` fail. */
export const convergenceChecks = (subject: ConvergenceSubject): readonly ClaimCheck[] =>
  checks.map((check) => check(subject));
