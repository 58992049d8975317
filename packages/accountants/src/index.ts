import type { Accountant } from '@lethe/core';
import { centralLimit } from './gaussian/central-limit.js';
import { advanced } from './composition/advanced.js';
import { basic } from './composition/basic.js';
import { optimal } from './composition/optimal.js';
import { gdp } from './gaussian/gdp.js';
import { oneDirection, pld, privacyLossDistribution } from './pld/pld.js';
import { rdp } from './renyi/rdp.js';
import { saddlePoint } from './saddle-point/saddle-point.js';
import { tcdp } from './renyi/tcdp.js';
import { zcdp } from './renyi/zcdp.js';

export { bestOf } from './accountant/best-of.js';
export type { TimeOptions } from './accountant/time-limit.js';
export { accountantOf, type Conversion, type Found } from './accountant/certify.js';
export { totalHolds, type LedgerRuns, type TotalHolds } from './accountant/total-holds.js';
export { understand, type Understood } from './accountant/understand.js';
export { calibrator, type CalibratorOptions } from './calibration/calibrator.js';
export { calibratorOf } from './calibration/calibrator-of.js';
export {
  calibrateDetection,
  type DetectionCalibration,
  type DetectionTarget,
} from './calibration/detection.js';
export type { Calibration, CalibrationOptions } from './calibration/options.js';
export { groupEpsilon, type GroupQuery } from './composition/group.js';
export * from './filters/index.js';
export { gaussianDomination, type GaussianDomination } from './profiles/gaussian-domination.js';
export { type Profile, profileAt, profileOf } from './profiles/profile.js';
export {
  renyiDelta,
  renyiEpsilon,
  type AtOrder,
  type FromOrder,
  type RenyiCurve,
} from './renyi/renyi-conversion.js';
export { rdpOf } from './renyi/rdp-of.js';
export { compositions, gaussianNoise, poissonSamples } from './events/kinds/few.js';
export type { Knower, Knowers, Knowledge, NestedResolver } from './events/knowledge.js';
export { fromDpAccounting, toDpAccounting } from './peers/dp-accounting.js';
export { detectionRate, gaussianDetectionRate } from './profiles/trade-off.js';
export {
  negativeBinomialOf,
  negativeBinomialSelection,
  type NegativeBinomial,
} from './selection/repeated-selection.js';
export {
  advanced,
  basic,
  centralLimit,
  gdp,
  oneDirection,
  optimal,
  pld,
  privacyLossDistribution,
  rdp,
  saddlePoint,
  tcdp,
  zcdp,
};

/**
 * All certified accountants of this package, fast ones first, as {@link bestOf} and {@link calibrator}
 * expect.
 */
export const accountants: readonly Accountant[] = Object.freeze([
  gdp,
  rdp,
  zcdp,
  tcdp,
  basic,
  advanced,
  optimal,
  pld,
  saddlePoint,
]);
export * from './events/index.js';
