import type { Law } from '../../law/law.js';
import { counts } from './counts.js';
import { crowds } from './crowds.js';
import { unbiased, varianceBound } from './estimate.js';
import { event, honestUsers, hockeyStick, messages, order } from './laws.js';
import { movedRecords } from './moved.js';
import { simulation } from './simulated.js';
import { target } from './target.js';

/** Laws of every local randomiser. */
export const localRandomiserLaws: readonly Law<'localRandomiser'>[] = [
  messages,
  order,
  unbiased,
  varianceBound,
  movedRecords,
  event,
  counts,
  crowds,
  honestUsers,
  target,
  simulation,
  hockeyStick,
];
