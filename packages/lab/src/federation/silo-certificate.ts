import { bestOf } from '@lethe/accountants';
import { eventKindsOf, type Adjacency, type Interval, type PrivacyEvent, type Registry } from '@lethe/core';
import { assumptionsOf } from '@lethe/curator/federation';
import type { EndedRun } from '@lethe/federation';
import { accountantsIn } from '../plugins/accountants-in.js';
import { boundsText } from '../report/bounds-text.js';
import { deltaText } from '../report/format.js';

/** What a run has cost the records of one silo, for its owner. */
export interface SiloCertificate {
  readonly format: 'lethe/silo-certificate';
  readonly version: 1;
  readonly run: string;
  readonly title: string;
  /** SHA-256 of the plan that all parties signed. */
  readonly plan: string;
  readonly silo: string;
  /** Records, or owners of records where `unit` is set. */
  readonly records: number;
  /** Set where all that one owner has is protected. @defaultValue one record */
  readonly unit?: 'owner';
  readonly adjacency: Adjacency;
  readonly delta: number;
  /** Queries that were answered, of those of the plan. */
  readonly answered: number;
  readonly reason: string;
  readonly event: PrivacyEvent;
  /** Of what was answered: valid if when the run ends was fixed in advance. */
  readonly epsilon: Interval;
  /** Of the whole plan: valid however the end was chosen. */
  readonly planned: Interval;
  /** Of all runs that the ledger of the records holds. */
  readonly total: Interval | null;
}

/** The certificate of a run that is over, by the silo's own ledger. */
export function certificateOf(
  { plan: sealed, silo, answered, spent, planned }: EndedRun,
  about: {
    readonly registry: Registry;
    readonly records: number;
    readonly adjacency: Adjacency;
    readonly total: PrivacyEvent | null;
    readonly reason: string;
  },
): SiloCertificate {
  const { plan, digest } = sealed;
  const { registry, records, adjacency, total, reason } = about;
  const { budget, problem } = plan.agreement.plan;
  const accountant = bestOf(accountantsIn(registry), eventKindsOf(registry));
  const epsilonOf = (event: PrivacyEvent): Interval => {
    const interval = accountant.epsilon(event, {
      adjacency,
      delta: budget.delta,
      near: budget.epsilon,
    });
    const assumptions = [...new Set([...interval.assumptions, ...assumptionsOf(problem.trust)])];
    return { ...interval, assumptions };
  };
  return {
    format: 'lethe/silo-certificate',
    version: 1,
    run: plan.agreement.run,
    title: plan.title,
    plan: Buffer.from(digest).toString('hex'),
    silo: plan.silos[silo]?.name ?? '',
    records,
    ...(problem.unit === 'owner' ? { unit: problem.unit } : {}),
    adjacency,
    delta: budget.delta,
    answered,
    reason,
    event: spent,
    epsilon: epsilonOf(spent),
    planned: epsilonOf(planned),
    total: total === null ? null : epsilonOf(total),
  };
}

/** A certificate in a sentence. */
export function certificateText({ answered, delta, epsilon, planned, total, unit }: SiloCertificate): string {
  const all = total === null ? '' : `; all runs on your records together: ${boundsText(total)}`;
  const atMost =
    answered > 0 && planned.upper > epsilon.upper
      ? `, if its end did not depend on the answers, else at most that of its plan: ${boundsText(planned)}`
      : '';
  return (
    `Your records have answered ${answered} queries of this run: ${boundsText(epsilon)} ` +
    `at delta ${deltaText(delta)}${unit === 'owner' ? ' for all records of any one owner' : ''}${atMost}, ` +
    `assuming ${epsilon.assumptions.join(', ') || 'nothing'}${all}`
  );
}
