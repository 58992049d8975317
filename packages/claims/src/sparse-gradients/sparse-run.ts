import { calibrator, gdp, rdp } from '@lethe/accountants';
import {
  driveSync,
  plainLoops,
  seededRandom,
  Unsupported,
  type Answer,
  type Batch,
  type Budget,
  type Calibrate,
  type Fact,
  type MeanQuery,
  type PrivacyEvent,
  type Problem,
  type PublicPlan,
  type Query,
  type RandomSource,
  type Ref,
  type Run,
  type Vector,
} from '@lethe/core';
import { attachData, centralCurator, openLedger } from '@lethe/curator';
import { linear, logistic } from '@lethe/losses';
import { l2BallDomain, mechanisms, wholeSpaceDomain } from '@lethe/mechanisms';
import type { DebiasedSubject } from './debiased-subject.js';

/** Fields of a plan of the method that the claims speak of. */
export interface SparsePlan extends PublicPlan {
  readonly calls: number;
  readonly expectedGradients: number;
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
  /** Public coins. */
  readonly random?: RandomSource;
  /**
   * The linear loss on the unit ball, or the logistic one on the whole space, which is not said to be convex.
   *
   * @defaultValue `'linear'`
   */
  readonly loss?: keyof typeof losses;
  /** @defaultValue by Rényi divergence and Gaussian privacy, the better of both */
  readonly calibrate?: Calibrate;
  /** Whether several runs follow the plan. @defaultValue false */
  readonly repeated?: boolean;
}

const losses = { linear, logistic } as const;
const fact = (value: number): Fact => ({ value, scope: 'every-record', provenance: 'declared' });
/** An upper bound on the δ of an event at an ε, by Rényi divergence. */
export const deltaAt = (event: PrivacyEvent, epsilon: number): number =>
  rdp.delta(event, { adjacency: 'replace-one', epsilon }).upper;

/** Plans the method for records of norm 1. */
export function plannedRun(
  { biasReducedSgd }: Pick<DebiasedSubject, 'biasReducedSgd'>,
  {
    params,
    slots,
    dimension = 3,
    sparsity = 2,
    budget = { epsilon: 1, delta: 1e-4 },
    random = seededRandom('coins'),
    loss = 'linear',
    calibrate = calibrator([rdp, gdp]),
    repeated = false,
  }: SparseRun,
): Run & { readonly plan: SparsePlan } {
  const isConvex = loss === 'linear';
  const problem: Problem = {
    adjacency: 'replace-one',
    trust: { model: 'central' },
    dimension,
    slots: [slots],
    domain: isConvex ? l2BallDomain({ radius: 1 }) : wholeSpaceDomain({}),
    loss: losses[loss]({}),
    capabilities: isConvex ? { convex: true, lipschitz: true } : { lipschitz: true },
    facts: { lipschitz: fact(1), smoothness: fact(isConvex ? 1 : 1 / 4), sparsity: fact(sparsity) },
  };
  const run = biasReducedSgd.prepare({
    registry: mechanisms,
    problem,
    budget,
    params,
    calibrate,
    random,
    ...(repeated && { repeated }),
  });
  return run as Run & { readonly plan: SparsePlan };
}

/** By Gaussian privacy alone, which takes a fifth of the time. */
export const quickly = calibrator([gdp]);

/** Records and start of a run; each record has one entry, which is 1 or −1. */
export interface Carried {
  /** Column of each record's entry. @defaultValue the number of the record, modulo their dimension */
  readonly columnOf?: (record: number) => number;
  /** @defaultValue 1 */
  readonly sign?: 1 | -1;
  /** @defaultValue 0 */
  readonly start?: Vector;
  /** Of the curator's noise. */
  readonly seed?: string;
}

/** What a curator was asked, and what it charged. */
export interface CarriedOut {
  readonly queries: readonly Query[];
  readonly event: PrivacyEvent;
  readonly output: Vector;
}

/** Carries a run out. */
export function carriedOut(
  run: Run,
  { columnOf = (record) => record % run.problem.dimension, sign = 1, start, seed = 'coins' }: Carried = {},
): CarriedOut {
  const [slots] = run.problem.slots;
  const columns = run.problem.dimension;
  const registry = [...mechanisms, linear, logistic];
  const data = new Float64Array(slots * columns);
  for (let record = 0; record < slots; record++) data[record * columns + columnOf(record)] = sign;
  const ledger = openLedger({ adjacency: 'replace-one' });
  const curator = centralCurator({
    data: attachData({
      features: { data, rows: slots, columns, offset: 0, rowStride: columns, columnStride: 1 },
      labels: new Float64Array(slots).fill(1),
      loss: run.problem.loss,
      registry,
      ledger,
    }),
    registry,
    run: 'claim',
    random: seededRandom(`noise of ${seed}`),
  });
  const queries: Query[] = [];
  const { output } = driveSync(run, curator, {
    start: start ?? new Float64Array(columns),
    random: seededRandom(seed),
    observe: (query) => queries.push(query),
  });
  return { queries, event: ledger.spentBy('claim'), output };
}

/**
 * Output of a run whose means are answered without data.
 *
 * @param seed - Of the public randomness of its steps.
 * @throws {Unsupported} for a query that is no draw, split, mean or end of a batch.
 */
export function scripted(
  run: Run,
  start: Vector,
  meanOf: (query: MeanQuery, number: number) => Vector,
  seed = 'steps',
): Vector {
  const batchOf = (id: string, normaliser: number): Batch =>
    ({ id, normaliser, size: 'exact', scope: null }) as Batch;
  let means = 0;
  const answer = (query: Query): Answer => {
    if (query.ask === 'draw')
      return batchOf('drawn', (query.sampler.params as { readonly size: number }).size);
    if (query.ask === 'split' && query.parts.by === 'size')
      return query.parts.sizes.map((size, part) => batchOf(`part ${part}`, size));
    if (query.ask === 'mean') return meanOf(query, means++);
    if (query.ask === 'close') return null;
    throw new Unsupported(`a run asks '${query.ask}'`, {});
  };
  const steps = run.steps({
    start,
    allRecords: batchOf('all records', run.problem.slots[0]),
    random: seededRandom(seed),
    ...plainLoops(),
  });
  for (let next = steps.next(); ; next = steps.next(answer(next.value)))
    if (next.done === true) return next.value;
}
