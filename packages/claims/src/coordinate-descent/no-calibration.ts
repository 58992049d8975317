import { Unsupported, type Calibrate } from '@lethe/core';

/** For plans with given noise, or with calibration by a theorem. */
export const noCalibration: Calibrate = () => {
  throw new Unsupported('nothing here is to be calibrated by an accountant', {});
};
