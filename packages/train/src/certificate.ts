import { totalHolds } from '@lethe/accountants';
import type { OwnerSpec } from '@lethe/losses';
import type { Accountant, Adjacency, Interval, PrivacyEvent } from '@lethe/core';
import type { Ledger } from '@lethe/curator';

/** What a training cost, and what all runs on the records cost together. */
export interface Certificate {
  /** A simulation, whose noise can be drawn again, protects nobody. */
  readonly label: 'private' | 'simulation: no privacy';
  /** ε at `delta` of everything that this model was made with. */
  readonly epsilon: { readonly lower: number; readonly upper: number };
  /** Accountant of the upper end. */
  readonly method: string;
  readonly delta: number;
  readonly adjacency: Adjacency;
  /** What the neighbours differ in: all that one owner has, where it is set. @defaultValue one record */
  readonly unit?: 'owner';
  readonly assumptions: readonly string[];
  readonly event: PrivacyEvent;
  readonly parts: readonly { readonly what: string; readonly event: PrivacyEvent }[];
  /** All runs that the ledger of the records holds, this one included. */
  readonly dataset: {
    readonly epsilon: { readonly lower: number; readonly upper: number };
    readonly runs: readonly string[];
    /**
     * `fixed in advance`: holds if no run was chosen after another's answers. `limit`: the limit of the
     * ledger holds however runs were chosen.
     */
    readonly holds: 'one training' | 'fixed in advance' | 'limit';
  };
  /** What the certificate takes for public. */
  readonly public: readonly string[];
}

/** What is certified. */
export interface CertificateRequest {
  readonly event: PrivacyEvent;
  readonly parts: Certificate['parts'];
  readonly accountant: Pick<Accountant, 'epsilon'>;
  readonly adjacency: Adjacency;
  readonly budget: { readonly epsilon: number; readonly delta: number };
  readonly simulation: boolean;
  readonly assumptions: readonly string[];
  readonly ledger: Ledger;
  /** Whose the records are, by the schema. */
  readonly owner?: OwnerSpec | undefined;
}

const publicNumbers = (owner: OwnerSpec | undefined): readonly string[] => [
  owner === undefined
    ? 'the number of records, and which places are held out'
    : `which owners there are ('${owner.column}'), which of them are held out, and that ${owner.most} ` +
      'records of one count at most',
  'the names of columns, their bounds, lists of values and what stands in for missing ones',
  'the schedule, the budget and the seed of the public coins',
];

/** The certificate of a run that has ended. */
export function certificateOf(request: CertificateRequest): Certificate {
  const { event, parts, accountant, adjacency, budget, simulation, assumptions, ledger, owner } = request;
  const { delta } = budget;
  const query = { adjacency, delta, near: budget.epsilon };
  const own = accountant.epsilon(event, query);
  const total = accountant.epsilon(ledger.total(), query);
  const runs = ledger.runs();
  const epsilonAt = (at: number): number =>
    accountant.epsilon(ledger.total(), { adjacency, delta: at }).upper;
  const { when } = totalHolds(ledger, epsilonAt, parts.length);
  const holds = when === 'one run' ? 'one training' : when;
  return {
    label: simulation ? 'simulation: no privacy' : 'private',
    epsilon: ends(own),
    method: own.method,
    delta,
    adjacency,
    ...(owner === undefined ? {} : { unit: 'owner' as const }),
    assumptions: [...new Set([...own.assumptions, ...assumptions])],
    event,
    parts,
    dataset: { epsilon: ends(total), runs, holds },
    public: publicNumbers(owner),
  };
}

const ends = ({ lower, upper }: Interval): { readonly lower: number; readonly upper: number } => ({
  lower,
  upper,
});
