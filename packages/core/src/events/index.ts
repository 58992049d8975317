export * from './build.js';
export * from './canonical.js';
export * from './parse.js';
export * from './schema.js';
