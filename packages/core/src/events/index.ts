export * from './build.js';
export { normalEvent, sameEvent } from './canonical.js';
export * from './clipped-mean.js';
export { hasKind } from './has-kind.js';
export * from './parse.js';
export type * from './schema.js';
