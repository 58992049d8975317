import type { Law } from '../../../law/law.js';
import { shuffleCharge, shuffleOnly, shuffleResume } from './charge.js';
import { shuffleHonestUsers } from './honest.js';
import { shuffleOrder, shuffleProtocol } from './protocol.js';
import { shuffleSecrets } from './secrets.js';

/** Laws of curators under trust in a shuffler. */
export const shuffleLaws: readonly Law<'curator'>[] = [
  shuffleProtocol,
  shuffleOrder,
  shuffleSecrets,
  shuffleHonestUsers,
  shuffleCharge,
  shuffleOnly,
  shuffleResume,
];
