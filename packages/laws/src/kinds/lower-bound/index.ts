import type { Law } from '../../law/law.js';
import { monotone, regime, value } from './evaluate.js';
import { facts } from './facts.js';
import { padded, records, separated } from './hard-means.js';
import { excessRisk, instance, instanceMoment } from './instance.js';
import { belowMeanErrors } from './mean-upper-bounds.js';
import { privateAnswers } from './private-answers.js';
import { loneRecord } from './lone-record.js';
import { problem } from './problem.js';
import { homogeneous } from './homogeneous.js';
import { simpleAnswers } from './simple-answers.js';
import { belowUpperBounds } from './upper-bounds.js';

/** Laws of every lower bound. */
export const lowerBoundLaws: readonly Law<'lowerBound'>[] = [
  value,
  regime,
  monotone,
  homogeneous,
  belowUpperBounds,
  problem,
  facts,
  instance,
  instanceMoment,
  excessRisk,
  simpleAnswers,
  records,
  padded,
  separated,
  privateAnswers,
  loneRecord,
  belowMeanErrors,
];
