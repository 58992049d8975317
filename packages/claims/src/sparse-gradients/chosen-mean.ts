import { clippedMean, gaussian, l2Clip } from '@lethe/mechanisms';

/** A mean by reference, for queries that are answered without it. */
export const clippedGaussianMean = clippedMean({
  clip: l2Clip({ radius: 1 }),
  mechanism: gaussian({}),
});
