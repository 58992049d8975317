import type { ClaimCheck } from '@lethe/laws';
import { clippedMeanBias, clippingContracts, empiricalBias, expectedDistance, expectedDistancePrinted, pointwiseBias } from './oracle-bias.js';
import { composition, compositionPrinted } from './oracle-composition.js';
import { conversion, gaussianDivergence, shortConversion } from './oracle-conversion.js';
import { countMoments, countMomentsPrinted, countPrivacy } from './oracle-counts.js';
import { entryBias, entryMoments } from './oracle-entries.js';
import { firstExample, firstExamplePrinted } from './oracle-example.js';
import { ledgers, noiseCalibration, noiseCalibrationPrinted } from './oracle-ledgers.js';
import { limitConstant, limitConstantPrinted } from './oracle-limits.js';
import { averagedMoments, lipschitzEvent, localisedMinimiser } from './oracle-localisation.js';
import { meanDeviation, medianOfMeans, medianOfMeansPrinted, noisyMedian, noisyMedianPrinted } from './oracle-medians.js';
import { coordinateMoments, empiricalMoments, momentOrder } from './oracle-moments.js';
import { projections } from './oracle-projections.js';
import { regulariserIsFree } from './oracle-regulariser.js';
import { groupPrivacy, meanSensitivity, medianNoisePrinted, medianSensitivity } from './oracle-sensitivity.js';
import { shuffledVectors, shuffledVectorsPrinted } from './oracle-shuffled-vectors.js';
import { shuffler } from './oracle-shuffler.js';
import type { OracleSubject } from './oracle-subject.js';
import { clippedMeanVariance } from './oracle-variance.js';

const checks: readonly ((subject: OracleSubject) => ClaimCheck)[] = [
  projections, meanSensitivity, noiseCalibration, noiseCalibrationPrinted, gaussianDivergence, conversion, shortConversion, ledgers, regulariserIsFree, medianSensitivity, medianNoisePrinted, countPrivacy, countMoments, countMomentsPrinted, shuffledVectors, shuffledVectorsPrinted, composition, compositionPrinted, shuffler, groupPrivacy,
  pointwiseBias, clippedMeanBias, empiricalBias, clippedMeanVariance, clippingContracts, expectedDistance, expectedDistancePrinted, entryBias, entryMoments, meanDeviation, medianOfMeans, medianOfMeansPrinted, noisyMedian, noisyMedianPrinted,
  firstExample, firstExamplePrinted, momentOrder, coordinateMoments, empiricalMoments, averagedMoments, lipschitzEvent, localisedMinimiser, limitConstant, limitConstantPrinted,
];

/** What decides rows C1 to C34: privacy, oracles and moments, in the order of the rows; those whose id ends in `-printed` try what is printed, and fail. */
export const oracleChecks = (subject: OracleSubject): readonly ClaimCheck[] => checks.map((check) => check(subject));
