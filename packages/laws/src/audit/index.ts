export { epsilonOfOneRun, type OneRun } from './one-run.js';
export { auditOptimizer, type AuditOptimizerOptions, type OptimizerAudit } from './audit-optimizer.js';
export type { AuditedCurator, TrialOptions } from './trials.js';
export type { ClaimedPoint, Direction, EpsilonBound, Tally, Verdict } from './verdict.js';
export { runsToReach } from './verdict.js';
