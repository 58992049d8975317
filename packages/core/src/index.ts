export * from './adjacency.js';
export * from './adjacency-schema.js';
export * from './drive/index.js';
export {
  assertOptions,
  BudgetExceeded,
  Corrupt,
  type ErrorCode,
  IncompatiblePlugins,
  InvalidData,
  InvalidParameter,
  defined,
  LetheError,
  parseOrThrow,
  Unsupported,
} from '@lethe/numerics';
export * from './events/index.js';
export * from './interval.js';
export * from './journal/index.js';
export * from './json.js';
export * from './loops/index.js';
export * from './plugins/index.js';
export * from './query/index.js';
export type * from './trust.js';
export { type RandomSource, secureRandom, seededRandom } from '@lethe/numerics';
export type { LeftNoise, StoredStream, Verification } from './drive/left-noise.js';
export type { Owners } from './owners.js';
export type { NumberStore, StoredRows } from './number-store.js';
export {
  boundedMean,
  boundedMeanSensitivity,
  type BoundedShape,
  clipBound,
  factBound,
  type RecordBound,
} from './plugins/bounded-mean.js';
