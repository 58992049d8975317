import { Unsupported, type Calibrate } from '@lethe/core';

/** For plans that are told their noise, or calibrate by a theorem. */
export const noCalibration: Calibrate = () => { throw new Unsupported('nothing here is to be calibrated by an accountant', {}); };
