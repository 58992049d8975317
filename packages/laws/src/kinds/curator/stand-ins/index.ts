import type { Registry } from '@lethe/core';
import { clips } from './clips.js';
import type { Watch } from './common.js';
import { losses } from './losses.js';
import { choosy, laplace, voices } from './mechanisms.js';
import { means } from './means.js';
import { others } from './others.js';
import { samplers } from './samplers.js';
import { selector } from './selectors.js';

export { ball } from './clips.js';
export type { Deed, Watch } from './common.js';
export { loss, trouble, type LossName } from './losses.js';
export { exactly, multiplierFor, voice, type Voice } from './mechanisms.js';
export { meanOfItsOwn, meanWithin } from './means.js';
export { around, descentFor, prefixSum } from './others.js';
export { partition, fixedSize, poisson } from './samplers.js';
export { exponential } from './selectors.js';

const built = (watch: Watch): Registry =>
  Object.freeze([
    ...voices(watch),
    ...choosy(watch),
    laplace(watch),
    selector(watch),
    ...losses(watch),
    ...clips,
    ...samplers,
    ...means,
    ...others,
  ]);
const unwatched = built(() => undefined);

/**
 * Small plugins that report each call to `watch`; their names begin with `laws/`. Without `watch` the array
 * is one for all callers, so that references are resolved and plugins hashed once.
 */
export const standIns = (watch?: Watch): Registry => (watch === undefined ? unwatched : built(watch));
