import {
  descentContraction,
  descentDistanceBound,
  heavyTailedGradientDescent,
  heavyTailsRates,
} from '@lethe/algorithms';
import { squaredDistance } from '@lethe/losses';
import {
  alignmentOfBernoulli,
  alignmentOfInformation,
  codeWords,
  bernoulliBias,
  bernoulliMoment,
  convexLowerBound,
  informationOfHeavyTails,
  lengthOfHeavyTail,
  meanBernoulliBias,
  nonPrivateInstance,
  nonPrivateMeanInstance,
  privateInstance,
  privateMeanInstance,
  probabilityOfHeavyTail,
  stronglyConvexLowerBound,
} from '@lethe/lower-bounds';
import {
  coinDivergence,
  coordinateTerm,
  fanoHeight,
  meanRadius,
  nearestWord,
  pairDivergence,
  paretoMoment,
  printedContraction,
  printedCoordinateTerm,
  printedMeanRadius,
  restatedStep,
  spikeCoordinateMoment,
  youngFactor,
} from './formulas.js';

/**
 * Functions of rows C60 to C73, as shipped: lower bounds, prior work and the paper's formulas. A mutant
 * replaces one of them.
 */
export const hardnessSubject = Object.freeze({
  alignmentOfBernoulli,
  alignmentOfInformation,
  codeWords,
  bernoulliBias,
  coinDivergence,
  bernoulliMoment,
  convexLowerBound,
  coordinateTerm,
  descentContraction,
  descentDistanceBound,
  fanoHeight,
  heavyTailedGradientDescent,
  informationOfHeavyTails,
  lengthOfHeavyTail,
  heavyTailsRates,
  meanBernoulliBias,
  meanRadius,
  nearestWord,
  nonPrivateInstance,
  nonPrivateMeanInstance,
  pairDivergence,
  paretoMoment,
  printedContraction,
  printedCoordinateTerm,
  printedMeanRadius,
  privateInstance,
  privateMeanInstance,
  probabilityOfHeavyTail,
  restatedStep,
  spikeCoordinateMoment,
  squaredDistance,
  stronglyConvexLowerBound,
  youngFactor,
});

/** See {@link hardnessSubject}. */
export type HardnessSubject = typeof hardnessSubject;
