import slow from '../slow.json' with { type: 'json' };
import { coreIds, mutants, tightSubjects } from './corpus.js';
import type { Mutant } from './mutant.js';

const seconds: Readonly<Record<string, number>> = slow;
const secondsOf = ({ id }: { readonly id: string }): number => seconds[id] ?? 0;

/** The law that a mutant is for: the first of those that detect it. */
const lawOf = ({ killedBy }: Mutant): string => String(killedBy[0]);
const quickest = new Map<string, Mutant>();
for (const mutant of mutants) {
  const known = quickest.get(lawOf(mutant));
  if (known === undefined || secondsOf(mutant) < secondsOf(known)) quickest.set(lawOf(mutant), mutant);
}

/**
 * Mutants that `npm test` tries: those that are not slow, those of the design's list, and for each law the
 * quickest. The night tries all.
 */
export const mutantsByDay: readonly Mutant[] = mutants.filter(
  (mutant) =>
    seconds[mutant.id] === undefined || coreIds.includes(mutant.id) || quickest.get(lawOf(mutant)) === mutant,
);

/** Correct subjects that `npm test` tries: those that are not slow, and the quickest of each kind. */
export const tightByDay = tightSubjects.filter(
  (subject) =>
    seconds[subject.id] === undefined ||
    tightSubjects.every(({ id, kind }) => kind !== subject.kind || secondsOf({ id }) >= secondsOf(subject)),
);
