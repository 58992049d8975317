import { descentContraction, descentDistanceBound, heavyTailedGradientDescent, heavyTailsRates } from '@lethe/algorithms';
import { squaredDistance } from '@lethe/losses';
import {
  alignmentOfBernoulli, alignmentOfInformation, codeWords, bernoulliBias, bernoulliMoment, convexLowerBound, informationOfHeavyTails, lengthOfHeavyTail, meanBernoulliBias, nonPrivateInstance, nonPrivateMeanInstance,
  privateInstance, privateMeanInstance, probabilityOfHeavyTail, stronglyConvexLowerBound,
} from '@lethe/lower-bounds';
import {
  coinDivergence, coordinateTerm, fanoHeight, meanRadius, nearestWord, pairDivergence, paretoMoment,
  printedContraction, printedCoordinateTerm, printedMeanRadius, restatedStep, spikeCoordinateMoment,
  youngFactor,
} from './formulas.js';

/** What rows C60 to C73 speak of, lower bounds and prior work: what ships, and the paper's formulas. A mutant is this with one of them replaced. */
export const hardnessSubject = Object.freeze({
  alignmentOfBernoulli, alignmentOfInformation, codeWords, bernoulliBias, coinDivergence, bernoulliMoment, convexLowerBound, coordinateTerm, descentContraction, descentDistanceBound, fanoHeight, heavyTailedGradientDescent, informationOfHeavyTails, lengthOfHeavyTail, heavyTailsRates,
  meanBernoulliBias, meanRadius, nearestWord, nonPrivateInstance, nonPrivateMeanInstance, pairDivergence, paretoMoment, printedContraction, printedCoordinateTerm, printedMeanRadius, privateInstance,
  privateMeanInstance, probabilityOfHeavyTail, restatedStep, spikeCoordinateMoment, squaredDistance, stronglyConvexLowerBound, youngFactor,
});

/** See {@link hardnessSubject}. */
export type HardnessSubject = typeof hardnessSubject;
