export { readArrow, readParquet } from './binary-readers.js';
export { recordsDigest } from './records-digest.js';
export { readTableParts } from './read-table-parts.js';
export { readTable, type ReadTableOptions } from './read-table.js';
export { readCsv, readJson, readJsonLines, readLibsvm } from './text-readers.js';
export { libsvmDigest } from './libsvm-digest.js';
