import { IncompatiblePlugins, type Batch, type Query, type Stream, type Vector } from '@lethe/core';
import type { FederatedPlan } from './plan.js';
import { refusal } from './refusal.js';

/** What a silo has before it makes the query of a round. */
export interface RoundContext {
  /** t, from 1. */
  readonly round: number;
  /** x_t. */
  readonly point: Vector;
  /** x_{t−1}; in round 1 there is none. */
  readonly before: Vector | null;
  /** The answers to the queries of the set-up, in order. */
  readonly setup: readonly unknown[];
}

/** The rule by which both sides make the same query of a round from the plan and one point. */
export interface RoundQueries {
  /** The point that the server sends of the optimizer's query. @throws {IncompatiblePlugins} when it is another query. */
  pointOf(query: Query, context: Omit<RoundContext, 'point'>): Vector;
  /** The whole query. */
  queryOf(context: RoundContext): Query;
  /** Checks a query of the set-up against the plan. @throws a refusal. */
  checkSetup(query: Query, index: number): void;
}

/**
 * Rounds of corrected momentum: a split into T batches, a stream, and in round t the increment
 * `t ∇f(x_t) − (t − 1) ∇f(x_{t−1})` of batch t about the centre `(t − 1)(L/2)(x_t − x_{t−1})`. The server sends x_t.
 */
function correctedMomentum(plan: FederatedPlan, silo: number): RoundQueries {
  const { rounds, noiseMultiplier } = plan;
  const { radius, centred, smoothness = 0 } = plan.clip;
  const { batchSize } = plan.silos[silo];
  const halfSmoothness = centred ? smoothness / 2 : 0;
  const tokens = (setup: readonly unknown[], round: number): { readonly batch: Batch; readonly stream: Stream } => {
    const batches = setup.find((answer): answer is readonly Batch[] => Array.isArray(answer));
    const stream = setup.find(
      (answer): answer is Stream =>
        typeof answer === 'object' && answer !== null && !Array.isArray(answer) && 'id' in answer,
    );
    const batch = batches?.[round - 1];
    if (batch === undefined || stream === undefined)
      throw refusal('wrong-query', `round ${round} has no batch or no stream yet; the set-up comes first`, { round });
    return { batch, stream };
  };
  const terms = (round: number, point: Vector, before: Vector | null) =>
    before === null
      ? [{ weight: 1, at: point }]
      : [
          { weight: round, at: point },
          { weight: 1 - round, at: before },
        ];
  const queryOf = ({ round, point, before, setup }: RoundContext): Query => ({
    ask: 'push',
    of: { terms: terms(round, point, before) },
    ...tokens(setup, round),
    ...(before === null || halfSmoothness === 0
      ? {}
      : { centre: point.map((one, j) => (round - 1) * halfSmoothness * (one - before[j])) }),
  });
  return {
    queryOf,
    pointOf(query, { round, before, setup }) {
      const point = query.ask === 'push' ? query.of.terms[0]?.at : undefined;
      const whole = point === undefined ? undefined : queryOf({ round, point, before, setup });
      if (point === undefined || !sameQuery(query, whole))
        throw new IncompatiblePlugins(
          `query of round ${round} is not that of the plan's 'corrected-momentum': the optimizer asks something ` +
            "else, or has another schedule; plan with the queries 'whole'",
          { round },
        );
      return point;
    },
    checkSetup(query, index) {
      const wrong = setupFault(query);
      if (wrong !== null)
        throw refusal('wrong-clip', `query ${index} of the set-up is not that of the plan: ${wrong}`, { index });
    },
  };

  function setupFault(query: Query): string | null {
    if (query.ask === 'split') {
      const { parts } = query;
      if (parts.by === 'size' && parts.sizes.length === rounds && parts.sizes.every((size) => size === batchSize))
        return null;
      // A silo splits what it has: the size follows from the records, which are at least those of the plan.
      return (parts as { by: string; count?: number }).by === 'count' &&
        (parts as { count?: number }).count === rounds
        ? null
        : `batches are not ${rounds} of ${batchSize} records`;
    }
    if (query.ask !== 'open') return `a silo was asked to '${query.ask}'`;
    const { steps, bound, participation, noise, sampling, normaliser } = query;
    if (steps !== rounds) return `the stream has ${steps} steps, not ${rounds}`;
    if (participation.times !== 1) return 'a record would take part more than once';
    if (sampling !== undefined) return 'its batches are drawn in secret';
    if (bound.by !== 'clip') return 'its increments are not clipped';
    const cap = clipRadius(bound.clip.params);
    if (cap === null || cap > radius) return `its clip is not of the radius ${radius}`;
    if (normaliser !== batchSize) return `its sums are divided by ${normaliser}, not by ${batchSize}`;
    if (!('noiseMultiplier' in noise.target) || noise.target.noiseMultiplier < noiseMultiplier)
      return `its noise is less than the multiplier ${noiseMultiplier}`;
    return null;
  }
}

/** The radius that a clip's parameters name. */
function clipRadius(params: unknown): number | null {
  const named = (params ?? {}) as Readonly<Record<string, unknown>>;
  const radius = named['cap'] ?? named['radius'];
  return typeof radius === 'number' ? radius : null;
}

/** Whether two queries are alike, names of batches and streams included. */
function sameQuery(query: Query, whole: Query | undefined): boolean {
  if (query.ask !== 'push' || whole?.ask !== 'push') return false;
  const sameVector = (one: Vector | undefined, other: Vector | undefined): boolean =>
    one === other ||
    (one !== undefined &&
      other !== undefined &&
      one.length === other.length &&
      one.every((entry, j) => Object.is(entry, other[j]) || entry === other[j]));
  return (
    query.batch.id === whole.batch.id &&
    query.stream.id === whole.stream.id &&
    query.of.coordinates === undefined &&
    query.of.terms.length === whole.of.terms.length &&
    query.of.terms.every(
      ({ weight, at }, k) => weight === whole.of.terms[k].weight && sameVector(at, whole.of.terms[k].at),
    ) &&
    sameVector(query.centre, whole.centre)
  );
}

const rules: Readonly<Record<FederatedPlan['queries'], ((plan: FederatedPlan, silo: number) => RoundQueries) | null>> = {
  'corrected-momentum': correctedMomentum,
  whole: null,
};

/** The rule that a plan names, for one silo; `null` where queries travel whole, and only the event holds the server to the plan. */
export const roundQueries = (plan: FederatedPlan, silo: number): RoundQueries | null =>
  rules[plan.queries]?.(plan, silo) ?? null;
