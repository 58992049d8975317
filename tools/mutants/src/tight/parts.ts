import { acceleratedGradient, boxDomain, full, intersectionDomain, l1BallDomain, l2BallDomain, partition, poisson, simplexDomain, wholeSpaceDomain } from '@lethe/mechanisms';
import type { Plugin } from '@lethe/core';
import { defineTight } from '../mutant.ts';
import { fixedSize } from '../reference/fixed-size.ts';
import { plantedPlugin } from '../reference/planted-plugin.ts';
import { importance, ownCoins, randomSubset, runOfCoordinates } from '../reference/sketches.ts';

const tight = <P extends Plugin>(id: string, plugin: P, params?: unknown) => defineTight({ id, kind: plugin.kind, plant: () => plantedPlugin(plugin, {}, params) });

export const tightPoisson = tight('poisson', poisson);
export const tightRarePoisson = tight('poisson-rare', poisson, { rate: 0.02 });
export const tightEverySlot = tight('poisson-everyone', poisson, { rate: 1 });
export const tightFull = tight('full', full);
export const tightPartition = tight('partition', partition);
export const tightFixedSize = tight('fixed-size', fixedSize);
export const tightSingle = tight('fixed-size-one', fixedSize, { size: 1 });
export const tightSubset = tight('random-subset', randomSubset);
export const tightCoordinate = tight('one-coordinate', randomSubset, { size: 1 });
export const tightImportance = tight('importance', importance);
export const tightOwnCoins = tight('own-coins', ownCoins);
export const tightBlocks = tight('blocks', runOfCoordinates);
export const tightWholeSpace = tight('whole-space', wholeSpaceDomain);
export const tightBall = tight('l2-ball', l2BallDomain);
export const tightCrossPolytope = tight('l1-ball', l1BallDomain);
export const tightBox = tight('box', boxDomain);
export const tightSimplex = tight('simplex', simplexDomain);
export const tightIntersection = tight('intersection', intersectionDomain);
export const tightSolver = tight('accelerated-gradient', acceleratedGradient, { iterations: 60 });
