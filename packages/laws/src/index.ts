export * from './law/index.js';
export * from './record-replay.js';
