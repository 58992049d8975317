import type { Law } from '../../law/law.js';
import { contents, copies, places } from './contents.js';
import { fenced } from './fenced.js';
import { logCut, logDamage, logSurvives } from './log.js';

/** Laws of every store. */
export const storeLaws: readonly Law<'store'>[] = [places, contents, copies, fenced, logCut, logDamage, logSurvives];
