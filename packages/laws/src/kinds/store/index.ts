import type { Law } from '../../law/law.js';
import { contents, copies, places } from './contents.js';
import { extents } from './extents.js';
import { fenced, oneLog } from './fenced.js';
import { logCut, logDamage, logSurvives } from './log.js';

/** Laws of every store. */
export const storeLaws: readonly Law<'store'>[] = [
  places,
  contents,
  extents,
  copies,
  fenced,
  oneLog,
  logCut,
  logDamage,
  logSurvives,
];
