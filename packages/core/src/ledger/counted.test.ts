import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sameBytes } from '../bytes.js';
import { composedEvent, gaussianEvent } from '../events/build.js';
import { canonicalEvent } from '../events/canonical.js';
import { Corrupt, InvalidParameter } from '../errors.js';
import { encode } from '../journal/codec.js';
import { openLog } from '../journal/log.js';
import { memoryStore, type Store } from '../journal/store.js';
import { seededRandom } from '../random/index.js';
import type { Line } from './check-line.js';
import { compact } from './compact.js';
import type { Effect, Entry } from './effect.js';
import { openLedger } from './ledger.js';
import type { Ledger, RunRecord } from './contract.js';
import { foldedAtOnce } from './steps.js';
import { createTally, rootSpace } from './tally.js';

const slots = 12;
const noise = (sigma: number) => gaussianEvent(sigma, { 'zero-out': 1 });
const everyone = { space: rootSpace, from: 0, to: slots };

/** What one query of a step does, given its own id and that of the step's first query. */
type Made = (id: string, first: string) => Effect;
const charge = (sigma: number, from = 0): Made => () => ({ charge: { on: { space: rootSpace, from, to: slots }, event: noise(sigma) } });
const draw = (rate: number): Made => (id) => ({
  space: { id, how: 'sample', parent: 'everyone', within: everyone, sampler: { kind: 'core/poisson', rate }, recipe: { by: 'sample', hidden: true } },
  batches: [{ id, stretch: { space: id, from: 0, to: 1 }, normaliser: 3, size: 'hidden', scope: id }],
});
const within = (sigma: number): Made => (_id, first) => ({ charge: { on: { space: first, from: 0, to: 1 }, event: noise(sigma) } });
const close: Made = (_id, first) => ({ closes: [first] });
const splitOf: Made = (id, first) => ({
  space: { id, how: 'permutation', parent: first, within: { space: first, from: 0, to: 1 }, sampler: null, recipe: { by: 'permutation' } },
  batches: [0, 1].map((k) => ({ id: `${id}.${k}`, stretch: { space: id, from: k, to: k + 1 }, normaliser: 1, size: 'exact', scope: first })),
});
const forEver: Made = (id) => ({
  space: { id, how: 'permutation', parent: 'everyone', within: everyone, sampler: null, recipe: { by: 'permutation' } },
  batches: [{ id: `${id}.0`, stretch: { space: id, from: 0, to: 6 }, normaliser: 6, size: 'exact', scope: null }],
});
const push: Made = () => ({ push: { stream: 'a/0', batch: 'everyone' } });

const patterns: readonly (readonly Made[])[] = [
  [draw(0.1), within(1), close], [draw(0.1), within(2), close], [charge(1)], [charge(1), charge(1), charge(2)], [draw(0.2), within(1), within(1), splitOf, close],
  // None of these ends what it begins, or leaves no state: they can never be counted.
  [draw(0.1), within(1)], [forEver], [push], [() => ({})],
];

interface Play { readonly run: number; readonly pattern: number; readonly times: number; readonly cut: number }
interface Deed { readonly plays: readonly Play[]; readonly after: 'reopen' | 'end' | 'nothing' | 'ask' }
const play: fc.Arbitrary<Play> = fc.record({
  run: fc.nat(2), pattern: fc.nat(patterns.length - 1), times: fc.oneof({ weight: 3, arbitrary: fc.nat(6) }, fc.integer({ min: 40, max: 90 })), cut: fc.nat(3),
});
const deeds: fc.Arbitrary<readonly Deed[]> = fc.array(
  fc.record({ plays: fc.array(play, { minLength: 1, maxLength: 3 }), after: fc.constantFrom('reopen', 'end', 'nothing', 'ask') }), { minLength: 1, maxLength: 5 });

const names = ['a', 'b', 'a/1'];
const keyOf = (name: string) => seededRandom(`run ${name}`);
const digestOf = (index: number): string => (0x51ed270b * (index + 1)).toString(16).padStart(32, '0');

/** Plain lists of entries: what the ledger should know. */
type Model = Map<string, Entry[]>;

/** The entries of several plays, those of different runs taken in turn; the last step of each is cut short by `cut` queries. */
function* entriesOf(model: Model, plays: readonly Play[]): Generator<Entry> {
  const queues = plays.map(({ run, pattern, times, cut }) => {
    const steps = patterns[pattern]!;
    return { name: names[run]!, effects: Array.from({ length: Math.max(0, times * steps.length - cut) }, (_, k) => ({ made: steps[k % steps.length]!, ahead: k % steps.length })) };
  });
  for (let k = 0; queues.some(({ effects }) => effects.length > k); k++) {
    // One run may be played twice at once: then its steps are mixed, and a query without its scope is left out.
    for (const { name, effects } of queues) {
      if (effects[k] === undefined) continue;
      const { made, ahead } = effects[k], index = model.get(name)!.length;
      yield { run: name, index, digest: digestOf(index), effect: made(`${name}/${index}`, `${name}/${index - ahead}`) };
    }
  }
}

const fits = (model: Model, { run, effect }: Entry): boolean => {
  const open = new Set<string>();
  for (const { effect: { closes, space } } of model.get(run)!) {
    closes?.forEach((id) => { for (const one of open) if (one === id || below.get(one) === id) open.delete(one); });
    if (space !== undefined) { open.add(space.id); below.set(space.id, space.within.space); }
  }
  const named = [effect.charge?.on.space, effect.space?.within.space, ...(effect.closes ?? [])];
  return named.every((id) => id === undefined || id === rootSpace || open.has(id));
};
const below = new Map<string, string>();

function spentBy(entries: readonly Entry[]): string {
  const tally = createTally();
  for (const { effect } of entries) tally.apply(effect);
  return canonicalEvent(tally.total());
}

function expectSame(ledger: Ledger, model: Model, digests = true): void {
  expect(ledger.runs()).toEqual([...model.keys()]);
  const tally = createTally();
  for (const [run, entries] of model) {
    const found = ledger.openRun(run, undefined as never).entries;
    expect(found.length).toBe(entries.length);
    expect(canonicalEvent(ledger.spentBy(run))).toBe(spentBy(entries));
    for (const { effect } of entries) tally.apply(effect);
    if (digests) expect(entries.findIndex((entry, index) => !sameBytes(encode(found.entry(index)), encode(entry)))).toBe(-1);
  }
  expect(canonicalEvent(ledger.total())).toBe(canonicalEvent(tally.total()));
}

/** Where the run stands for whoever follows it by whole steps. */
function expectSkipsNothingOpen({ entries }: RunRecord, model: readonly Entry[], until: number): void {
  for (let at = 0; at < until;) {
    const after = entries.afterSteps(at, until);
    expect(after).toBeLessThanOrEqual(until);
    const opened = new Set<string>();
    for (const { effect } of model.slice(at, after)) {
      expect(effect.push ?? effect.stream).toBeUndefined();
      effect.closes?.forEach((id) => expect(opened.delete(id)).toBe(true));
      for (const id of opened) if (opened.has(below.get(id)!) === false && below.get(id) !== rootSpace) opened.delete(id);
      if (effect.space !== undefined) { opened.add(effect.space.id); below.set(effect.space.id, effect.space.within.space); }
    }
    expect([...opened]).toEqual([]);
    at = after === at ? at + 1 : after;
  }
}

describe('a ledger that counts equal steps', () => {
  test('knows what a plain list of entries knows, whatever was compacted and reopened when', () => {
    let counted = 0, written = 0;
    fc.assert(fc.property(deeds, fc.boolean(), (sequence, kept) => {
      const store = memoryStore(), model: Model = new Map(), ended = new Set<string>();
      let ledger = openLedger({ adjacency: 'zero-out', ...(kept && { store }) });
      for (const { plays, after } of sequence) {
        for (const { run } of plays) if (!model.has(names[run]!)) { ledger.openRun(names[run]!, keyOf(names[run]!)); model.set(names[run]!, []); }
        for (const entry of entriesOf(model, plays)) {
          if (ended.has(entry.run) || !fits(model, entry)) continue;
          ledger.append(entry);
          model.get(entry.run)!.push(entry);
        }
        if (after === 'reopen' && kept) {
          // Also what would be there had it been compacted now.
          const lines = [...openLog(store, { magic: 'lethe-ledger' }).records] as Line[], told = compact(lines).lines.map(({ line }) => line);
          const anew = memoryStore();
          openLog(anew, { magic: 'lethe-ledger' }).rewrite(told);
          expectSame(openLedger({ adjacency: 'zero-out', store: anew }), model);
          expect(encode(compact(told).lines.map(({ line }) => line))).toEqual(encode(told));
          counted += lines.length - told.length;
          written += lines.length;
          ledger = openLedger({ adjacency: 'zero-out', store });
        }
        if (after === 'end') for (const run of model.keys()) if (model.get(run)!.every(({ effect }) => effect.space === undefined)) { ledger.endRun(run); ended.add(run); }
        expectSame(ledger, model, after === 'ask' || after === 'reopen');
        for (const [run, entries] of model) expectSkipsNothingOpen(ledger.openRun(run, undefined as never), entries, Math.floor(entries.length * 0.9));
      }
    }), { numRuns: 60, seed: 14 });
    expect(counted).toBeGreaterThan(written / 3);
  });
});

const steps = (run: string, from: number, count: number, pattern = patterns[0]!): readonly Entry[] =>
  Array.from({ length: count * pattern.length }, (_, k) => {
    const index = from + k, ahead = k % pattern.length;
    return { run, index, digest: digestOf(index), effect: pattern[ahead]!(`${run}/${index}`, `${run}/${index - ahead}`) };
  });
const append = (ledger: Ledger, entries: readonly Entry[]): void => entries.forEach((entry) => ledger.append(entry));
const linesOf = (store: Store): readonly Line[] => openLog(store, { magic: 'lethe-ledger' }).records as readonly Line[];
const written = (lines: readonly unknown[]): Store => {
  const store = memoryStore();
  openLog(store, { magic: 'lethe-ledger' }).rewrite(lines);
  return store;
};
const open = (store: Store): Ledger => openLedger({ adjacency: 'zero-out', store });

describe('a long run', () => {
  const count = 3000;
  /** Every state that the store was ever in, where it was replaced. */
  const replaced: { readonly before: Uint8Array; readonly after: Uint8Array }[] = [];
  const inner = memoryStore();
  const store: Store = { ...inner, replace(bytes) { replaced.push({ before: inner.read(), after: bytes.slice() }); inner.replace(bytes); } };
  const ledger = open(store), all = steps('a', 0, count);
  ledger.openRun('a', keyOf('a'));
  append(ledger, all);

  test('takes 16 bytes a query on disk, and what was not compacted yet', () => {
    expect(replaced.length).toBeGreaterThan(3);
    expect(store.read().length).toBeLessThan(1.6 * 16 * all.length + 2 ** 16);
  });

  test('opens before and after every compaction to what had been appended by then', () => {
    for (const { before, after } of replaced) {
      const [old, fresh] = [before, after].map((bytes) => open(memoryStore(bytes)).openRun('a', undefined as never).entries);
      expect(fresh!.length).toBe(old!.length);
      const model: Model = new Map([['a', all.slice(0, old!.length)]]);
      expectSame(open(memoryStore(before)), model);
      expectSame(open(memoryStore(after)), model);
    }
  });

  test('each compaction tells the last code of the log that it replaced, so that no two logs are alike', () => {
    for (const { before, after } of replaced) {
      const [header] = linesOf(memoryStore(after));
      expect(header).toMatchObject({ v: 2, compacted: { times: replaced.findIndex((one) => one.after === after) + 1, code: before.slice(-16) } });
    }
  });

  test('does not look for digests while it is only appended to, and finds them in the store when asked', () => {
    let reads = 0;
    const counting: Store = { ...memoryStore(replaced.at(-1)!.after), read() { reads++; return memoryStore(replaced.at(-1)!.after).read(); } };
    const again = open(counting), { entries } = again.openRun('a', undefined as never);
    reads = 0;
    expect(entries.afterSteps(0, entries.length)).toBeGreaterThan(entries.length - 3);
    expect(reads).toBe(0);
    expect([0, 1, 1000].map((index) => entries.entry(index).digest)).toEqual([0, 1, 1000].map(digestOf));
    expect(reads).toBe(1);
  });

  test('refuses an index beyond its entries', () => {
    const { entries } = ledger.openRun('a', undefined as never);
    for (const index of [-1, entries.length, 0.5, Number.NaN]) expect(() => entries.entry(index)).toThrow(InvalidParameter);
  });
});

describe('what is stored', () => {
  test('cut at every byte opens to the entries that were complete', () => {
    const store = memoryStore(), ledger = open(store), all = steps('a', 0, 44);
    ledger.openRun('a', keyOf('a'));
    const ends = all.map((entry) => { ledger.append(entry); return store.read().length; });
    const folded = compact(linesOf(store)).lines.map(({ line }) => line), short = written(folded);
    const rest = open(short);
    const more = steps('a', all.length, 3), moreEnds = more.map((entry) => { rest.append(entry); return short.read().length; });
    const check = (bytes: Uint8Array, from: number, complete: (cut: number) => number, next: readonly Entry[]): void => {
      for (let cut = from; cut <= bytes.length; cut++) {
        const at = memoryStore(bytes.subarray(0, cut)), opened = open(at);
        if (opened.runs().length === 0) continue;
        const { entries } = opened.openRun('a', undefined as never);
        expect(entries.length).toBe(complete(cut));
        const { length } = entries;
        if (length < next.length) opened.append(next[length]!);
        expect(open(at).openRun('a', undefined as never).entries.length).toBe(Math.min(length + 1, next.length));
      }
    };
    check(store.read(), ends[foldedAtOnce]!, (cut) => ends.filter((end) => end <= cut).length, all);
    const whole = short.read();
    check(whole, 0, (cut) => { const done = moreEnds.filter((end) => end <= cut).length; return done > 0 ? all.length + done : cut >= written(folded).read().length ? all.length : 0; }, [...all, ...more]);
  });

  test('with any bit flipped is Corrupt, compacted or not', () => {
    const store = memoryStore(), ledger = open(store);
    ledger.openRun('a', keyOf('a'));
    append(ledger, steps('a', 0, 60));
    for (const bytes of [store.read(), written(compact(linesOf(store)).lines.map(({ line }) => line)).read()]) {
      fc.assert(fc.property(fc.nat(bytes.length - 1), fc.nat(7), (at, bit) => {
        const changed = bytes.slice();
        changed[at]! ^= 1 << bit;
        expect(() => open(memoryStore(changed))).toThrow(Corrupt);
      }), { numRuns: 500 });
    }
  });

  test('of version 1 goes on, and is version 2 once it is compacted', () => {
    const store = memoryStore(), ledger = open(store);
    ledger.openRun('a', keyOf('a'));
    const [header, run] = linesOf(store), all = steps('a', 0, 400);
    const old = written([{ ...header, v: 1 }, run, ...all.slice(0, 50).map((entry) => ({ t: 'entry', ...entry }))]);
    const again = open(old);
    expect(linesOf(old)[0]).toMatchObject({ v: 1 });
    append(again, all.slice(50));
    again.endRun('a');
    expect(linesOf(old)[0]).toMatchObject({ v: 2, compacted: {} });
    expectSame(open(old), new Map([['a', [...all]]]));
    expect(() => open(written([{ ...header, v: 3 }, run]))).toThrow(/version 3; this release reads versions 1 to 2/u);
  });

  test('that is too short to be worth it is left alone', () => {
    const store = memoryStore(), ledger = open(store);
    ledger.openRun('a', keyOf('a'));
    append(ledger, steps('a', 0, 10));
    ledger.endRun('a');
    const before = store.read();
    open(store);
    expect(store.read()).toEqual(before);
  });

  test('a compaction that fails leaves the charge on record, and the ledger takes nothing more until it is opened again', () => {
    const inner = memoryStore(), full = new Error('no space left');
    const store: Store = { ...inner, replace() { throw full; } };
    const ledger = open(store), all = steps('a', 0, 1000);
    ledger.openRun('a', keyOf('a'));
    let done = 0;
    expect(() => all.forEach((entry) => { ledger.append(entry); done++; })).toThrow(full);
    expect(() => ledger.append(all[done + 1]!)).toThrow(Corrupt);
    expectSame(open(memoryStore(inner.read())), new Map([['a', all.slice(0, done + 1)]]));
  });
});

describe('lines that another program wrote are refused', () => {
  const store = memoryStore(), ledger = open(store), all = steps('a', 0, 60);
  ledger.openRun('a', keyOf('a'));
  append(ledger, all);
  const lines = compact(linesOf(store)).lines.map(({ line }) => line);
  const told = lines.find((line) => line.t === 'steps')!;
  const changed = (change: object): readonly unknown[] => lines.map((line) => (line === told ? { ...line, ...change } : line));

  test('as they are, they open', () => expectSame(open(written(lines)), new Map([['a', [...all]]])));
  test.each([
    ['a count one too few', changed({ times: told.times - 1 })],
    ['a count one too many', changed({ times: told.times + 1 })],
    ['a digest too few', changed({ digests: told.digests.slice(16) })],
    ['a digest cut short', changed({ digests: told.digests.slice(1) })],
    ['a step that leaves its scope open', changed({ effects: told.effects.slice(0, 2), digests: told.digests.slice(0, 2 * 16 * told.times) })],
    ['a step without queries', changed({ effects: [], digests: new Uint8Array() })],
    ['a step with a push', changed({ effects: [push('', '')], digests: told.digests.slice(0, 16 * told.times) })],
    ['steps out of turn', changed({ index: told.index + 1 })],
    ['steps of a run that is not there', changed({ run: 'b' })],
    ['steps never taken', changed({ times: 0, digests: new Uint8Array() })],
    ['a query told by a step that is not there', [...lines.slice(0, 2), { t: 'again', run: 'a', period: 3, at: 0, digest: new Uint8Array(16) }]],
    ['a query beyond the end of its step', [...lines, { t: 'again', run: 'a', period: 3, at: 3, digest: new Uint8Array(16) }]],
    ['a query with a short digest', [...lines, { t: 'again', run: 'a', period: 3, at: 0, digest: new Uint8Array(15) }]],
  ])('%s', (_, wrong) => expect(() => open(written(wrong))).toThrow(Corrupt));

  test('a space of another run takes no charge', () => {
    const two = open(memoryStore());
    for (const run of names) two.openRun(run, keyOf(run));
    append(two, steps('a', 0, 1).slice(0, 1));
    expect(() => two.append({ run: 'b', index: 0, digest: digestOf(0), effect: within(1)('', 'a/0') })).toThrow(/not open in this run/u);
    expect(canonicalEvent(two.total())).toBe(canonicalEvent(composedEvent([])));
  });
});
