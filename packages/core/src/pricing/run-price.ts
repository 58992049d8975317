import { publicCoins, Unsupported, type RandomSource } from '@lethe/numerics';
import type { Adjacency } from '../adjacency.js';
import { centralHandlers } from '../curator/central.js';
import type { Handlers } from '../curator/handlers.js';
import { rootBatch } from '../curator/root-batch.js';
import { shuffleHandlers } from '../curator/shuffle.js';
import type { Loops } from '../loops/loops.js';
import type { Ref } from '../plugins/plugin.js';
import type { Registry } from '../plugins/registry.js';
import type { Program } from '../query/ask.js';
import type { Batch, Fact, TrustModel, Vector } from '../query/query.js';
import { priceOf, type Price } from './price.js';

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
  /** Its coins are drawn anew for every price. */
  readonly random: RandomSource;
  readonly isEstimate?: boolean;
  readonly unrolled?: boolean;
  steps(
    context: Loops & { readonly allRecords: Batch; readonly random: RandomSource; readonly start: Vector },
  ): Program<Vector>;
}

/** What a run costs that begins at the origin. @throws as {@link priceOf}. */
export function priceOfRun({ problem, registry, random, steps, ...options }: PricedRun): Price {
  const { adjacency, trust, dimension, loss, facts } = problem;
  const slots = oneNumberOf(problem.slots);
  const allRecords = rootBatch(slots, adjacency, adjacency === 'add-remove' ? slots : undefined);
  return priceOf({
    ...options,
    data: { registry, adjacency, dimension, loss, facts, allRecords },
    handlers: handlersOf(trust),
    steps: (context) =>
      steps({ ...context, random: publicCoins(random), start: new Float64Array(dimension) }),
  });
}

function handlersOf(trust: TrustModel): Handlers {
  if (trust.model === 'central') return centralHandlers;
  if (trust.model === 'shuffle') return shuffleHandlers(trust.honestUsers);
  throw new Unsupported(
    `no curator answers in the ${trust.model} model; return event and gradients from plan`,
    { trust: trust.model },
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
