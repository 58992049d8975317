import slow from '../slow.json' with { type: 'json' };
import { coreIds, mutants, tightSubjects } from './corpus.js';
import type { Mutant } from './mutant.js';
import { notSlow } from './not-slow.js';

/** The law that a mutant is for: the first of those that detect it. */
const lawOf = ({ killedBy }: Mutant): string => String(killedBy[0]);
const tried = new Set(notSlow(mutants, slow, lawOf));

/**
 * Mutants that `npm test` tries: those that are not slow, those of the design's list, and for each law the
 * quickest. The night tries all.
 */
export const mutantsByDay: readonly Mutant[] = mutants.filter(
  (mutant) => tried.has(mutant) || coreIds.includes(mutant.id),
);

/** Correct subjects that `npm test` tries: those that are not slow, and the quickest of each kind. */
export const tightByDay = notSlow(tightSubjects, slow, ({ kind }) => kind);
