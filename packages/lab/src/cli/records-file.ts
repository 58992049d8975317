import { extname } from 'node:path';

const endings = new Set(['.csv', '.tsv', '.jsonl', '.ndjson', '.parquet', '.arrow', '.svm', '.libsvm']);

/** Whether the name of a file says that it holds records. JSON may hold anything. */
export const isRecordsFile = (path: string): boolean => endings.has(extname(path).toLowerCase());
