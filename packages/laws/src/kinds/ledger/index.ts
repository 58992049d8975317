import type { Law } from '../../law/law.js';
import { counted } from './counted.js';
import { filterLaws } from './filtered.js';
import { affordable, limit, limitKept, limitValid } from './limits.js';
import { runNames } from './names.js';
import { reserved } from './reservations.js';
import { settings } from './settings.js';
import { stoppedInside } from './stopped-inside.js';
import { bound, damage, forgetful, goesOn, survives, unwritten } from './stored.js';
import { growing, recorded, refused, spentBy, total } from './totals.js';

/** Laws of every ledger. */
export const ledgerLaws: readonly Law<'ledger'>[] = [
  limitValid,
  total,
  settings,
  runNames,
  spentBy,
  growing,
  recorded,
  refused,
  limit,
  affordable,
  limitKept,
  ...filterLaws,
  reserved,
  stoppedInside,
  survives,
  goesOn,
  damage,
  unwritten,
  bound,
  forgetful,
  counted,
];
