import {
  acSa, acSaExcessRisk, acSaPathwiseBound, averagedMoment, localizedPhases, localizedStronglyConvex, localizedSubgradient, heavyTailsRates, momentumAt, noisyClippedAcSa, noisyClippedProximalSgd, noisyClippedSgd, noisyClippedSubgradient, productAt, proximalPlExcessRisk, proximalPlSchedule, proximalSgd, proximityAt, regularisedSubgradient, smoothConvexSchedule,
  smoothStronglyConvexSchedule, stichBound, stochasticStepSizes, stronglyConvexBlocks, stronglyConvexExcessRisk, subgradientDistanceBound, weightedSgd,
} from '@lethe/algorithms';
import {
  blockError, generalisationBound, gradientStepBound, nextBlock, nextBlockGap, nextProduct, phaseRounds,
  printedGradientStepBound, printedModelBound, printedNextBlock, printedNextProduct, printedPhaseRounds,
  printedStepNoise, proximalCost, proximalDecrease, proximalPlStepBound, proximalShift,
  regularisedExcessBound, smoothConvexRounds, stabilityBound, stableGapBound, stepNoise, subgradientRecursion,
  subgradientStepBound, swapGap, swappedRiskSum,
} from './formulas.js';
import { kinkedMinimiser, secondMoment } from './kinked.js';

/** Functions of rows C35 to C59, as shipped, and the paper's formulas. A mutant replaces one of them. */
export const optimizerSubject = Object.freeze({
  acSa, acSaExcessRisk, acSaPathwiseBound, averagedMoment, blockError, generalisationBound, gradientStepBound, kinkedMinimiser, localizedPhases, localizedStronglyConvex, localizedSubgradient, heavyTailsRates, momentumAt, nextBlock, nextBlockGap, nextProduct, noisyClippedAcSa,
  noisyClippedProximalSgd, noisyClippedSgd, noisyClippedSubgradient, phaseRounds, printedGradientStepBound,
  printedModelBound, printedNextBlock, printedNextProduct, printedPhaseRounds, printedStepNoise, productAt, proximalCost, proximalDecrease, proximalPlExcessRisk, proximalPlSchedule, proximalPlStepBound, proximalSgd, proximalShift, proximityAt, regularisedExcessBound,
  regularisedSubgradient, secondMoment, smoothConvexRounds, smoothConvexSchedule, smoothStronglyConvexSchedule, stabilityBound, stableGapBound, stepNoise, stichBound, stochasticStepSizes, stronglyConvexBlocks,
  stronglyConvexExcessRisk, subgradientDistanceBound, subgradientRecursion, subgradientStepBound, swapGap, swappedRiskSum, weightedSgd,
});

/** See {@link optimizerSubject}. */
export type OptimizerSubject = typeof optimizerSubject;
