import type { Registry } from '@lethe/core';
import { aboveThresholdEvent } from './above-threshold.js';
import { exponential } from './exponential.js';
import { permuteAndFlip } from './permute-and-flip.js';
import { pureChoice } from './pure-choice.js';
import { reportNoisyMax } from './report-noisy-max.js';

export { aboveThreshold, type AboveThreshold, type AboveThresholdOptions } from './above-threshold.js';
export { aboveThresholdEvent, exponential, permuteAndFlip, pureChoice, reportNoisyMax };

/** Selectors, the sparse vector technique, and their events. */
export const selectors: Registry = Object.freeze([
  exponential,
  permuteAndFlip,
  reportNoisyMax,
  pureChoice,
  aboveThresholdEvent,
]);
