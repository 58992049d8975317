import {
  acceleratedGradient,
  blockSketch,
  boxDomain,
  finiteSketch,
  fixedSize,
  fixedSizeWithReplacement,
  full,
  fullSketch,
  independentCoordinates,
  intersectionDomain,
  l1BallDomain,
  l2BallDomain,
  partition,
  poisson,
  randomAllocation,
  shuffledEpochs,
  simplexDomain,
  singleCoordinate,
  tauNice,
  wholeSpaceDomain,
} from '@lethe/mechanisms';
import type { Plugin, Registry } from '@lethe/core';
import { defineTight } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

const tight = <P extends Plugin>(id: string, plugin: P, params?: unknown, registry: Registry = []) =>
  defineTight({ id, kind: plugin.kind, plant: () => plantedPlugin(plugin, {}, params, registry) });

export const tightPoisson = tight('poisson', poisson);
export const tightRarePoisson = tight('poisson-rare', poisson, { rate: 0.02 });
export const tightEverySlot = tight('poisson-everyone', poisson, { rate: 1 });
export const tightFull = tight('full', full);
export const tightPartition = tight('partition', partition);
export const tightFixedSize = tight('fixed-size', fixedSize);
export const tightSingle = tight('fixed-size-one', fixedSize, { size: 1 });
export const tightRepeats = tight('fixed-size-with-replacement', fixedSizeWithReplacement);
export const tightManyRepeats = tight('fixed-size-with-replacement-many', fixedSizeWithReplacement, {
  size: 40,
});
export const tightEpochs = tight('shuffled-epochs', shuffledEpochs);
export const tightPairs = tight('shuffled-epochs-threes', shuffledEpochs, { size: 3 });
export const tightAllocation = tight('random-allocation', randomAllocation);
export const tightWideAllocation = tight('random-allocation-many', randomAllocation, { steps: 40 });
export const tightFullSketch = tight('full-sketch', fullSketch);
export const tightSubset = tight('random-subset', tauNice);
export const tightCoordinate = tight('one-coordinate', singleCoordinate);
export const tightImportance = tight('importance', singleCoordinate, {
  choice: { by: 'importance', smoothness: [5, 1, 2] },
});
export const tightOddImportance = tight('importance-odd', singleCoordinate, {
  choice: { by: 'importance', smoothness: [0.1, 0.7, Math.E, 1e-6] },
});
export const tightOwnCoins = tight('own-coins', independentCoordinates);
export const tightOwnProbabilities = tight('own-probabilities', independentCoordinates, {
  probabilities: [0.1, 0.7, 1, 1e-6, 0.999, 0.5, 0.25, 0.01],
});
export const tightBlocks = tight('blocks', blockSketch);
export const tightFinite = tight('finite-sketch', finiteSketch);
export const tightWholeSpace = tight('whole-space', wholeSpaceDomain);
export const tightBall = tight('l2-ball', l2BallDomain);
export const tightCrossPolytope = tight('l1-ball', l1BallDomain);
export const tightBox = tight('box', boxDomain);
export const tightSimplex = tight('simplex', simplexDomain);
export const tightIntersection = tight('intersection', intersectionDomain, undefined, [boxDomain]);
export const tightSolver = tight('accelerated-gradient', acceleratedGradient, { iterations: 60 });
