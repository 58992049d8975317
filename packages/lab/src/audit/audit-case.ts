import { accountants, bestOf } from '@lethe/accountants';
import { eventKindsOf, type Budget, type Calibrate, type Optimizer, type Problem, type RandomSource, type Registry, type Run, type Vector } from '@lethe/core';
import { auditOptimizer, type AuditOptimizerOptions, type OptimizerAudit } from '@lethe/laws';

/** A run to audit: what it is planned from, and how it is driven. */
export interface AuditCase {
  readonly optimizer: Optimizer;
  readonly params: unknown;
  readonly problem: Problem;
  readonly budget: Budget;
  readonly registry: Registry;
  readonly calibrate: Calibrate;
  readonly publicCoins: RandomSource;
  readonly start?: Vector;
}

/** Points of the certified profile at which a violation is looked for, besides the budget's. */
const profilePoints = 12;

/** Plans a run, asks the accountants what its event costs, and audits it against their certificate. */
export async function auditCase({ optimizer, params, problem, budget, registry, calibrate, publicCoins, start }: AuditCase, how: Pick<AuditOptimizerOptions, 'runs' | 'confidence' | 'falseAlarm' | 'random' | 'signal' | 'progress' | 'pause'>): Promise<{ readonly run: Run; readonly audit: OptimizerAudit }> {
  const run = optimizer.prepare({ problem, budget, params, calibrate, random: publicCoins });
  const accountant = bestOf(accountants, eventKindsOf(registry)), { adjacency } = problem, { delta } = budget;
  const epsilon = accountant.epsilon(run.plan.event, { adjacency, delta }).upper;
  const profile = Array.from({ length: Number.isFinite(epsilon) ? profilePoints : 0 }, (_, i) => {
    const at = (epsilon * i) / profilePoints;
    return { epsilon: at, delta: accountant.delta(run.plan.event, { adjacency, epsilon: at }).upper };
  });
  return { run, audit: await auditOptimizer({ run, claimed: { epsilon, delta }, profile, registry, publicCoins, ...(start === undefined ? {} : { start }), ...how }) };
}
