export { createWhole } from './create-whole.js';
export { fileStore, type FileStore, type FileStoreOptions } from './file-store.js';
export { makeFolder } from './folder.js';
export { numberFile, type NumberFile, type NumberFileOptions } from './number-file.js';
export { writeWhole, type WriteWholeOptions } from './write-whole.js';
