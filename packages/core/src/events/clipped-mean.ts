import { relativeTo, type Adjacency, type Sensitivity } from '../adjacency.js';
import { gaussianEvent } from './build.js';
import type { CoreEvent } from './schema.js';

/**
 * Sensitivities of `(1/normaliser) Σ clip(zᵢ)` with a public normaliser, in units of `radius / normaliser`: a replaced record
 * moves the sum by at most two radii, a present, absent or nulled one by one.
 */
export const clippedMeanSensitivity: Sensitivity = Object.freeze({ 'replace-one': 2, 'add-remove': 1, 'zero-out': 1 });

/**
 * The event of one clipped mean with Gaussian noise of `noiseMultiplier` × its sensitivity in the run's adjacency, whatever the
 * radius and the normaliser: what a curator charges for it, and what a plan writes.
 */
export const clippedMeanEvent = (noiseMultiplier: number, adjacency: Adjacency): CoreEvent<'core/gaussian'> =>
  gaussianEvent(noiseMultiplier, relativeTo(clippedMeanSensitivity, adjacency));
