import { relativeTo, type Adjacency, type Sensitivity } from '../adjacency.js';
import { gaussianEvent } from './build.js';
import type { CoreEvent } from './schema.js';

/**
 * Sensitivity of `(1/normaliser) Σ clip(zᵢ)` with a public normaliser, in units of `radius / normaliser`:
 * replacing a record moves the sum by at most two radii; adding, removing or zeroing one, by at most one
 * radius.
 */
export const clippedMeanSensitivity: Sensitivity = Object.freeze({
  'replace-one': 2,
  'add-remove': 1,
  'zero-out': 1,
});

/**
 * Event of one clipped mean with Gaussian noise of `noiseMultiplier` × its sensitivity under the run's
 * adjacency. It does not depend on the radius or the normaliser. Curators charge this event, and plans
 * contain it.
 */
export const clippedMeanEvent = (noiseMultiplier: number, adjacency: Adjacency): CoreEvent<'core/gaussian'> =>
  gaussianEvent(noiseMultiplier, relativeTo(clippedMeanSensitivity, adjacency));
