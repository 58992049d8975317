import type { Law } from '../../law/law.js';
import { deterministicLaw, freshCoinsLaw } from './coins.js';
import { atomsLaw, hockeyStickLaw, permutationLaw } from './hockey-stick.js';

/** Laws of every release. */
export const releaseLaws: readonly Law<'release'>[] = [deterministicLaw, freshCoinsLaw, atomsLaw, hockeyStickLaw, permutationLaw];
