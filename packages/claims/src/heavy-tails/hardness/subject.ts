import { descentContraction, descentDistanceBound, heavyTailedGradientDescent, heavyTailsRates } from '@lethe/algorithms';
import { squaredDistance } from '@lethe/losses';
import {
  alignmentOfCoins, alignmentOfInformation, codeWords, coinBias, coinMoment, convexLowerBound, informationOfSpikes, lengthOfSpike, meanCoinBias, nonPrivateInstance, nonPrivateMeanInstance,
  privateInstance, privateMeanInstance, probabilityOfSpike, stronglyConvexLowerBound,
} from '@lethe/lower-bounds';
import {
  coinDivergence, coordinateTerm, fanoHeight, meanRadius, nearestWord, pairDivergence, paretoMoment,
  printedContraction, printedCoordinateTerm, printedMeanRadius, restatedStep, spikeCoordinateMoment,
  youngFactor,
} from './formulas.js';

/** What rows C60 to C73 speak of, lower bounds and prior work: what ships, and the paper's formulas. A mutant is this with one of them replaced. */
export const hardnessSubject = Object.freeze({
  alignmentOfCoins, alignmentOfInformation, codeWords, coinBias, coinDivergence, coinMoment, convexLowerBound, coordinateTerm, descentContraction, descentDistanceBound, fanoHeight, heavyTailedGradientDescent, informationOfSpikes, lengthOfSpike, heavyTailsRates,
  meanCoinBias, meanRadius, nearestWord, nonPrivateInstance, nonPrivateMeanInstance, pairDivergence, paretoMoment, printedContraction, printedCoordinateTerm, printedMeanRadius, privateInstance,
  privateMeanInstance, probabilityOfSpike, restatedStep, spikeCoordinateMoment, squaredDistance, stronglyConvexLowerBound, youngFactor,
});

/** See {@link hardnessSubject}. */
export type HardnessSubject = typeof hardnessSubject;
