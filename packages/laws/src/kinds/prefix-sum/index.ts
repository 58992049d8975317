import type { Law } from '../../law/law.js';
import { columnNorm, columnNormAttained } from './column-norm.js';
import { eachRowOnce, vectorsKept } from './cost.js';
import { factorisation } from './factorisation.js';
import { freshNoise } from './fresh-noise.js';
import { anyLength, longStreams } from './long-streams.js';
import { participationTable } from './participations.js';
import { noiseIsGiven, prefixConsistent, runs } from './runs.js';
import { typedErrors } from './typed-errors.js';
import { variance } from './variance.js';

/** Laws of every prefix sum. */
export const prefixSumLaws: readonly Law<'prefixSum'>[] = [
  factorisation,
  variance,
  columnNorm,
  columnNormAttained,
  participationTable,
  runs,
  noiseIsGiven,
  prefixConsistent,
  freshNoise,
  eachRowOnce,
  vectorsKept,
  typedErrors,
  longStreams,
  anyLength,
];
