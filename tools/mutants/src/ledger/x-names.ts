import type { Ledger } from '@lethe/curator';
import type { LawId, Subject } from '@lethe/laws';
import { defineMutant } from '../mutant.js';
import { changed } from './plant.js';

const mutant = (id: string, title: string, law: LawId<'ledger'>, plant: () => Subject<'ledger'>) =>
  defineMutant({
    id: `ledger/${id}`,
    title,
    kind: 'ledger',
    source: 'generic',
    killedBy: [law],
    within: 100,
    plant,
  });

/** The ledger under other names of runs. */
const renamed =
  (name: (run: string) => string) =>
  (ledger: Ledger): Partial<Ledger> => ({
    openRun: (run, ...rest) => ledger.openRun(name(run), ...rest),
    append: (entry) => {
      ledger.append({ ...entry, run: name(entry.run) });
    },
    endRun: (run, options) => {
      ledger.endRun(name(run), options);
    },
    spentBy: (run) => ledger.spentBy(name(run)),
    chargedBy: (run) => ledger.chargedBy(name(run)),
    standing: (run) => ledger.standing(name(run)),
  });

export const namesWithoutCase = mutant(
  'names-of-runs-without-case',
  'runs whose names differ in case only are one',
  'ledger/names',
  () => changed(renamed((run) => run.toLowerCase())),
);
export const namesCut = mutant(
  'names-of-runs-cut',
  'runs whose names begin with the same 200 letters are one',
  'ledger/names',
  () => changed(renamed((run) => run.slice(0, 200))),
);
export const alwaysOpen = mutant(
  'standing-says-open',
  'a run that has ended stands as open',
  'ledger/names',
  () => changed((ledger) => ({ standing: (run) => ({ ...ledger.standing(run), ended: false }) })),
);
export const neverReleased = mutant(
  'standing-keeps-reservation',
  'the standing of a run has its reservation after it was released',
  'ledger/reserved',
  () =>
    changed((ledger) => ({
      standing(run) {
        const standing = ledger.standing(run);
        return { ...standing, reserved: standing.planned };
      },
    })),
);
export const anyVersion = mutant(
  'run-uses-any-version',
  'a run goes on with another version of what it uses',
  'ledger/settings',
  () =>
    changed((ledger) => ({
      openRun(...given) {
        const run = ledger.openRun(...given);
        const first = new Map<string, string>();
        return {
          ...run,
          uses(what, mark, options) {
            try {
              run.uses(what, first.get(what) ?? mark, options);
            } catch {
              first.set(what, mark);
            }
          },
        };
      },
    })),
);
export const oneAdjacency = mutant(
  'adjacency-said-replace-one',
  'says that it is kept under replace-one, whatever it was opened with',
  'ledger/settings',
  () => changed(() => ({ adjacency: 'replace-one' })),
);
export const unitRecord = mutant(
  'unit-said-record',
  'says that it adds up records, whatever it is bound to',
  'ledger/bind',
  () => changed(() => ({ unit: () => 'record' })),
);
