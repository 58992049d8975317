import type { ClaimCheck } from '@lethe/laws';
import {
  clippedMeanBias,
  clippingContracts,
  empiricalBias,
  expectedDistance,
  expectedDistancePrinted,
  pointwiseBias,
} from './bias.js';
import { composition, compositionPrinted } from './composition.js';
import { conversion, gaussianDivergence, shortConversion } from './conversion.js';
import { countMoments, countMomentsPrinted, countPrivacy } from './counts.js';
import { entryBias, entryMoments } from './entries.js';
import { firstExample, firstExamplePrinted } from './example.js';
import { ledgers, noiseCalibration, noiseCalibrationPrinted } from './ledgers.js';
import { limitConstant, limitConstantPrinted } from './limits.js';
import { averagedMoments, lipschitzEvent, localisedMinimiser } from './localisation.js';
import {
  meanDeviation,
  medianOfMeans,
  medianOfMeansPrinted,
  noisyMedian,
  noisyMedianPrinted,
} from './medians.js';
import { coordinateMoments, empiricalMoments, momentOrder } from './moments.js';
import { projections } from './projections.js';
import { regulariserIsFree } from './regulariser.js';
import { groupPrivacy, meanSensitivity, medianNoisePrinted, medianSensitivity } from './sensitivity.js';
import { shuffledVectors, shuffledVectorsPrinted } from './shuffled-vectors.js';
import { shuffler } from './shuffler.js';
import type { OracleSubject } from './subject.js';
import { clippedMeanVariance } from './variance.js';

const checks: readonly ((subject: OracleSubject) => ClaimCheck)[] = [
  projections,
  meanSensitivity,
  noiseCalibration,
  noiseCalibrationPrinted,
  gaussianDivergence,
  conversion,
  shortConversion,
  ledgers,
  regulariserIsFree,
  medianSensitivity,
  medianNoisePrinted,
  countPrivacy,
  countMoments,
  countMomentsPrinted,
  shuffledVectors,
  shuffledVectorsPrinted,
  composition,
  compositionPrinted,
  shuffler,
  groupPrivacy,
  pointwiseBias,
  clippedMeanBias,
  empiricalBias,
  clippedMeanVariance,
  clippingContracts,
  expectedDistance,
  expectedDistancePrinted,
  entryBias,
  entryMoments,
  meanDeviation,
  medianOfMeans,
  medianOfMeansPrinted,
  noisyMedian,
  noisyMedianPrinted,
  firstExample,
  firstExamplePrinted,
  momentOrder,
  coordinateMoments,
  empiricalMoments,
  averagedMoments,
  lipschitzEvent,
  localisedMinimiser,
  limitConstant,
  limitConstantPrinted,
];

/**
 * Checks of rows C1 to C34, in row order: privacy, oracles and moments. Checks of printed statements end in
 * `-printed` and fail.
 */
export const oracleChecks = (subject: OracleSubject): readonly ClaimCheck[] =>
  checks.map((check) => check(subject));
