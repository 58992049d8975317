export { readArrow } from './arrow.js';
export { readParquet } from './parquet.js';
export { recordsDigest } from './records-digest.js';
export { readTable, type ReadTableOptions } from './read-table.js';
export { readCsv, readJson, readJsonLines, readLibsvm } from './text-readers.js';
export { libsvmDigest } from './libsvm-digest.js';
