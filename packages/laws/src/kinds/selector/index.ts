import type { Law } from '../../law/law.js';
import { amongMany, auditLaw, choice, randomness } from './choice.js';
import { exactDraws } from './exact-coins.js';
import { assumptions, event } from './event.js';
import { manyCandidates } from './many.js';
import { invariance, probabilities } from './probabilities.js';
import { refusals } from './refusals.js';
import { attained, regret } from './regret.js';

/** Laws of every selector. */
export const selectorLaws: readonly Law<'selector'>[] = [
  probabilities,
  invariance,
  event,
  choice,
  amongMany,
  auditLaw,
  manyCandidates,
  assumptions,
  refusals,
  randomness,
  exactDraws,
  regret,
  attained,
];
