import { sampler } from './samplers.js';

export const green = sampler('green', 0);
