import { Corrupt, InvalidParameter } from '@lethe/numerics';
import { hexOf } from '../bytes.js';
import { createDigests, digestBytes, isDigest, type Digests } from './digests.js';
import type { Effect, Entries, Entry } from './effect.js';
import { movedEffect, sameMoved, type Move } from './moved.js';
import { foldedAtOnce, longestStep, repetitions } from './steps.js';

/** Queries in a row, told by the first step: one query as it stands, or equal steps. `at` is the first query. */
interface Part {
  readonly at: number;
  readonly effects: readonly Effect[];
  times: number;
  /** Of a query that stands alone. */
  readonly digest?: string;
  /** Where the first of it stood among the lines that were read. */
  readonly line: number;
}
type Step = Part & { readonly digest?: undefined };

/** A query told by the step before it: it is query `at` of a step of `period` queries. */
export interface Again { readonly period: number; readonly at: number; readonly digest: Uint8Array }
/** The same with what the query does, as the book has it. */
export interface Foretold { readonly again: Again; readonly effect: Effect }
/** Equal steps in a row. */
export interface Steps { readonly index: number; readonly effects: readonly Effect[]; readonly times: number; readonly digests: Uint8Array }

/** A piece of a book in the order of queries; `line` is where its first query was read. */
export type Piece = { readonly line: number } & (
  { readonly entry: Entry } | { readonly steps: Steps } | { readonly again: Again });

/** The entries of one run; equal steps in a row take the memory of one. */
export interface Book extends Entries {
  /** Queries that are part of steps told once. */
  readonly counted: number;
  /** How the next entry can be told by those before it; `null` when it cannot. */
  foretold(effect: Effect, digest: string): Foretold | null;
  /** Adds a query; its effect is kept as it is, and nobody changes it. */
  add(effect: Effect, digest: string, line?: number): void;
  /** @throws {Corrupt} when there is no such step before it. */
  addAgain(again: Again, line?: number): void;
  addSteps(steps: Omit<Steps, 'index'>, line?: number): void;
  /** Steps do not go on beyond this point. */
  bar(): void;
  /** What was done, equal steps once. */
  effects(): Iterable<{ readonly effects: readonly Effect[]; readonly times: number }>;
  /** Everything as it is stored. Needs {@link Book.digests}. */
  pieces(): readonly Piece[];
  readonly digests: Digests | null;
}

/** Where a run's digests come from: kept here, or found on demand in what is stored. */
export interface BookOptions { readonly run: string; readonly find?: () => Digests }

/** The most queries whose digests stand in one record. */
const mostInRecord = 2 ** 20;

export function createBook({ run, find }: BookOptions): Book {
  let digests = find === undefined ? createDigests() : null;
  const parts: Part[] = [];
  /** Parts from here on are single queries that may turn out to be steps. */
  let loose = 0;
  /** The last part, while queries go on as it says, and the digests of its next step's queries so far. */
  let current: Step | null = null, begun: (string | Uint8Array)[] = [];
  let length = 0, counted = 0;

  const move = ({ at, effects, times }: Step): Move => ({ run, from: at, by: effects.length * times });
  /** The queries of a step that was begun and not ended stand alone. */
  const breakOff = (): void => {
    if (current === null) return;
    const step = current, at = step.at + step.effects.length * step.times;
    loose = parts.length;
    begun.forEach((digest, k) => parts.push({ at: at + k, effects: [movedEffect(step.effects[k]!, move(step))], times: 1, digest: textOf(digest), line: step.line }));
    current = null;
    begun = [];
  };
  /** Looks for equal steps among the loose queries. The last ones stay loose, for what may follow. */
  const fold = (): void => {
    const singles = parts.splice(loose);
    if (singles.length === 0) return;
    const first = singles[0]!.at;
    let done = 0;
    const keep = (until: number): void => { parts.push(...singles.slice(done, until)); done = until; };
    for (const { from, period, times } of repetitions(run, first, singles.map(({ effects }) => effects[0]!))) {
      keep(from - first);
      const { line } = singles[done]!;
      current = { at: from, effects: singles.slice(done, done + period).map(({ effects }) => effects[0]!), times, line };
      parts.push(current);
      counted += period * times;
      done += period * times;
      loose = parts.length;
    }
    const rest = singles.slice(done);
    if (current !== null && follow(current, rest)) return;
    current = null;
    begun = [];
    keep(singles.length);
    loose = Math.max(loose, parts.length - longestStep);
  };
  /** Whether the queries after the last step are the beginning of one more. */
  const follow = (step: Step, rest: readonly Part[]): boolean => {
    if (rest.length >= step.effects.length) return false;
    for (const { effects, digest } of rest) {
      if (!sameMoved(step.effects[begun.length]!, effects[0]!, move(step))) return false;
      begun.push(digest!);
    }
    return true;
  };
  const bar = (): void => {
    if (current === null) fold();
    breakOff();
    loose = parts.length;
  };
  const noted = (digest: string | Uint8Array): void => { length += 1; digests?.push(digest); };
  const goOn = (step: Step, digest: string | Uint8Array): void => {
    begun.push(digest);
    if (begun.length === step.effects.length) {
      step.times += 1;
      counted += begun.length;
      begun = [];
    }
    noted(digest);
  };
  const digestsFor = (index: number): Digests => {
    if (digests === null || digests.length <= index) digests = find!();
    return digests;
  };
  const digestAt = (part: Part, index: number): string => {
    const beyond = index - part.at - part.effects.length * part.times;
    return part.digest ?? (beyond >= 0 ? textOf(begun[beyond]!) : digestsFor(index).at(index));
  };
  const partOf = (index: number): Part => {
    let low = 0, high = parts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (parts[middle]!.at <= index) low = middle; else high = middle - 1;
    }
    return parts[low]!;
  };
  const effectAt = (index: number): Effect => {
    if (!(Number.isSafeInteger(index) && index >= 0 && index < length)) {
      throw new InvalidParameter(`run '${run}' has ${length} entries, counted from 0; entry ${index} is not one of them`, { run, index, length });
    }
    const { at, effects } = partOf(index), ahead = (index - at) % effects.length;
    return movedEffect(effects[ahead]!, { run, from: at, by: index - at - ahead });
  };
  const book: Book = {
    get length() { return length; },
    get counted() { return counted; },
    get digests() { return digests; },
    effectAt,
    entry(index) {
      const effect = effectAt(index);
      return { run, index, digest: digestAt(partOf(index), index), effect };
    },
    afterSteps(from, until) {
      if (from >= Math.min(until, length)) return from;
      const { at, effects, times, digest } = partOf(from), period = effects.length;
      if (digest !== undefined || (from - at) % period !== 0) return from;
      return Math.max(from, at + period * Math.min(times, Math.floor((until - at) / period)));
    },
    foretold(effect, digest) {
      if (current === null || !isDigest(digest)) return null;
      const at = begun.length, { effects } = current, earlier = effects[at]!, by = move(current);
      if (!sameMoved(earlier, effect, by)) return null;
      return { again: { period: effects.length, at, digest: digestBytes(digest) }, effect: movedEffect(earlier, by) };
    },
    add(effect, digest, line = 0) {
      if (current !== null && isDigest(digest) && sameMoved(current.effects[begun.length]!, effect, move(current))) { goOn(current, digest); return; }
      breakOff();
      const single: Part = { at: length, effects: [effect], times: 1, digest, line };
      if (isDigest(digest)) parts.push(single);
      else { bar(); parts.push(single); loose = parts.length; }
      noted(digest);
      if (parts.length - loose >= foldedAtOnce) fold();
    },
    addAgain({ period, at, digest }, line = 0) {
      const from = length - at - period;
      if (from < 0) throw new Corrupt(`query ${length} of run '${run}' is told by the step of ${period} queries before it, which is not there`, { run, index: length, period });
      if (current?.effects.length === period && begun.length === at) goOn(current, digest);
      else book.add(movedEffect(effectAt(length - period), { run, from, by: period }), textOf(digest), line);
    },
    addSteps({ effects, times, digests: packed }, line = 0) {
      const goesOn = current !== null && begun.length === 0 && current.effects.length === effects.length
        && effects.every((effect, k) => sameMoved(current!.effects[k]!, effect, move(current!)));
      if (goesOn) current!.times += times;
      else {
        bar();
        parts.push(current = { at: length, effects, times, line });
        loose = parts.length;
      }
      length += effects.length * times;
      counted += effects.length * times;
      digests?.pushAll(packed);
    },
    bar,
    *[Symbol.iterator]() { for (let index = 0; index < length; index++) yield book.entry(index); },
    *effects() {
      yield* parts;
      for (let k = 0; k < begun.length; k++) yield { effects: [movedEffect(current!.effects[k]!, move(current!))], times: 1 };
    },
    pieces() {
      if (current === null) fold();
      const kept = digests!;
      return parts.flatMap((part): readonly Piece[] => {
        const { line, at, effects, digest } = part;
        if (digest !== undefined) return [{ line, entry: { run, index: at, digest, effect: effects[0]! } }];
        const tail = part === current ? begun : [];
        return [...stored(part, kept), ...tail.map((each, k): Piece => ({ line, again: { period: effects.length, at: k, digest: bytesOf(each) } }))];
      });
    },
  };
  const stored = ({ line, at, effects, times }: Part, kept: Digests): readonly Piece[] => {
    const period = effects.length, most = Math.max(1, Math.floor(mostInRecord / period));
    return Array.from({ length: Math.ceil(times / most) }, (_, k): Piece => {
      const from = k * most, count = Math.min(most, times - from), index = at + from * period;
      const moved = effects.map((effect) => movedEffect(effect, { run, from: at, by: from * period }));
      return { line, steps: { index, effects: moved, times: count, digests: kept.slice(index, index + count * period) } };
    });
  };
  return book;
}

const textOf = (digest: string | Uint8Array): string => (typeof digest === 'string' ? digest : hexOf(digest));
const bytesOf = (digest: string | Uint8Array): Uint8Array => (typeof digest === 'string' ? digestBytes(digest) : digest);
