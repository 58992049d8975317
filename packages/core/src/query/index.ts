export * from './ask.js';
export type * from './query.js';
export { table as queryTable } from './table.js';
export type { Example, ExampleParts } from './row.js';
