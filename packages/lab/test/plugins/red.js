import { sampler } from './samplers.js';

/** Says that everyone takes part, and leaves one out. */
export const red = sampler('red', 1);
