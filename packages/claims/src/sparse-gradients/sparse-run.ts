import { bestOf, calibrator, gdp, pld, rdp } from '@lethe/accountants';
import {
  attachData,
  centralCurator,
  driveSync,
  openLedger,
  seededRandom,
  type Budget,
  type Fact,
  type PrivacyEvent,
  type Problem,
  type PublicPlan,
  type Query,
  type Ref,
  type Run,
  type Vector,
} from '@lethe/core';
import { linear } from '@lethe/losses';
import { l2BallDomain, mechanisms, wholeSpaceDomain } from '@lethe/mechanisms';
import type { DebiasedSubject } from './debiased-subject.js';

/** Fields of a plan of the method that the claims speak of. */
export interface SparsePlan extends PublicPlan {
  readonly calls: number;
  readonly stopped: number;
  readonly levels: readonly number[];
  readonly mean: Ref<'mean'>;
  readonly noiseMultiplier: number;
  readonly stepSize: number;
  readonly output: { readonly by: string; readonly iterates?: number; readonly index?: number };
  readonly median: { readonly bound: number } | null;
}

/** A run that is planned. */
export interface SparseRun {
  readonly params: Readonly<Record<string, unknown>>;
  readonly slots: number;
  /** @defaultValue 3 */
  readonly dimension?: number;
  /** @defaultValue 2 */
  readonly sparsity?: number;
  readonly budget?: Budget;
  /** Of the public coins. */
  readonly seed?: string;
  /** Whether the loss is said to be convex, on the unit ball, or not, on the whole space. @defaultValue true */
  readonly isConvex?: boolean;
}

const fact = (value: number): Fact => ({ value, scope: 'every-record', provenance: 'declared' });
/** The certified δ of an event at an ε. */
export const deltaAt = (event: PrivacyEvent, epsilon: number): number =>
  bestOf([pld, rdp]).delta(event, { adjacency: 'replace-one', epsilon }).upper;

/** Plans the method on `−⟨x, z⟩` for records of norm 1; what the loss is said to be decides the theorem. */
export function plannedRun(
  { biasReducedSgd }: Pick<DebiasedSubject, 'biasReducedSgd'>,
  {
    params,
    slots,
    dimension = 3,
    sparsity = 2,
    budget = { epsilon: 1, delta: 1e-4 },
    seed = 'coins',
    isConvex = true,
  }: SparseRun,
): Run & { readonly plan: SparsePlan } {
  const problem: Problem = {
    adjacency: 'replace-one',
    trust: { model: 'central' },
    dimension,
    slots: [slots],
    domain: isConvex ? l2BallDomain({ radius: 1 }) : wholeSpaceDomain({}),
    loss: linear({}),
    capabilities: isConvex ? { convex: true, lipschitz: true } : { lipschitz: true },
    facts: { lipschitz: fact(1), smoothness: fact(1), sparsity: fact(sparsity) },
  };
  const run = biasReducedSgd.prepare({
    registry: mechanisms,
    problem,
    budget,
    params,
    calibrate: calibrator([rdp, gdp]),
    random: seededRandom(seed),
  });
  return run as Run & { readonly plan: SparsePlan };
}

/** What a curator was asked, and what it charged. */
export interface CarriedOut {
  readonly queries: readonly Query[];
  readonly event: PrivacyEvent;
  readonly output: Vector;
}

/** Carries a run out over records of one entry each, `z_i = sign · e_{i mod d}`. */
export function carriedOut(run: Run, sign: 1 | -1, seed = 'coins'): CarriedOut {
  const [slots] = run.problem.slots;
  const columns = run.problem.dimension;
  const registry = [...mechanisms, linear];
  const data = Float64Array.from({ length: slots * columns }, (_, at) =>
    at % columns === Math.floor(at / columns) % columns ? sign : 0,
  );
  const ledger = openLedger({ adjacency: 'replace-one' });
  const attached = attachData({
    features: { data, rows: slots, columns, offset: 0, rowStride: columns, columnStride: 1 },
    loss: linear({}),
    registry,
    ledger,
  });
  const curator = centralCurator({
    data: attached,
    registry,
    run: 'claim',
    random: seededRandom(`noise of ${seed}`),
  });
  const queries: Query[] = [];
  const { output } = driveSync(run, curator, {
    start: new Float64Array(columns),
    random: seededRandom(seed),
    observe: (query) => queries.push(query),
  });
  return { queries, event: ledger.spentBy('claim'), output };
}
