import type {
  Adjacency,
  Batch,
  Fact,
  Loops,
  Price,
  Program,
  Query,
  Ref,
  Registry,
  TrustModel,
  Vector,
} from '@lethe/core';
import { publicCoins, Unsupported, type RandomSource } from '@lethe/numerics';
import { centralHandlers } from '../curator/central.js';
import type { Handlers } from '../curator/handlers.js';
import { rootBatch } from '../curator/root-batch.js';
import { shuffleHandlers } from '../curator/shuffle.js';
import { inSilos } from '../curator/federation/joined-curator.js';
import { federatedHandlers } from '../curator/federation/handlers.js';
import { secureHandlers } from '../curator/federation/secure-handlers.js';
import { countedShares, isJoint } from '../curator/federation/trust.js';
import { differsBySilo, siloQuery } from '../curator/federation/silo-query.js';
import { priceOf } from './price.js';
import type { PublicData } from './public-context.js';

/** A run that is priced for a problem. */
export interface PricedRun {
  readonly problem: {
    readonly adjacency: Adjacency;
    readonly trust: TrustModel;
    readonly dimension: number;
    readonly slots: readonly number[];
    readonly loss: Ref<'loss'>;
    readonly facts: Readonly<Record<string, Fact>>;
  };
  readonly registry: Registry;
  /** Its randomness is drawn anew for every price. */
  readonly random: RandomSource;
  readonly isEstimate?: boolean;
  readonly unrolled?: boolean;
  steps(
    context: Loops & { readonly allRecords: Batch; readonly random: RandomSource; readonly start: Vector },
  ): Program<Vector>;
}

/**
 * What a run costs that begins at the origin. In a federation a record bears the cost of its own silo;
 * gradients are those of all silos.
 *
 * @throws as `priceOf`.
 */
export function priceOfRun(run: PricedRun): Price {
  const { trust, slots } = run.problem;
  const handlers = handlersOf(trust);
  if (!isJoint(trust)) return priceOn(run, handlers, oneNumberOf(slots));
  assertSlots(slots, trust.silos);
  let differs = false;
  const known = new Map<number, Price>();
  const prices = slots.map((records, silo) => {
    const same = differs ? undefined : known.get(records);
    if (same !== undefined) return same;
    const price = priceOn(run, handlers, records, (query) => {
      differs ||= differsBySilo(query);
      return siloQuery(query, silo, trust.silos);
    });
    known.set(records, price);
    return price;
  });
  return {
    event: inSilos(prices.map(({ event }) => event)),
    gradients: prices.reduce((sum, { gradients }) => sum + gradients, 0),
    queries: prices[0].queries,
  };
}

/** What a run costs that one trusted curator answers with these handlers. @throws as `priceOf`. */
export const centralPrice = (handlers: Partial<Handlers>, run: PricedRun): Price =>
  priceOn(run, handlers, oneNumberOf(run.problem.slots));

/** What a run costs in one silo of its federation. @throws as `priceOf`. */
export function priceInSilo(run: PricedRun, silo: number): Price {
  const { trust, slots } = run.problem;
  if (!isJoint(trust))
    throw new Unsupported(`a run in the ${trust.model} model has no silos`, { trust: trust.model });
  assertSlots(slots, trust.silos);
  return priceOn(run, handlersOf(trust), slots[silo], (query) => siloQuery(query, silo, trust.silos));
}

/** Public facts of so many records. */
export function publicData(
  { problem, registry }: Pick<PricedRun, 'problem' | 'registry'>,
  records: number,
): PublicData {
  const { adjacency, dimension, loss, facts, trust } = problem;
  const allRecords = rootBatch(records, adjacency, adjacency === 'add-remove' ? records : undefined);
  const shares = trust.model === 'secure-aggregation' ? { noiseShares: countedShares(trust) } : {};
  return { registry, adjacency, dimension, loss, facts, allRecords, ...shares };
}

function priceOn(
  { problem, registry, random, steps, ...options }: PricedRun,
  handlers: Partial<Handlers>,
  records: number,
  asked?: (query: Query) => Query,
): Price {
  return priceOf({
    ...options,
    data: publicData({ problem, registry }, records),
    handlers,
    ...(asked === undefined ? {} : { asked }),
    steps: (context) =>
      steps({ ...context, random: publicCoins(random), start: new Float64Array(problem.dimension) }),
  });
}

/** The public side of the curators of a trust model. */
export function handlersOf(trust: TrustModel): Handlers {
  if (trust.model === 'central') return centralHandlers;
  if (trust.model === 'shuffle') return shuffleHandlers(trust.honestUsers);
  if (trust.model === 'federated') return federatedHandlers(trust.server === 'trusted' ? 2 : trust.silos);
  return secureHandlers;
}

function assertSlots(slots: readonly number[], silos: number): void {
  if (slots.length === silos && slots.every((one) => Number.isSafeInteger(one) && one >= 1)) return;
  throw new Unsupported(
    `a federation of ${silos} silos has as many data sets; the problem declares slots ` +
      `[${slots.join(', ')}]. Give one whole number for each silo, at least 1.`,
    { slots, silos },
  );
}

function oneNumberOf(slots: readonly number[]): number {
  const [one] = slots;
  if (slots.length === 1 && one !== undefined && Number.isSafeInteger(one) && one >= 1) return one;
  throw new Unsupported(
    `a curator holds one data set; the problem declares slots [${slots.join(', ')}]. ` +
      'Give one whole number, at least 1.',
    { slots },
  );
}
