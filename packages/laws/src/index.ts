export * from './record-replay.js';
