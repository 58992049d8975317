import { Corrupt, defined } from '@lethe/numerics';
import { openLog, type Log } from '../journal/log.js';
import type { Store } from '../journal/store.js';
import type { StoredAnswer } from '../loops/live-loops.js';
import { assertSameHeading, type Heading } from './heading.js';

/** A checkpoint: the open iterations of the optimizer when its next query has number `snapshot`. */
export interface Snapshot {
  readonly snapshot: number;
  readonly state: unknown;
}

/** What may be public of a run: heading, answers, checkpoints. */
export interface Transcript {
  /** The newest checkpoint. */
  readonly resume: Snapshot | null;
  /** Index of the first query without a stored answer. */
  readonly length: number;
  /** Hands over the stored answer to query `index`, once. */
  take(index: number): StoredAnswer | undefined;
  append(told: StoredAnswer): void;
  /** Stores a checkpoint; with `compact` in place of the answers before it. */
  checkpoint(snapshot: Snapshot, compact: boolean): void;
}

const nowhere: Transcript = {
  resume: null,
  length: 0,
  take: () => undefined,
  append: () => undefined,
  checkpoint: () => undefined,
};

/**
 * Opens a transcript, or begins it with `heading`.
 *
 * @param recorded - Queries of the run that the ledger holds.
 * @throws {Corrupt} when it is damaged, belongs to another run, or goes further than the ledger.
 */
export function openTranscript(
  store: Store | undefined,
  key: Uint8Array | undefined,
  heading: Heading,
  recorded: number,
): Transcript {
  if (store === undefined) return nowhere;
  const log = openLog(store, { magic: 'lethe-transcript', key });
  if (log.count === 0) log.append(heading);
  else assertSameHeading(log.records[0], heading);
  const { resume, answers, length } = readLines(log);
  log.forget();
  if (length > recorded) {
    throw new Corrupt(
      `the transcript answers ${length} queries, but the ledger of run '${heading.run}' holds ` +
        `${recorded}: the ledger is older than the transcript. Restore the ledger's latest state; ` +
        'without it this run cannot go on.',
      { transcript: length, ledger: recorded },
    );
  }
  return {
    resume,
    length,
    take(index) {
      const told = answers.get(index);
      answers.delete(index);
      return told;
    },
    append: (told) => log.append(told),
    checkpoint(snapshot, compact) {
      if (compact) log.rewrite([heading, snapshot]);
      else log.append(snapshot);
    },
  };
}

/**
 * Answers follow one another; a checkpoint stands where the next
 * answer would, or first when those before it were dropped.
 */
function readLines({ records }: Log): {
  readonly resume: Snapshot | null;
  readonly answers: Map<number, StoredAnswer>;
  readonly length: number;
} {
  const answers = new Map<number, StoredAnswer>();
  let resume: Snapshot | null = null;
  let length = 0;
  for (let i = 1; i < records.length; i++) {
    const line = records[i] as Partial<StoredAnswer & Snapshot> | null;
    if (isSnapshot(line) && (line.snapshot === length || i === 1)) {
      resume = line;
      length = line.snapshot;
      answers.clear();
    } else if (isTold(line) && line.index === length) {
      answers.set(length++, line);
    } else {
      throw new Corrupt(
        `record ${i} of the transcript is neither the answer to query ${length} nor a checkpoint there; ` +
          'it was not written by this driver. Restore a copy of the file.',
        { record: i, expected: length },
      );
    }
  }
  return { resume, answers, length };
}

const isSnapshot = (line: Partial<StoredAnswer & Snapshot> | null): line is Snapshot =>
  Number.isSafeInteger(line?.snapshot) &&
  (defined(line).snapshot ?? Number.NaN) >= 0 &&
  defined(line).state !== undefined;
const isTold = (line: Partial<StoredAnswer & Snapshot> | null): line is StoredAnswer =>
  Number.isSafeInteger(line?.index) &&
  typeof defined(line).digest === 'string' &&
  defined(line).answer !== undefined;
