import type { Law } from '../../law/law.js';
import { audit } from './audit.js';
import { gradients, inDomain, privacyBasis, stopping } from './conduct.js';
import { event } from './event.js';
import { factsRead } from './facts-read.js';
import { longRuns } from './long-runs.js';
import { plan, withinBudget } from './plan.js';
import { price } from './price.js';
import { replay } from './record-replay.js';
import { refusals } from './refusals.js';
import { regulariser } from './regulariser.js';
import { resume } from './resume.js';
import { runs } from './runs-law.js';
import { stored } from './stored-plan.js';
import { shuffled } from './shuffled.js';
import { singlePass } from './single-pass.js';
import { utility } from './utility.js';

/** Laws of every optimizer. */
export const optimizerLaws: readonly Law<'optimizer'>[] = [
  runs,
  refusals,
  plan,
  withinBudget,
  event,
  price,
  longRuns,
  stored,
  factsRead,
  stopping,
  replay,
  resume,
  singlePass,
  inDomain,
  privacyBasis,
  gradients,
  regulariser,
  audit,
  shuffled,
  utility,
];
