export * from './drive.js';
export type * from './options.js';
export * from './remote.js';
export { serveCurator, type ServeOptions } from './serve.js';
