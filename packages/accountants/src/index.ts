import type { Accountant } from '@lethe/core';
import { centralLimit } from './central-limit.js';
import { advanced } from './composition/advanced.js';
import { basic } from './composition/basic.js';
import { optimal } from './composition/optimal.js';
import { gdp } from './gdp.js';
import { pld, privacyLossDistribution } from './pld.js';
import { rdp } from './rdp.js';
import { saddlePoint } from './saddle-point.js';
import { tcdp } from './tcdp.js';
import { zcdp } from './zcdp.js';

export { bestOf } from './best-of.js';
export { calibrator, type CalibratorOptions } from './calibrator.js';
export type { Calibration, CalibrationOptions } from './calibration/options.js';
export { groupEpsilon, type GroupQuery } from './group.js';
export * from './interactive/index.js';
export { gaussianDomination, type GaussianDomination } from './gaussian-domination.js';
export { type Profile, profileAt, profileOf } from './profile.js';
export { renyiDelta, renyiEpsilon, type AtOrder, type FromOrder, type RenyiCurve } from './renyi-conversion.js';
export { detectionRate, gaussianDetectionRate } from './trade-off.js';
export { negativeBinomialSelection, type NegativeBinomial } from './repeated-selection.js';
export { advanced, basic, centralLimit, gdp, optimal, pld, privacyLossDistribution, rdp, saddlePoint, tcdp, zcdp };

/** Every accountant of this package, quick ones first: `bestOf` asks no further once one is exact, and `calibrator` looks about with the first that answers. */
export const accountants: readonly Accountant[] = Object.freeze([gdp, rdp, zcdp, tcdp, basic, advanced, optimal, pld, saddlePoint]);
