import { countedEvent, freeEvent, normalEvent, parallelEvent, type PrivacyEvent } from '@lethe/core';
import { canonicalEvent } from '@lethe/core/internal';
import { sampledOnce } from '../events/sampled-once.js';
import { Corrupt, defined } from '@lethe/numerics';
import type { Charge, Effect, Partition, SlotRange } from './effect.js';
import { createRanges, type Ranges } from './ranges.js';

interface Cost {
  readonly from: number;
  readonly to: number;
  readonly event: PrivacyEvent;
  count: number;
}
interface Account {
  readonly space: Partition | null;
  readonly depth: number;
  readonly costs: Cost[];
  /** The costs by range and event; made when there is a second one. */
  byKey: Map<string, Cost> | null;
  /** Made when it is first asked for. */
  ranges: Ranges<Cost> | null;
  readonly children: Set<string>;
}
const newAccount = (space: Partition | null, depth: number): Account => ({
  space,
  depth,
  costs: [],
  byKey: null,
  ranges: null,
  children: new Set(),
});

/**
 * Composes charges by slots. The cost of a partition is the maximum over positions of the composition of all
 * events whose range covers the position. A partition below adds its cost to the range that it divides,
 * amplified if it was sampled. Different partitions of one range count as overlapping (two splits of one
 * batch overlap).
 */
export interface Tally {
  apply(effect: Effect): void;
  /** Applies a step `times` times in the time of one. The step must leave no partition open. */
  applySteps(step: readonly Effect[], times: number): void;
  /**
   * From here on every effect counts `times` times, until {@link Tally.end}: but for charges on partitions
   * that are opened in between, and on `parallel`, this very object, a range of which each time is another
   * part. These may lie inside one another.
   */
  begin(times: number, parallel?: SlotRange): void;
  /**
   * Closes what was opened since the last {@link Tally.begin}, and counts as before it.
   * @returns the partitions that it closed.
   */
  end(): readonly string[];
  /** Makes the checks of {@link Tally.apply} without changes. @throws {Corrupt} */
  assertApplies(effect: Effect): void;
  /**
   * Total of the slots of a charge with that charge added, without changes. If all slots were within a limit
   * before, comparing this total with the limit is enough.
   */
  with(charge: Charge): PrivacyEvent;
  /** Event of all charges so far; open scopes count as if they closed now. */
  total(): PrivacyEvent;
  /** Closes a run's remaining partitions, which frees their memory. */
  settle(spaces: readonly string[]): void;
}

export const rootPartition = 'all';

/** @param root - The partition of all slots. */
export function createTally(root = rootPartition): Tally {
  const accounts = new Map<string, Account>([[root, newAccount(null, 0)]]);
  const account = (id: string): Account => {
    const found = accounts.get(id);
    if (found === undefined)
      throw new Corrupt(`the ledger charges partition '${id}', which it never opened or has closed`, {
        space: id,
      });
    return found;
  };
  /** Steps that are applied many times, the outermost first, with the partitions that they opened. */
  const repeated: {
    readonly times: number;
    readonly parallel: SlotRange | undefined;
    readonly opened: string[];
  }[] = [];
  const timesOn = (range: SlotRange, depth: number): number => {
    let times = 1;
    for (let level = account(range.space).depth; level < depth; level++) {
      const { times: more, parallel } = repeated[level];
      if (range !== parallel) times *= more;
    }
    return times;
  };
  const add = (range: SlotRange, event: PrivacyEvent, depth = repeated.length): void => {
    const { space, from, to } = range;
    const on = account(space);
    const count = timesOn(range, depth);
    const cost = knownCost(on, from, to, event);
    if (cost !== undefined) {
      cost.count += count;
      return;
    }
    const fresh = { from, to, event, count };
    on.costs.push(fresh);
    on.byKey?.set(costKey(from, to, event), fresh);
    on.ranges?.add(fresh);
  };
  /**
   * Total of the positions `[from, to)` of a partition, with one more cost there in place of the child `but`.
   */
  const within = (id: string, { from, to, event }: Omit<Cost, 'count'>, but: string | null): PrivacyEvent => {
    const own = account(id);
    const { space, children } = own;
    const all: Cost[] = [{ from, to, event, count: 1 }];
    const take = (cost: Cost): void => {
      all.push({
        from: Math.max(from, cost.from),
        to: Math.min(to, cost.to),
        event: cost.event,
        count: cost.count,
      });
    };
    if (own.costs.length > 0) rangesOf(own).overlapping(from, to).forEach(take);
    for (const child of children) {
      if (child === but) continue;
      const { within: place } = defined(account(child).space);
      if (place.from < to && from < place.to)
        take({ from: place.from, to: place.to, event: costOf(child), count: 1 });
    }
    const total = maximumOverPositions(all);
    if (space === null) return total;
    const sampled = space.sampler === null ? total : sampledOnce(space.sampler, total);
    return within(space.within.space, { from: space.within.from, to: space.within.to, event: sampled }, id);
  };
  const costOf = (id: string): PrivacyEvent => {
    const { space, costs, children } = account(id);
    const all: Cost[] = children.size === 0 ? costs : [...costs];
    for (const child of children) {
      const { from, to } = defined(account(child).space).within;
      all.push({ from, to, event: costOf(child), count: 1 });
    }
    const event = maximumOverPositions(all);
    const sampler = space?.sampler ?? null;
    return sampler === null ? event : sampledOnce(sampler, event);
  };
  const close = (id: string): void => {
    const { space, depth } = account(id);
    if (space === null) throw new Corrupt('the ledger closes the partition of all records', { space: id });
    const event = costOf(id);
    const forget = (child: string): void => {
      account(child).children.forEach(forget);
      accounts.delete(child);
    };
    forget(id);
    account(space.within.space).children.delete(id);
    if (event.kind !== 'core/free') add(space.within, event, depth);
  };
  const apply = ({ charge, space, closes }: Effect): void => {
    for (const id of closes ?? []) close(id);
    if (space !== undefined) {
      if (accounts.has(space.id))
        throw new Corrupt(`the ledger opens partition '${space.id}' twice`, { space: space.id });
      account(space.within.space).children.add(space.id);
      accounts.set(space.id, newAccount(space, repeated.length));
      repeated.at(-1)?.opened.push(space.id);
    }
    if (charge !== undefined) add(charge.on, charge.event);
  };
  const begin = (times: number, parallel?: SlotRange): void => {
    repeated.push({ times, parallel, opened: [] });
  };
  const end = (): readonly string[] => {
    const left = repeated[repeated.length - 1].opened.filter((id) => accounts.has(id));
    try {
      for (const id of left) if (accounts.has(id)) close(id);
    } finally {
      repeated.pop();
    }
    return left;
  };
  return {
    apply,
    applySteps(step, times) {
      begin(times);
      try {
        step.forEach(apply);
      } finally {
        end();
      }
    },
    begin,
    end,
    assertApplies({ charge, space, closes }) {
      const gone: string[] = [];
      const standing = (id: string): boolean => {
        for (let at: string | undefined = id; at !== undefined; at = account(at).space?.within.space)
          if (gone.includes(at)) return false;
        return true;
      };
      const assertStanding = (id: string): void => {
        if (!standing(id))
          throw new Corrupt(`the ledger charges partition '${id}', which it has closed`, { space: id });
      };
      for (const id of closes ?? []) {
        assertStanding(id);
        if (id === root) throw new Corrupt('the ledger closes the partition of all records', { space: id });
        gone.push(id);
      }
      if (space !== undefined) {
        if (accounts.has(space.id) && standing(space.id))
          throw new Corrupt(`the ledger opens partition '${space.id}' twice`, { space: space.id });
        assertStanding(space.within.space);
      }
      if (charge !== undefined && charge.on.space !== space?.id) assertStanding(charge.on.space);
    },
    with: ({ on, event }) => within(on.space, { from: on.from, to: on.to, event }, null),
    total: () => costOf(root),
    settle(spaces) {
      for (const id of spaces) if (accounts.has(id)) close(id);
    },
  };
}

/** The cost of an account that has this range and an equal event. Equal charges usually share one object. */
function knownCost(on: Account, from: number, to: number, event: PrivacyEvent): Cost | undefined {
  const [first] = on.costs;
  if (first === undefined) return undefined;
  if (first.event === event && first.from === from && first.to === to) return first;
  on.byKey ??= new Map(on.costs.map((cost) => [costKey(cost.from, cost.to, cost.event), cost]));
  return on.byKey.get(costKey(from, to, event));
}

function rangesOf(on: Account): Ranges<Cost> {
  if (on.ranges === null) {
    on.ranges = createRanges();
    for (const cost of on.costs) on.ranges.add(cost);
  }
  return on.ranges;
}

const costKey = (from: number, to: number, event: PrivacyEvent): string =>
  `${from}:${to}:${canonicalEvent(event)}`;

/** Sweeps over the end points of the ranges; between two end points the active events do not change. */
function maximumOverPositions(costs: readonly Cost[]): PrivacyEvent {
  const first = costs[0];
  if (first === undefined) return freeEvent;
  if (costs.length === 1 || costs.every(({ from, to }) => from === first.from && to === first.to))
    return composed(costs);
  const starts = costs.toSorted((a, b) => a.from - b.from);
  const positions = [...new Set(costs.flatMap(({ from, to }) => [from, to]))].toSorted((a, b) => a - b);
  const active = new Set<Cost>();
  const parts: PrivacyEvent[] = [];
  let next = 0;
  for (const position of positions) {
    for (const cost of active) if (cost.to <= position) active.delete(cost);
    while (next < starts.length && starts[next].from === position) active.add(starts[next++]);
    if (active.size > 0) parts.push(composed([...active]));
  }
  return normalEvent(parallelEvent(parts));
}

function composed(costs: readonly Cost[]): PrivacyEvent {
  const only = costs.length === 1 ? costs[0] : undefined;
  if (only?.count === 1) return only.event;
  return normalEvent(countedEvent(costs));
}
