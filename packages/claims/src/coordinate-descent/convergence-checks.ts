import type { ClaimCheck } from '@lethe/laws';
import {
  againstDpCd,
  againstDpSgd,
  convexityInOtherNorms,
  equalSmoothness,
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
  equalSmoothness,
  convexityInOtherNorms,
  refinedCondition,
  printedGuarantees,
  expectedSmoothness,
  marginalCost,
  wholeRun,
];

/** Checks of rows 32 to 55, in row order. Checks of printed statements end in `-printed` and fail. */
export const convergenceChecks = (subject: ConvergenceSubject): readonly ClaimCheck[] =>
  checks.map((check) => check(subject));
