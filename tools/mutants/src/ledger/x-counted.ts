import { memoryStore, openLog, type Store } from '@lethe/core';
import { openLedger, type Entries } from '@lethe/curator';
import { defineMutant } from '../mutant.js';
import { changed, subject } from './plant.js';

interface Told {
  readonly t: 'steps';
  readonly run: string;
  readonly effects: readonly unknown[];
  readonly times: number;
  readonly digests: Uint8Array;
}
const isTold = (line: unknown): line is Told => (line as Told).t === 'steps';

/** A ledger that writes changed lines for compacted steps. */
const compacting = (change: (lines: readonly unknown[]) => readonly unknown[]) =>
  subject((options) => {
    const { store } = options;
    if (store === undefined) return openLedger(options);
    const magic = 'lethe-ledger';
    const changing: Store = {
      ...store,
      replace(bytes) {
        const anew = memoryStore();
        openLog(anew, { magic }).rewrite(change(openLog(memoryStore(bytes), { magic }).records));
        store.replace(anew.read());
      },
    };
    return openLedger({ ...options, store: changing });
  });
const each =
  (change: (line: Told) => Told) =>
  (lines: readonly unknown[]): readonly unknown[] =>
    lines.map((line) => (isTold(line) ? change(line) : line));

export const oneStepTooFew = defineMutant({
  id: 'ledger/equal-steps-counted-one-too-few-compacted',
  kind: 'ledger',
  title: 'compacted steps have a count one too small',
  source: 'docs/decisions/0026',
  killedBy: ['ledger/counted'],
  within: 5,
  plant: () =>
    compacting(
      each((line) => ({
        ...line,
        times: line.times - 1,
        digests: line.digests.slice(0, line.digests.length * (1 - 1 / line.times)),
      })),
    ),
});

export const oneDigestForAll = defineMutant({
  id: 'ledger/steps-counted-keep-digests-first',
  kind: 'ledger',
  title: 'compacted steps all have the digest of the first',
  source: 'docs/decisions/0026: another query at a recorded number would get fresh randomness',
  killedBy: ['ledger/counted'],
  within: 5,
  plant: () =>
    compacting(
      each((line) => ({
        ...line,
        digests: line.digests.map((_, k) => line.digests[k % (16 * line.effects.length)]),
      })),
    ),
});

/** The digests that two lines both have places for, exchanged. */
const exchanged = (lines: readonly unknown[], one: Told, other: Told): readonly unknown[] => {
  const common = Math.min(one.digests.length, other.digests.length);
  const of = (line: Told, from: Told): Told => ({
    ...line,
    digests: line.digests.map((byte, k) => (k < common ? from.digests[k] : byte)),
  });
  return lines.map((line) => {
    if (line === one) return of(one, other);
    return line === other ? of(other, one) : line;
  });
};

export const digestsOfTwoRunsSwapped = defineMutant({
  id: 'ledger/digests-of-compacted-lines-of-two-runs-swapped',
  kind: 'ledger',
  title: 'the digests of two compacted lines of different runs are swapped',
  source: 'docs/decisions/0026: each run would refuse its own queries, and accept those of the other',
  killedBy: ['ledger/counted'],
  within: 5,
  plant: () =>
    compacting((lines) => {
      const told = lines.filter(isTold);
      const [one] = told;
      const other = told.find(({ run }) => run !== one?.run);
      return one === undefined || other === undefined ? lines : exchanged(lines, one, other);
    }),
});

export const openScopeSkipped = defineMutant({
  id: 'ledger/step-scope-still-open-passed-over-like',
  kind: 'ledger',
  title: 'a step with an open scope is skipped like a closed one',
  source: 'docs/decisions/0026: the scope would be unknown to a resumed curator',
  killedBy: ['ledger/counted'],
  within: 5,
  plant: () =>
    changed((ledger) => ({
      openRun(run, random) {
        const record = ledger.openRun(run, random);
        const { entries } = record;
        const afterSteps: Entries['afterSteps'] = (from, until) =>
          entries.afterSteps(from, until) > from ? Math.min(until, entries.length) : from;
        return {
          ...record,
          entries: {
            ...entries,
            get length() {
              return entries.length;
            },
            afterSteps,
          },
        };
      },
    })),
});
