import type { Law } from '../../law/law.js';
import { deterministicLaw, freshRandomnessLaw } from './randomness.js';
import { atomsLaw, hockeyStickLaw, permutationLaw } from './hockey-stick.js';

/** Laws of every release. */
export const releaseLaws: readonly Law<'release'>[] = [
  deterministicLaw,
  freshRandomnessLaw,
  atomsLaw,
  hockeyStickLaw,
  permutationLaw,
];
