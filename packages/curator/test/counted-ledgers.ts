import { gaussianEvent, memoryStore, openLog, type Store } from '@lethe/core';
import { canonicalEvent } from '@lethe/core/testing';
import fc from 'fast-check';
import { expect } from 'vitest';
import { defined, encode, sameBytes, seededRandom } from '@lethe/numerics';
import type { Line } from '../src/ledger/check-line.js';
import type { Effect, Entry } from '../src/ledger/effect.js';
import { openLedger } from '../src/ledger/ledger.js';
import type { Ledger, RunRecord } from '../src/ledger/contract.js';
import { createTally, rootPartition } from '../src/ledger/tally.js';

const slots = 12;
const noise = (sigma: number) => gaussianEvent(sigma, { 'zero-out': 1 });
const allRecords = { space: rootPartition, from: 0, to: slots };

/** What one query of a step does, given its own id and that of the step's first query. */
type Made = (id: string, first: string) => Effect;
const charge =
  (sigma: number, from = 0): Made =>
  () => ({ charge: { on: { space: rootPartition, from, to: slots }, event: noise(sigma) } });
const draw =
  (rate: number): Made =>
  (id) => ({
    space: {
      id,
      how: 'sample',
      parent: 'everyone',
      within: allRecords,
      sampler: { kind: 'core/poisson', rate },
      recipe: { by: 'sample', sampler: { kind: 'sampler', name: 'poisson', params: { rate } }, hidden: true },
    },
    batches: [{ id, stretch: { space: id, from: 0, to: 1 }, normaliser: 3, size: 'hidden', scope: id }],
  });
export const within =
  (sigma: number): Made =>
  (_id, first) => ({ charge: { on: { space: first, from: 0, to: 1 }, event: noise(sigma) } });
const close: Made = (_id, first) => ({ closes: [first] });
const splitOf: Made = (id, first) => ({
  space: {
    id,
    how: 'permutation',
    parent: first,
    within: { space: first, from: 0, to: 1 },
    sampler: null,
    recipe: { by: 'permutation' },
  },
  batches: [0, 1].map((k) => ({
    id: `${id}.${k}`,
    stretch: { space: id, from: k, to: k + 1 },
    normaliser: 1,
    size: 'exact',
    scope: first,
  })),
});
const forEver: Made = (id) => ({
  space: {
    id,
    how: 'permutation',
    parent: 'everyone',
    within: allRecords,
    sampler: null,
    recipe: { by: 'permutation' },
  },
  batches: [
    { id: `${id}.0`, stretch: { space: id, from: 0, to: 6 }, normaliser: 6, size: 'exact', scope: null },
  ],
});
export const push: Made = () => ({ push: { stream: 'a/0', batch: 'everyone' } });
/** Of parts of a split in order: that with the number of the query. */
const pushOfPart =
  (stream: string): Made =>
  (id) => ({ push: { stream, batch: `a/1.${id.slice(id.lastIndexOf('/') + 1)}` } });

const patterns: readonly (readonly Made[])[] = [
  [draw(0.1), within(1), close],
  [draw(0.1), within(2), close],
  [charge(1)],
  [charge(1), charge(1), charge(2)],
  [draw(0.2), within(1), within(1), splitOf, close],
  // None of these ends what it begins, or leaves no state: they can never be counted.
  [draw(0.1), within(1)],
  [forEver],
  [push],
  [pushOfPart('a/0')],
  [pushOfPart('a/0'), pushOfPart('a/0'), pushOfPart('b/0'), charge(1)],
  [() => ({})],
];

interface Play {
  readonly run: number;
  readonly pattern: number;
  readonly times: number;
  readonly cut: number;
}
interface Deed {
  readonly plays: readonly Play[];
  readonly after: 'reopen' | 'end' | 'nothing' | 'ask';
}
const play: fc.Arbitrary<Play> = fc.record({
  run: fc.nat(2),
  pattern: fc.nat(patterns.length - 1),
  times: fc.oneof({ weight: 3, arbitrary: fc.nat(6) }, fc.integer({ min: 40, max: 90 })),
  cut: fc.nat(3),
});
export const deeds: fc.Arbitrary<readonly Deed[]> = fc.array(
  fc.record({
    plays: fc.array(play, { minLength: 1, maxLength: 3 }),
    after: fc.constantFrom('reopen', 'end', 'nothing', 'ask'),
  }),
  { minLength: 1, maxLength: 5 },
);

export const names = ['a', 'b', 'a/1'];
export const keyOf = (name: string) => seededRandom(`run ${name}`);
export const digestOf = (index: number): string => (0x51ed270b * (index + 1)).toString(16).padStart(32, '0');

/** Plain lists of entries: what the ledger should know. */
export type Model = Map<string, Entry[]>;

/**
 * The entries of several plays, those of different runs taken in turn; the last step of each is cut short by
 * `cut` queries.
 */
export function* entriesOf(model: Model, plays: readonly Play[]): Generator<Entry> {
  const queues = plays.map(({ run, pattern, times, cut }) => {
    const steps = patterns[pattern];
    return {
      name: names[run],
      effects: Array.from({ length: Math.max(0, times * steps.length - cut) }, (_, k) => ({
        made: steps[k % steps.length],
        ahead: k % steps.length,
      })),
    };
  });
  for (let k = 0; queues.some(({ effects }) => effects.length > k); k++) {
    // One run may be played twice at once: then its steps are
    // mixed, and a query without its scope is left out.
    for (const { name, effects } of queues) {
      if (effects[k] === undefined) continue;
      const { made, ahead } = effects[k];
      const index = defined(model.get(name)).length;
      yield {
        run: name,
        index,
        digest: digestOf(index),
        effect: made(`${name}/${index}`, `${name}/${index - ahead}`),
      };
    }
  }
}

export const fits = (model: Model, { run, effect }: Entry): boolean => {
  const open = new Set<string>();
  for (const {
    effect: { closes, space },
  } of defined(model.get(run))) {
    closes?.forEach((id) => {
      for (const one of open) if (one === id || below.get(one) === id) open.delete(one);
    });
    if (space !== undefined) {
      open.add(space.id);
      below.set(space.id, space.within.space);
    }
  }
  const named = [effect.charge?.on.space, effect.space?.within.space, ...(effect.closes ?? [])];
  return named.every((id) => id === undefined || id === rootPartition || open.has(id));
};
const below = new Map<string, string>();

function spentBy(entries: readonly Entry[]): string {
  const tally = createTally();
  for (const { effect } of entries) tally.apply(effect);
  return canonicalEvent(tally.total());
}

export function expectSame(ledger: Ledger, model: Model, digests = true): void {
  expect(ledger.runs()).toEqual([...model.keys()]);
  const tally = createTally();
  for (const [run, entries] of model) {
    const found = ledger.openRun(run, undefined as never).entries;
    expect(found.length).toBe(entries.length);
    expect(canonicalEvent(ledger.spentBy(run))).toBe(spentBy(entries));
    for (const { effect } of entries) tally.apply(effect);
    if (digests)
      expect(entries.findIndex((entry, index) => !sameBytes(encode(found.entry(index)), encode(entry)))).toBe(
        -1,
      );
  }
  expect(canonicalEvent(ledger.total())).toBe(canonicalEvent(tally.total()));
}

/** Where the run stands for whoever follows it by whole steps. */
export function expectSkipsNothingOpen({ entries }: RunRecord, model: readonly Entry[], until: number): void {
  for (let at = 0; at < until;) {
    const after = entries.afterSteps(at, until);
    expect(after).toBeLessThanOrEqual(until);
    const opened = new Set<string>();
    for (const { effect } of model.slice(at, after)) {
      expect(effect.push ?? effect.stream).toBeUndefined();
      effect.closes?.forEach((id) => expect(opened.delete(id)).toBe(true));
      for (const id of opened)
        if (opened.has(defined(below.get(id))) === false && below.get(id) !== rootPartition)
          opened.delete(id);
      if (effect.space !== undefined) {
        opened.add(effect.space.id);
        below.set(effect.space.id, effect.space.within.space);
      }
    }
    expect([...opened]).toEqual([]);
    at = after === at ? at + 1 : after;
  }
}

export const steps = (run: string, from: number, count: number, pattern = patterns[0]): readonly Entry[] =>
  Array.from({ length: count * pattern.length }, (_, k) => {
    const index = from + k;
    const ahead = k % pattern.length;
    return {
      run,
      index,
      digest: digestOf(index),
      effect: pattern[ahead](`${run}/${index}`, `${run}/${index - ahead}`),
    };
  });
export const append = (ledger: Ledger, entries: readonly Entry[]): void =>
  entries.forEach((entry) => ledger.append(entry));
export const linesOf = (store: Store): readonly Line[] =>
  openLog(store, { magic: 'lethe-ledger' }).records as readonly Line[];
export const written = (lines: readonly unknown[]): Store => {
  const store = memoryStore();
  openLog(store, { magic: 'lethe-ledger' }).rewrite(lines);
  return store;
};
export const open = (store: Store): Ledger => openLedger({ adjacency: 'zero-out', store });
