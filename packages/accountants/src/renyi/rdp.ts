import { createResolver } from '../events/resolve.js';
import { rdpBy } from './rdp-of.js';

/**
 * Rényi differential privacy with all real orders above 1 instead of a fixed grid. The divergences of
 * Poisson-sampled Gaussians are exact.
 */
export const rdp = rdpBy(createResolver);
