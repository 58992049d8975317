import type { Accountant } from '@lethe/core';
import { gdp } from './gdp.js';
import { rdp } from './rdp.js';
import { zcdp } from './zcdp.js';

export { bestOf } from './best-of.js';
export { calibrator } from './calibrator.js';
export type { Calibration, CalibrationOptions } from './calibration/options.js';
export * from './interactive/index.js';
export { gdp, rdp, zcdp };

/** Every accountant of this package. */
export const accountants: readonly Accountant[] = Object.freeze([gdp, rdp, zcdp]);
