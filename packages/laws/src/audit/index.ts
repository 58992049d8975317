export { epsilonOfOneRun, type OneRun } from './one-run.js';
export { auditOptimizer, type AuditedCurator, type AuditOptimizerOptions, type OptimizerAudit } from './audit-optimizer.js';
export type { Direction, EpsilonBound, Tally, Verdict } from './verdict.js';
