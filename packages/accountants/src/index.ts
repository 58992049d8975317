import type { Accountant } from '@lethe/core';
import { advanced } from './composition/advanced.js';
import { basic } from './composition/basic.js';
import { optimal } from './composition/optimal.js';
import { gdp } from './gdp.js';
import { rdp } from './rdp.js';
import { tcdp } from './tcdp.js';
import { zcdp } from './zcdp.js';

export { bestOf } from './best-of.js';
export { calibrator } from './calibrator.js';
export type { Calibration, CalibrationOptions } from './calibration/options.js';
export * from './interactive/index.js';
export { renyiDelta, renyiEpsilon, type AtOrder, type FromOrder, type RenyiCurve } from './renyi-conversion.js';
export { advanced, basic, gdp, optimal, rdp, tcdp, zcdp };

/** Every accountant of this package. */
export const accountants: readonly Accountant[] = Object.freeze([basic, advanced, optimal, gdp, rdp, tcdp, zcdp]);
