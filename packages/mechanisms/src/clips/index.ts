import type { Registry } from '@lethe/core';
import { automaticClip } from './automatic-clip.js';
import { blockClip } from './block-clip.js';
import { coordinateClip } from './coordinate-clip.js';
import { domainClip } from './domain-clip.js';
import { gradientDifferenceClip } from './gradient-difference-clip.js';
import { l1Clip } from './l1-clip.js';
import { l2Clip } from './l2-clip.js';
import { latticeClip } from './lattice-clip.js';

export {
  adaptThreshold,
  fractionWithin,
  nextThreshold,
  type AdaptedThreshold,
  type AdaptThresholdOptions,
  type ThresholdStep,
} from './adaptive-threshold.js';
export { noiseSplit, type NoiseSplitOptions } from './noise-split.js';
export { privateQuantile, type PrivateQuantileOptions, type QuantileBracket } from './private-quantile.js';
export {
  automaticClip,
  blockClip,
  coordinateClip,
  domainClip,
  gradientDifferenceClip,
  l1Clip,
  l2Clip,
  latticeClip,
};

/** The clips. */
export const clips: Registry = Object.freeze([
  l2Clip,
  l1Clip,
  coordinateClip,
  blockClip,
  automaticClip,
  domainClip,
  gradientDifferenceClip,
  latticeClip,
]);
export { assertMoment } from './moment.js';
