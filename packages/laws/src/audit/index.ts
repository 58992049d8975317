export { epsilonOfOneRun, type OneRun } from './one-run.js';
export { auditOptimizer, type AuditedCurator, type AuditOptimizerOptions, type OptimizerAudit } from './audit-optimizer.js';
export type { ClaimedPoint, Direction, EpsilonBound, Tally, Verdict } from './verdict.js';
