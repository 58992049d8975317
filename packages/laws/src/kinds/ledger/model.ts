import { composedEvent, parallelEvent, sampledEvent, type PrivacyEvent, type SamplerSpec } from '@lethe/core';
import type { Entry, SlotRange } from '@lethe/curator';
import { resolveEvent } from '@lethe/accountants';
import { defined } from '@lethe/numerics';

/** Slots of the data set in these scenarios. */
export const slots = 8;
/** Core's name of the partition of all slots in stored order. */
export const everything = 'all';

interface Cost {
  readonly from: number;
  readonly to: number;
  readonly event: PrivacyEvent;
}
interface ModelPartition {
  readonly run: string;
  readonly within: SlotRange;
  readonly sampler: SamplerSpec | null;
  readonly costs: Cost[];
  open: boolean;
}

/** Reference model of a ledger: a plain list of every charge and its place. */
export interface Model {
  readonly runs: Map<string, { readonly entries: Entry[]; readonly key: string; ended: boolean }>;
  readonly spaces: Map<string, ModelPartition>;
  readonly charges: { readonly run: string; readonly cost: Cost }[];
}

export const emptyModel = (): Model => ({ runs: new Map(), spaces: new Map(), charges: [] });

/** Adds an entry to the model. */
export function addEntry(model: Model, entry: Entry): void {
  const { charge, space, closes = [] } = entry.effect;
  for (const id of closes) defined(model.spaces.get(id)).open = false;
  if (space !== undefined)
    model.spaces.set(space.id, {
      run: entry.run,
      within: space.within,
      sampler: space.sampler,
      costs: [],
      open: true,
    });
  if (charge !== undefined) {
    const cost: Cost = { from: charge.on.from, to: charge.on.to, event: charge.event };
    if (charge.on.space === everything) model.charges.push({ run: entry.run, cost });
    else defined(model.spaces.get(charge.on.space)).costs.push(cost);
  }
  defined(model.runs.get(entry.run)).entries.push(entry);
}

/** Removes the charge of an entry after a look. */
export function tried<T>(model: Model, { run, effect: { charge } }: Entry, look: () => T): T {
  let costs: Cost[] | undefined;
  if (charge === undefined) costs = undefined;
  else if (charge.on.space === everything) costs = undefined;
  else costs = defined(model.spaces.get(charge.on.space)).costs;
  const cost = charge && { from: charge.on.from, to: charge.on.to, event: charge.event };
  if (cost !== undefined && costs !== undefined) costs.push(cost);
  else if (cost !== undefined) model.charges.push({ run, cost });
  try {
    return look();
  } finally {
    if (cost !== undefined && costs !== undefined) costs.pop();
    else if (cost !== undefined) model.charges.pop();
  }
}

/**
 * The cost of all runs, or of one: at every position, the composition of all charges on ranges that contain
 * it; the largest over positions. A nested partition counts as one charge on its parent range, amplified by
 * its sampler.
 */
export function costOf(model: Model, run?: string): PrivacyEvent {
  const below = new Map<string, [string, ModelPartition][]>();
  for (const [id, space] of model.spaces) {
    if (run !== undefined && space.run !== run) continue;
    const parent = space.within.space;
    below.set(parent, below.get(parent) ?? []);
    defined(below.get(parent)).push([id, space]);
  }
  const within = (id: string): PrivacyEvent => {
    const own =
      id === everything
        ? model.charges.filter((charge) => run === undefined || charge.run === run).map(({ cost }) => cost)
        : defined(model.spaces.get(id)).costs;
    const nested = (below.get(id) ?? []).map(
      ([
        child,
        {
          within: { from, to },
          sampler,
        },
      ]): Cost => ({
        from,
        to,
        event: sampler === null ? within(child) : sampledEvent(sampler, within(child)),
      }),
    );
    const all = [...own, ...nested];
    // Between two ends of ranges all slots cost the same.
    const ends = new Set([0, ...all.flatMap(({ from, to }) => [from, to])]);
    return parallelEvent(
      [...ends]
        .filter((slot) => slot < slots)
        .map((slot) =>
          composedEvent(all.filter(({ from, to }) => from <= slot && slot < to).map(({ event }) => event)),
        ),
    );
  };
  return within(everything);
}

/** ε of all runs for a limit: composition of the runs' own costs, as if all had the same slots. */
export const spentOf = (model: Model): number =>
  [...model.runs.keys()].reduce((sum, run) => sum + pureOf(costOf(model, run)), 0);

/** ε of pure differential privacy: additive, the maximum in parallel, amplified by sampling. */
export const pureOf = (event: PrivacyEvent): number => resolveEvent(event, 'pure', { adjacency: 'zero-out' });
/** Rényi divergence of order 3 of the same event. */
export const renyiOf = (event: PrivacyEvent): number =>
  resolveEvent(event, 'rdp', { adjacency: 'zero-out' })(3);
/** Equality up to the rounding of sums in another order. */
export const equal = (a: number, b: number): boolean => a === b || Math.abs(a - b) <= 1e-9 * Math.max(a, b);
