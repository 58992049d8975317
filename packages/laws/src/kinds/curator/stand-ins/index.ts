import type { Registry } from '@lethe/core';
import { bases } from './bases.js';
import { clips } from './clips.js';
import type { Observer } from './common.js';
import { losses } from './losses.js';
import { choosy, faint, gaussianMechanisms, laplace, wholeRuler } from './mechanisms.js';
import { means } from './means.js';
import { others } from './others.js';
import { samplers } from './samplers.js';
import { selector } from './selectors.js';

export { chances, endedRuns, plannedBase, type BaseName } from './bases.js';
export { ball, gridBall, offGridBall } from './clips.js';
export type { Action, Observer } from './common.js';
export { loss, trouble, type KernelLossName, type LossName } from './losses.js';
export { exactly, faintness, multiplierFor, mechanismNamed, type MechanismName } from './mechanisms.js';
export { meanOfItsOwn, meanWithin } from './means.js';
export { around, descentFor, prefixSum } from './others.js';
export { drawAtEachStep, overstated, partition, fixedSize, poisson } from './samplers.js';
export { exponential } from './selectors.js';

const built = (observe: Observer): Registry =>
  Object.freeze([
    ...gaussianMechanisms(observe),
    ...choosy(observe),
    faint(observe),
    laplace(observe),
    wholeRuler(observe),
    selector(observe),
    ...losses(observe),
    ...clips,
    ...samplers,
    ...means,
    ...others,
    ...bases,
  ]);
const unobserved = built(() => undefined);

/**
 * Small plugins that report each call to `observe`; their names begin with `laws/`. Without `observe` the
 * array is one for all callers, so that references are resolved and plugins hashed once.
 */
export const standIns = (observe?: Observer): Registry =>
  observe === undefined ? unobserved : built(observe);
