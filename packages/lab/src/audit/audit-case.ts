import { bestOf } from '@lethe/accountants';
import {
  eventKindsOf,
  hasKind,
  Unsupported,
  type Budget,
  type Calibrate,
  type Optimizer,
  type Problem,
  type RandomSource,
  type Registry,
  type Run,
  type Vector,
} from '@lethe/core';
import {
  auditOptimizer,
  type AuditOptimizerOptions,
  type ClaimedPoint,
  type OptimizerAudit,
} from '@lethe/laws';
import type { Environment } from '../experiment/environment.js';
import { accountantsIn } from '../plugins/accountants-in.js';
import { heldFilter } from '../run/held-filter.js';
import { isUnprotected } from '../run/unprotected.js';

/** A run to audit: the inputs of its plan, and its start. */
export interface AuditCase {
  readonly title: string;
  readonly optimizer: Optimizer;
  readonly params: unknown;
  readonly problem: Problem;
  readonly budget: Budget;
  /** Public coins of planning and of every run. */
  readonly publicCoins: RandomSource;
  readonly start?: Vector;
}

/** Result of the audit of one case. */
export interface AuditedCase extends OptimizerAudit {
  readonly title: string;
  readonly optimizer: string;
  readonly adjacency: Problem['adjacency'];
  readonly trust: Problem['trust'];
  readonly records: number;
  /** Points of the certified profile of the plan's event. */
  readonly profile: readonly ClaimedPoint[];
  /**
   * No violation: the verdict holds, and runs cost what was planned or, with adaptive stopping, at most the
   * limit of the filter.
   */
  readonly passed: boolean;
}

/** Content of `audit.json`. */
export interface AuditResult {
  readonly kind: 'audit';
  /** Name of the experiment, or `shipped`. */
  readonly name: string;
  readonly command: string;
  /** Versions of Lethe and Node, and the modules of plugins that do not ship. */
  readonly environment: Environment;
  readonly cases: readonly AuditedCase[];
}

/** Options shared by all cases. */
export interface AuditSurroundings extends Pick<
  AuditOptimizerOptions,
  'runs' | 'confidence' | 'falseAlarm' | 'random' | 'signal' | 'progress' | 'pause'
> {
  readonly registry: Registry;
  readonly calibrate: Calibrate;
  /**
   * Points of the certified profile to test for a violation, besides the budget's δ. @defaultValue 12
   */
  readonly profilePoints?: number;
}

/** Kinds of events of a selection among runs. */
const selections = ['core/selection', 'core/negative-binomial-selection', 'core/poisson-selection'] as const;

/**
 * Whether an audit can follow a run. It plants a record by a loss of its own, and the runs of a selection are
 * planned for the loss of their problem.
 */
export const isFollowed = ({ plan }: Pick<Run, 'plan'>): boolean =>
  !selections.some((kind) => hasKind(plan.event, kind));

/**
 * Plans a run, asks the accountants what its event costs, and audits it against their certificate.
 *
 * @returns `null` for a run without noise, which claims nothing.
 * @throws {Unsupported} for a selection among runs.
 */
export async function auditCase(
  { title, optimizer, params, problem, budget: { epsilon: wanted, delta }, publicCoins, start }: AuditCase,
  { registry, calibrate, profilePoints = 12, ...how }: AuditSurroundings,
): Promise<AuditedCase | null> {
  const accountant = bestOf(accountantsIn(registry), eventKindsOf(registry));
  const run = optimizer.prepare({
    registry,
    problem,
    budget: { epsilon: wanted, delta },
    params,
    calibrate,
    filter: heldFilter(registry),
    random: publicCoins,
  });
  if (!isFollowed(run))
    throw new Unsupported(
      `optimizer '${optimizer.name}' selects among runs, and an audit cannot follow those: it plants a ` +
        'record by a ' +
        'loss of its own, and they are planned for the loss of the problem. Audit the base instead.',
      { optimizer: optimizer.name },
    );
  if (isUnprotected(run.plan.event)) return null;
  const { adjacency, trust, slots } = problem;
  const { event } = run.plan;
  const epsilon = accountant.epsilon(event, { adjacency, delta, near: wanted }).upper;
  const profile = Array.from(
    { length: Number.isFinite(epsilon) ? profilePoints : 0 },
    (_, i): ClaimedPoint => {
      const at = (epsilon * i) / profilePoints;
      return { epsilon: at, delta: accountant.delta(event, { adjacency, epsilon: at }).upper };
    },
  );
  const audit = await auditOptimizer({
    run,
    claimed: { epsilon, delta },
    profile,
    registry,
    publicCoins,
    ...(start === undefined ? {} : { start }),
    ...how,
  });
  const passed = audit.verdict.holds && (audit.ledgerMatchesPlan || optimizer.stopping === 'adaptive');
  return {
    title,
    optimizer: optimizer.name,
    adjacency,
    trust,
    records: slots.reduce((sum, count) => sum + count, 0),
    profile,
    passed,
    ...audit,
  };
}
