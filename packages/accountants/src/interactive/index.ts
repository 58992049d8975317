export { approximateFilter, type ApproximateFilterOptions, type ApproximateSpent } from './approximate-filter.js';
export type { Filter, SavedFilter } from './filter.js';
export type { ApproximateLimit } from './limits.js';
export type { SavedMeter, SavedTotal } from './meter.js';
export type { Odometer, Reading, SavedOdometer } from './odometer.js';
export { approximateOdometer, type OdometerOptions, renyiOdometer, type RenyiOdometerOptions, zcdpOdometer } from './odometers.js';
export { renyiFilter, type RenyiFilterOptions, type RenyiSpent } from './renyi-filter.js';
export { reviveFilter, reviveOdometer } from './revive.js';
export { zcdpFilter, type ZcdpFilterOptions, type ZcdpSpent } from './zcdp-filter.js';
