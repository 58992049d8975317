import { Corrupt } from '@lethe/numerics';
import { openLog } from '../journal/log.js';
import { assertSameHeading, isOfSecondFormat } from './heading.js';
import { noTranscript, type OpenTranscript } from './no-transcript.js';
import { digestIn, linesOf, lineOf, type AnswerLine, type Snapshot } from './transcript-lines.js';

/**
 * Opens a transcript, or begins it with `heading`.
 *
 * @param recorded - Queries of the run that the ledger holds.
 * @throws {Corrupt} when it is damaged, belongs to another run, or goes further than the ledger.
 */
export const openTranscript: OpenTranscript = (store, key, heading, recorded) => {
  if (store === undefined) return noTranscript;
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
};

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
