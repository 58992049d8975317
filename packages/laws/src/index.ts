export * from './law/index.js';
export * from './engines/record-replay.js';
