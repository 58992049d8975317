import type { Law } from '../../law/law.js';
import { listed, marginals } from './declared.js';
import { randomness, coordinates, drawFrequencies, secondMoment, unbiased } from './draws.js';
import { pairFrequencies, pairProbability } from './pairs.js';

/** Laws of every sketch. */
export const sketchLaws: readonly Law<'sketch'>[] = [
  listed,
  marginals,
  unbiased,
  secondMoment,
  coordinates,
  randomness,
  drawFrequencies,
  pairProbability,
  pairFrequencies,
];
