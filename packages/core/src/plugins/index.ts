export * from './accountant.js';
export * from './clip.js';
export * from './domain.js';
export * from './event.js';
export type * from './fact.js';
export type * from './filter.js';
export * from './missing-fact.js';
export * from './local-randomiser.js';
export type { ClippedSum, FusedSum } from '@lethe/numerics';
export type { Capabilities, Capability, Holds } from './capabilities.js';
export * from './labels.js';
export * from './loss.js';
export type * from './reference-optimum.js';
export * from './coordinate-facts.js';
export * from './loss-constants.js';
export * from './privacy-loss-distribution.js';
export * from './lower-bound.js';
export * from './mean.js';
export * from './mechanism.js';
export type * from './optimizer.js';
export type * from './plan.js';
export type * from './problem.js';
export { reservationFor, type Run } from './run.js';
export {
  makerOf,
  type Callable,
  type Claim,
  type ParamsOf,
  type Plugin,
  type PluginKind,
  type Ref,
  type Source,
} from './plugin.js';
export * from './prefix-sum.js';
export { referenceTo, type WrittenRef } from './reference.js';
export {
  describePlugin,
  eventKindsOf,
  findPlugin,
  resolvePlugin,
  type PluginDescription,
  type Registry,
  type Resolved,
} from './registry.js';
export * from './regulariser.js';
export * from './sampler.js';
export * from './selector.js';
export * from './sketch.js';
export * from './solver.js';
export type { StoredPlan } from './stored-plan.js';
