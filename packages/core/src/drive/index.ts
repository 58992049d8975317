export * from './drive.js';
export {
  linkedCurator,
  serveLink,
  withRetries,
  type Link,
  type RetryOptions,
  type ServeLinkOptions,
} from './link.js';
export type * from './options.js';
export * from './remote.js';
export { serveCurator, type ServeOptions } from './serve.js';
