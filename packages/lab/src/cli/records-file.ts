import { extname } from 'node:path';
import { UsageError } from './usage-error.js';

const endings = new Set(['.csv', '.tsv', '.jsonl', '.ndjson', '.parquet', '.arrow', '.svm', '.libsvm']);

/** Whether the name of a file says that it holds records. JSON may hold anything. */
export const isRecordsFile = (path: string): boolean => endings.has(extname(path).toLowerCase());

/** @throws {UsageError} for a file of records where a command takes `what`. */
export function assertNoRecords(paths: readonly string[], command: string, what: string): void {
  const records = paths.find(isRecordsFile);
  if (records !== undefined)
    throw new UsageError(
      `${records} is a file of records, and lethe ${command} takes ${what}; to train on the records: ` +
        `lethe train ${records} --label NAME --epsilon 1`,
    );
}
