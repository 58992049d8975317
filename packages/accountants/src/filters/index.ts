export {
  approximateFilter,
  type ApproximateFilterOptions,
  type ApproximateSpent,
} from './approximate-filter.js';
export type { Filter, SavedFilter } from './filter.js';
export type { ApproximateLimit } from './limits.js';
export type { SavedMeter, SavedTotal } from './meter.js';
export { type Charge, type Odometer, type Reading, readingsOf, type SavedOdometer } from './odometer.js';
export {
  approximateOdometer,
  type OdometerOptions,
  renyiOdometer,
  type RenyiOdometerOptions,
  zcdpOdometer,
} from './odometers.js';
export { renyiFilter, type RenyiFilterOptions, type RenyiSpent } from './renyi-filter.js';
export { reviveFilter, reviveOdometer } from './revive.js';
export { zcdpFilter, type ZcdpFilterOptions, type ZcdpSpent } from './zcdp-filter.js';
export { basicLimit } from './basic-limit.js';
export { bestLimit } from './best-limit.js';
export { filterOfSpec } from './filter-of-spec.js';
export { gaussianLimit } from './gaussian-limit.js';
export { renyiLimit, type RenyiLimitOptions } from './renyi-limit.js';
export type { FailureOptions } from './request.js';
export { zcdpLimit } from './zcdp-limit.js';
