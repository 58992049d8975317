import type { Law } from '../../law/law.js';
import { leastNormAnswer, nearestAnswer, projectedAnswer } from './answers.js';
import { curatorAgrees } from './curator.js';
import { eventDominates } from './event.js';
import { finiteValue, postProcessing } from './finish.js';
import { hiddenSize } from './hidden-size.js';
import { fastPath } from './linear.js';
import { biasBound, momentsChecked, unbiased, varianceBound } from './moment-bounds.js';
import { scaled } from './scaled.js';
import { sensitivity, sensitivityAttained, sensitivityDeclared } from './sensitivity.js';
import { randomiser, scaledRandomiser } from './shuffled.js';
import { sparseRecords } from './sparse-records.js';
import { randomnessAlone, lentVectors, nonFiniteCountsZero, permutationInvariant } from './stream.js';
import { weight } from './weight.js';
import { crowdBias } from './crowd-bias.js';
import { largestEntry } from './largest-entry.js';
import { wholeValue } from './whole-value.js';

/** Laws of every private mean. */
export const meanLaws: readonly Law<'mean'>[] = [
  sensitivityDeclared,
  sensitivity,
  sensitivityAttained,
  finiteValue,
  wholeValue,
  largestEntry,
  nonFiniteCountsZero,
  lentVectors,
  randomnessAlone,
  permutationInvariant,
  hiddenSize,
  weight,
  postProcessing,
  nearestAnswer,
  projectedAnswer,
  leastNormAnswer,
  eventDominates,
  curatorAgrees,
  biasBound,
  crowdBias,
  varianceBound,
  unbiased,
  momentsChecked,
  fastPath,
  sparseRecords,
  scaled,
  randomiser,
  scaledRandomiser,
];
