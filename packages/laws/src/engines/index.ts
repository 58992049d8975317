export * from './commands.js';
export * from './exhaustive-random.js';
export * from './hill-climb.js';
export * from './norms.js';
export * from './record-replay.js';
export * from './sensitivity-search.js';
export * from './streams.js';
