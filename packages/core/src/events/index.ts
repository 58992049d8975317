export * from './build.js';
export { canonicalEvent, normalEvent, sameEvent } from './canonical.js';
export * from './clipped-mean.js';
export { hasKind } from './has-kind.js';
export * from './json-schema.js';
export * from './parse.js';
export { isPartOf } from './part-of.js';
export { publishedEvent, type Published } from './published.js';
export * from './schema.js';
