import { bytesOfHex, Corrupt, hexOf } from '@lethe/numerics';
import type { StoredAnswer } from '../loops/live-loops.js';

/** A checkpoint: the open iterations of the optimizer when its next query has number `snapshot`. */
export interface Snapshot {
  readonly snapshot: number;
  readonly state: unknown;
}

/**
 * The digest of a query, as bytes where it is hexadecimal, and its answer. The number of the query is
 * the place of the line: answers follow one another from the start, or from the last checkpoint.
 */
export type AnswerLine = readonly [digest: Uint8Array | string, answer: unknown];

export const lineOf = ({ digest, answer }: Omit<StoredAnswer, 'index'>): AnswerLine => [
  bytesOfHex(digest) ?? digest,
  answer,
];
export const digestIn = ([digest]: AnswerLine): string =>
  typeof digest === 'string' ? digest : hexOf(digest);

/**
 * What follows the heading, record by record, of the second format too: its answers are objects with
 * the number of their query and a digest as text. A checkpoint stands where the next answer would,
 * or first when those before it were dropped.
 *
 * @throws {Corrupt} for a record that is neither the next answer nor a checkpoint in its place.
 */
export function* linesOf(records: readonly unknown[]): Generator<AnswerLine | Snapshot, void, undefined> {
  let length = 0;
  for (let i = 1; i < records.length; i++) {
    const line = records[i];
    if (isAnswerLine(line)) {
      length++;
      yield line;
    } else if (isSnapshot(line) && (line.snapshot === length || i === 1)) {
      length = line.snapshot;
      yield line;
    } else if (isOldAnswer(line) && line.index === length) {
      length++;
      yield lineOf(line);
    } else
      throw new Corrupt(
        `record ${i} of the transcript is neither the answer to query ${length} nor a checkpoint there; ` +
          'it was not written by this driver. Restore a copy of the file.',
        { record: i, expected: length },
      );
  }
}

const isAnswerLine = (line: unknown): line is AnswerLine =>
  Array.isArray(line) &&
  line.length === 2 &&
  (line[0] instanceof Uint8Array || typeof line[0] === 'string') &&
  line[1] !== undefined;
const isSnapshot = (line: unknown): line is Snapshot => {
  const { snapshot, state } = (line ?? {}) as Partial<Snapshot>;
  return Number.isSafeInteger(snapshot) && (snapshot ?? Number.NaN) >= 0 && state !== undefined;
};
const isOldAnswer = (line: unknown): line is StoredAnswer => {
  const { index, digest, answer } = (line ?? {}) as Partial<StoredAnswer>;
  return Number.isSafeInteger(index) && typeof digest === 'string' && answer !== undefined;
};
