export * from './ask.js';
export { queryIntake } from './query-intake.js';
export type * from './query.js';
