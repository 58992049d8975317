import { Corrupt } from '@lethe/numerics';
import { openLog } from '../journal/log.js';
import type { Store } from '../journal/store.js';
import type { StoredAnswer } from '../loops/live-loops.js';
import { assertSameHeading, isOfSecondFormat, type Heading } from './heading.js';
import { digestIn, linesOf, lineOf, type AnswerLine, type Snapshot } from './transcript-lines.js';

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
  const { resume, answers, first, length } = newest(log.records);
  if (length > recorded) {
    throw new Corrupt(
      `the transcript answers ${length} queries, but the ledger of run '${heading.run}' holds ` +
        `${recorded}: the ledger is older than the transcript. Restore the ledger's latest state; ` +
        'without it this run cannot go on.',
      { transcript: length, ledger: recorded },
    );
  }
  if (isOfSecondFormat(log.records[0])) log.rewrite([heading, ...linesOf(log.records)]);
  log.forget();
  return {
    resume,
    length,
    take(index) {
      const line = answers[index - first];
      if (line === undefined) return undefined;
      answers[index - first] = undefined;
      return { index, digest: digestIn(line), answer: line[1] };
    },
    append: (told) => log.append(lineOf(told)),
    checkpoint(snapshot, compact) {
      if (compact) log.rewrite([heading, snapshot]);
      else log.append(snapshot);
    },
  };
}

/** The last checkpoint, and the answers after it. */
function newest(records: readonly unknown[]): {
  readonly resume: Snapshot | null;
  readonly answers: (AnswerLine | undefined)[];
  readonly first: number;
  readonly length: number;
} {
  let resume: Snapshot | null = null;
  let answers: AnswerLine[] = [];
  for (const line of linesOf(records)) {
    if ('snapshot' in line) {
      resume = line;
      answers = [];
    } else answers.push(line);
  }
  const first = resume?.snapshot ?? 0;
  return { resume, answers, first, length: first + answers.length };
}
