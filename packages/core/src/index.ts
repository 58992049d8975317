export * from './adjacency.js';
export * from './curator/index.js';
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
export * from './ledger/index.js';
export * from './loops/index.js';
export { priceOfRun } from './pricing/run-price.js';
export * from './optimizer/index.js';
export * from './plugins/index.js';
export * from './query/index.js';
export type * from './trust.js';
export { type RandomSource, secureRandom, seededRandom } from '@lethe/numerics';
