import type { Registry } from '@lethe/core';
import { clips } from './clips.js';
import type { Watch } from './common.js';
import { losses } from './losses.js';
import { choosy, laplace, voices } from './mechanisms.js';
import { others } from './others.js';
import { samplers } from './samplers.js';
import { selector } from './selectors.js';

export { ball } from './clips.js';
export type { Deed, Watch } from './common.js';
export { loss, trouble, type LossName } from './losses.js';
export { exactly, multiplierFor, voice, type Voice } from './mechanisms.js';
export { around, descentFor, oracle, prefixSum } from './others.js';
export { partition, fixedSize, poisson } from './samplers.js';
export { exponential } from './selectors.js';

/** Fake plugins with simple, observable behaviour, which report their actions to `watch`. Their names begin with `laws/`. */
export const standIns = (watch: Watch = () => undefined): Registry =>
  Object.freeze([...voices(watch), ...choosy(watch), laplace(watch), selector(watch), ...losses(watch), ...clips, ...samplers, ...others]);
