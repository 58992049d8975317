import { gdp } from '@lethe/accountants';
import { dpCd, dpSkgd, exactQuadraticMoments, lazyAverage, lemmaD8Holds, noisyGradientDescent, rates, renyiConversion, renyiSlope, sketchedDescent, theoremGaussianMu, theoremNoiseMultiplier, theoremNoiseScale, weightedNorm } from '@lethe/algorithms';
import { blockLipschitz, boundedMeanSensitivity } from '@lethe/core';
import { logistic } from '@lethe/losses';
import { blockSketch, expectedSketchedDiagonal, expectedSketchedMatrix, finiteSketch, fullSketch, gaussian, independentCoordinates, singleCoordinate, sketchConstants, tauNice } from '@lethe/mechanisms';
import { canonicalSteps, gaussianRenyi, lipschitzAlong, niceNoise, niceSecondMoment, noiseVariance, runNoiseScale, scaled, sketchDiagonal, sketchedRenyi, sketchedStep } from './formulas.js';

/** Functions of rows 1 to 31, as shipped, and the paper's formulas. A mutant replaces one of them. */
export const sketchingSubject = Object.freeze({
  blockLipschitz, blockSketch, boundedMeanSensitivity, canonicalSteps, dpCd, dpSkgd, exactQuadraticMoments, expectedSketchedDiagonal, expectedSketchedMatrix, finiteSketch, fullSketch, gaussian, gaussianRenyi, gdp, independentCoordinates,
  lazyAverage, lemmaD8Holds, lipschitzAlong, logistic, niceNoise, niceSecondMoment, noiseVariance, noisyGradientDescent, rates, renyiConversion, renyiSlope, runNoiseScale, scaled, singleCoordinate,
  sketchConstants, sketchDiagonal, sketchedDescent, sketchedRenyi, sketchedStep, tauNice, theoremGaussianMu, theoremNoiseMultiplier, theoremNoiseScale, weightedNorm,
});

/** See {@link sketchingSubject}. */
export type SketchingSubject = typeof sketchingSubject;
