import type { Law } from '../../../law/law.js';
import { shuffleCharge, shuffleOnly, shuffleResume } from './charge.js';
import { shuffleHonestUsers } from './honest.js';
import { shuffleOrder, shuffleProtocol } from './protocol.js';

/** Laws of curators that are trusted with a random order and nothing else. */
export const shuffleLaws: readonly Law<'curator'>[] = [shuffleProtocol, shuffleOrder, shuffleHonestUsers, shuffleCharge, shuffleOnly, shuffleResume];
