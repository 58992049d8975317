import type { Law } from '../../law/law.js';
import { counts } from './counts.js';
import { event, honestUsers, hockeyStick, messages, order, unbiased } from './laws.js';

/** Laws of every local randomiser. */
export const localRandomiserLaws: readonly Law<'localRandomiser'>[] = [messages, order, unbiased, event, counts, honestUsers, hockeyStick];
