import { refusal } from '../refusal.js';
import type { SiloLog } from '../silo-log.js';
import type { SumStepsOptions } from './over-links.js';
import { signedBefore } from './silo.js';

/** Attempts at sums and sets of survivors, on disk before anything of them leaves. */
export const attemptsIn = (log: SiloLog): SumStepsOptions['signed'] => ({
  begin(round, attempt) {
    const last = log.begun();
    if (last !== null && (round < last.round || (round === last.round && attempt <= last.attempt)))
      throw refusal('wrong-set', `attempt ${attempt} at sum ${round} is past`, { round, attempt });
    log.begin({ round, attempt });
  },
  note(round) {
    // Sums come in order: a set for an earlier one was signed, or will never be.
    if (round <= log.signed()) throw signedBefore(round);
    log.sign(round);
  },
});
