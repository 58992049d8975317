import type { Batch, Loops, Price, Program, Query, Registry, Vector } from '@lethe/core';
import { assertCount, createIntake } from '@lethe/core/internal';
import { Unsupported } from '@lethe/numerics';
import { tokenOf } from '../curator/context.js';
import { dispatch, type Handlers } from '../curator/handlers.js';
import type { Effect, SlotRange } from '../ledger/index.js';
import { createTally } from '../ledger/tally.js';
import { gradientCount } from './gradients.js';
import { pricingContext, type PublicData } from './public-context.js';

/** How a run is priced. */
export interface PricingOptions {
  readonly data: PublicData;
  readonly handlers: Partial<Handlers>;
  /**
   * Whether noise may be asked for that no mechanism draws: its multiplier is looked for.
   * @defaultValue false
   */
  readonly isEstimate?: boolean;
  /** Whether every iteration is entered, instead of one of each kind. @defaultValue false */
  readonly unrolled?: boolean;
  /** What is asked of the data when the steps ask a query. @defaultValue the same */
  asked?(query: Query): Query;
  steps(context: Loops & { readonly allRecords: Batch }): Program<Vector>;
}

/** Iterations that are entered once. */
interface Level {
  readonly times: number;
  readonly parts: Parts | null;
}
/** Consecutive batches with one price: that of the first. */
interface Parts {
  readonly first: SlotRange;
  readonly all: SlotRange;
}

/**
 * The price of a run, without data: its steps are asked and answered by the public side of the handlers that
 * a curator has, so that it is what a ledger will say. Of iterations that are alike one is entered, with
 * answers that no record has a part in.
 *
 * @throws {Unsupported} for steps whose price depends on answers, or that leave `rounds` early.
 */
export function priceOf({
  data,
  handlers,
  isEstimate = false,
  unrolled = false,
  asked = (query) => query,
  steps,
}: PricingOptions): Price {
  const context = pricingContext(data, isEstimate);
  const gradientsOf = gradientCount(data.allRecords, data.registry);
  const tally = createTally();
  const take = intakeFor(data.registry);
  const levels: Level[] = [];
  const price = { gradients: 0, queries: 0 };

  function* alike<T>(value: T, level: Level): Generator<T, void, undefined> {
    let isWhole = false;
    levels.push(level);
    tally.begin(level.times, level.parts?.all);
    try {
      yield value;
      isWhole = true;
    } finally {
      context.apply({ closes: tally.end() });
      levels.pop();
      if (!isWhole) leftEarly();
    }
  }
  const rangeOf = (batch: Batch): SlotRange => context.batch(batch).stretch;
  const loops: Loops = {
    state: (initial) => initial,
    *rounds(count, kind) {
      assertCount(count);
      for (const [t, times] of kindsOf(count, unrolled ? (each) => each : kind))
        yield* alike(t, { times, parts: null });
    },
    *parts(batches, kind) {
      for (let from = 0; from < batches.length;) {
        const first = rangeOf(batches[from]);
        const to = unrolled ? from + 1 : endOfAlike(batches, from, { rangeOf, kind });
        const parts = { first, all: { ...first, to: rangeOf(batches[to - 1]).to } };
        yield* alike([from + 1, batches[from]] as const, { times: to - from, parts });
        from = to;
      }
    },
  };

  const program = steps({ ...loops, allRecords: tokenOf(data.allRecords) });
  let next = program.next();
  while (next.done !== true) {
    const query = asked(take(next.value).query);
    const { effect, blank } = dispatch(handlers, context, query, `plan/${price.queries}`);
    const times = levels.reduce((product, level) => product * level.times, 1);
    price.gradients += times * gradientsOf.of(query);
    price.queries += times;
    const { charge, space, closes } = inAllParts(context.apply(effect), levels);
    gradientsOf.apply(effect);
    if (charge !== undefined || space !== undefined || closes !== undefined)
      tally.apply({ charge, space, closes } as Effect);
    next = program.next(blank());
  }
  return { event: tally.total(), ...price };
}

const intakes = new WeakMap<Registry, ReturnType<typeof createIntake>>();

/** One border for all prices with a registry: a search for noise prices one run many times. */
function intakeFor(registry: Registry): ReturnType<typeof createIntake> {
  const known = intakes.get(registry) ?? createIntake();
  intakes.set(registry, known);
  return known;
}

function leftEarly(): never {
  throw new Unsupported(
    'rounds were left early while the run was priced, so that nobody knows how many there will be; ' +
      'give rounds their number, or return event and gradients from plan',
    {},
  );
}

/** The first iteration of each kind, with how many there are. */
function kindsOf(
  count: number,
  kind: ((t: number) => string | number) | undefined,
): Iterable<readonly [number, number]> {
  if (kind === undefined) return count === 0 ? [] : [[1, count]];
  const found = new Map<string | number, { readonly first: number; times: number }>();
  for (let t = 1; t <= count; t++) {
    const name = kind(t);
    const known = found.get(name);
    if (known === undefined) found.set(name, { first: t, times: 1 });
    else known.times++;
  }
  return Array.from(found.values(), ({ first, times }) => [first, times] as const);
}

/** Where the batches end that have the size and the kind of the first and follow it in its space. */
function endOfAlike(
  batches: readonly Batch[],
  from: number,
  {
    rangeOf,
    kind = () => 0,
  }: { rangeOf(batch: Batch): SlotRange; readonly kind: ((t: number) => string | number) | undefined },
): number {
  const { normaliser } = batches[from];
  const first = kind(from + 1);
  let last = rangeOf(batches[from]);
  let end = from + 1;
  for (; end < batches.length && batches[end].normaliser === normaliser; end++) {
    if (kind(end + 1) !== first) break;
    const next = rangeOf(batches[end]);
    if (next.space !== last.space || next.from !== last.to) break;
    last = next;
  }
  return end;
}

/** What is done to the first of batches that are alike is done to all of them. */
function inAllParts(effect: Effect, levels: readonly Level[]): Effect {
  const spread = (range: SlotRange): SlotRange =>
    levels.reduce((at, { parts }) => (parts === null ? at : widened(at, parts)), range);
  const { charge, space } = effect;
  return {
    ...effect,
    ...(charge === undefined ? {} : { charge: { ...charge, on: spread(charge.on) } }),
    ...(space === undefined ? {} : { space: { ...space, within: spread(space.within) } }),
  };
}

function widened(range: SlotRange, { first, all }: Parts): SlotRange {
  const isApart = range.space !== first.space || range.to <= first.from || all.to <= range.from;
  if (isApart) return range;
  if (range.from === first.from && range.to === first.to) return all;
  const isAround = range.from <= first.from && all.to <= range.to;
  if (isAround) return range;
  throw new Unsupported(
    'a part of one of the parts is asked about, in stored order; split it in shuffled order, ' +
      'or return event and gradients from plan',
    { range },
  );
}
