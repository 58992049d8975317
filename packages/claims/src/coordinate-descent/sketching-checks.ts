import type { ClaimCheck } from '@lethe/laws';
import { audit } from './audit.js';
import { averaging, restarts } from './averaging.js';
import { exactlyPrivate, noiseFormula, printedNoise, sizeDoesNotMatter } from './calibration.js';
import { blockGradients, gradientSensitivity } from './lipschitz.js';
import { blockNoise, dualNorms, niceNoise, noiseConstant, noiseOfCoarserBlocks } from './noise-constants.js';
import { noisyMoment, printedNoisyMoment } from './noisy-moments.js';
import {
  blockMechanism,
  gaussianRenyi,
  noiseSuffices,
  printedBlockMechanism,
  renyiComposition,
  renyiConversion,
} from './renyi.js';
import { coordinateDescent, fullGradient } from './same-runs.js';
import { samplerLaws, unbiasedDraws } from './sampler-laws.js';
import { oneSketch, secondMoment, sketchedMatrix, unbiased } from './sketch-moments.js';
import type { SketchingSubject } from './sketching-subject.js';
import { equalSmoothness, specialCases } from './special-cases.js';
import { canonicalStep, noiseWhereDrawn } from './steps.js';

const checks = [
  unbiased,
  samplerLaws,
  unbiasedDraws,
  secondMoment,
  sketchedMatrix,
  oneSketch,
  noisyMoment,
  printedNoisyMoment,
  noiseConstant,
  blockNoise,
  noiseOfCoarserBlocks,
  niceNoise,
  dualNorms,
  blockGradients,
  gradientSensitivity,
  gaussianRenyi,
  blockMechanism,
  printedBlockMechanism,
  renyiComposition,
  renyiConversion,
  noiseSuffices,
  noiseFormula,
  sizeDoesNotMatter,
  exactlyPrivate,
  audit,
  noiseWhereDrawn,
  printedNoise,
  canonicalStep,
  coordinateDescent,
  fullGradient,
  specialCases,
  equalSmoothness,
  averaging,
  restarts,
];

/** Checks of rows 1 to 31. */
export const sketchingChecks = (subject: SketchingSubject): readonly ClaimCheck[] =>
  checks.map((check) => check(subject));
