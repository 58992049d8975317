import { Corrupt, defined, hexOf, InvalidParameter } from '@lethe/numerics';
import { createDigests, digestBytes, isDigest, type Digests } from './digests.js';
import type { Effect, Entries, Entry } from './effect.js';
import { movedEffect, sameMoved, type Move } from './moved.js';
import { isPushAfter, partPushOf, pushAfter, type PartPush } from './pushes.js';
import { foldedAtOnce, longestStep, repetitions } from './steps.js';

/**
 * Consecutive queries: one single query, equal steps stored once, or pushes of the parts of a split, of which
 * the first is stored. `at` is the index of the first query.
 */
interface Part {
  readonly at: number;
  readonly effects: readonly Effect[];
  times: number;
  /** Digest of a single query, or of the first push. */
  readonly digest?: string;
  /** The first of several pushes, and how many follow it. */
  readonly pushes?: { readonly first: PartPush; more: number };
  /** Line number of the first query among the lines read. */
  readonly line: number;
}
type Step = Part & { readonly digest?: undefined; readonly pushes?: undefined };

/** A query stored as a reference to the previous step: query `at` of a step of `period` queries. */
export interface Again {
  readonly period: number;
  readonly at: number;
  readonly digest: Uint8Array;
}
/** Where a query stands in a step that it repeats, with its effect. */
export interface RepeatedQuery extends Pick<Again, 'period' | 'at'> {
  readonly effect: Effect;
}
/** Consecutive equal steps. */
export interface Steps {
  readonly index: number;
  readonly effects: readonly Effect[];
  readonly times: number;
  readonly digests: Uint8Array;
}

/** A part of a book, in query order; `line` is the line number of its first query. */
export type Piece = { readonly line: number } & (
  | { readonly entry: Entry }
  | { readonly steps: Steps }
  | { readonly again: Again }
);

/** The entries of one run. Consecutive equal steps are stored once. */
export interface Book extends Entries {
  /** Number of queries in steps that are stored once. */
  readonly counted: number;
  /** The next query as a repetition of the previous step, or `null` when it is not one. */
  repetitionOf(effect: Effect, digest: string): RepeatedQuery | null;
  /** Adds a query. Its effect is stored without a copy and must not change. */
  add(effect: Effect, digest: string, line?: number): void;
  /**
   * @throws {Corrupt} when no such step precedes it.
   */
  addAgain(again: Again, line?: number): void;
  /** Adds a query that {@link Book.repetitionOf} has just found. */
  addRepeated(repeated: RepeatedQuery, digest: string): void;
  addSteps(steps: Omit<Steps, 'index'>, line?: number): void;
  /** Ends the current step: later queries do not continue it. */
  bar(): void;
  /** All effects, equal steps once with their count. */
  effects(): Iterable<{ readonly effects: readonly Effect[]; readonly times: number }>;
  /** All pieces as stored in the log. Requires {@link Book.digests}. */
  pieces(): readonly Piece[];
  readonly digests: Digests | null;
}

/** Source of a run's digests: in memory, or read from the store by `find` on demand. */
export interface BookOptions {
  readonly run: string;
  readonly find?: () => Digests;
}

/** Largest number of digests in one record. */
const mostInRecord = 2 ** 20;

export function createBook({ run, find }: BookOptions): Book {
  let digests = find === undefined ? createDigests() : null;
  const parts: Part[] = [];
  /** Index of the first part that is a single query and may still become part of a step. */
  let loose = 0;
  /** The last step while it continues, and the digests of the incomplete next repetition. */
  let current: Step | null = null;
  let begun: (string | Uint8Array)[] = [];
  let length = 0;
  let counted = 0;
  /** The effect that was added last: it is asked for next. */
  let newest: Effect | null = null;

  /** Whether a push goes on with those of the last part, which it is then counted in. */
  const isCounted = (effect: Effect, line: number): boolean => {
    const last = parts.at(-1);
    if (last?.pushes === undefined || last.line !== line) return false;
    const { pushes } = last;
    if (!isPushAfter(pushes.first, pushes.more + 1, effect)) return false;
    pushes.more += 1;
    return true;
  };
  const move = ({ at, effects, times }: Step): Move => ({ run, from: at, by: effects.length * times });
  /** Turns the queries of an incomplete repetition into single queries. */
  const breakOff = (): void => {
    if (current === null) return;
    const step = current;
    const at = step.at + step.effects.length * step.times;
    loose = parts.length;
    begun.forEach((digest, k) =>
      parts.push({
        at: at + k,
        effects: [movedEffect(step.effects[k], move(step))],
        times: 1,
        digest: textOf(digest),
        line: step.line,
      }),
    );
    current = null;
    begun = [];
  };
  /** Searches the loose queries for equal steps. The last ones stay loose, since a step may begin there. */
  const fold = (): void => {
    const singles = parts.splice(loose);
    if (singles.length === 0) return;
    const first = singles[0].at;
    let done = 0;
    const keep = (until: number): void => {
      parts.push(...singles.slice(done, until));
      done = until;
    };
    for (const { from, period, times } of repetitions(
      run,
      first,
      singles.map(({ effects }) => effects[0]),
    )) {
      keep(from - first);
      const { line } = singles[done];
      current = {
        at: from,
        effects: singles.slice(done, done + period).map(({ effects }) => effects[0]),
        times,
        line,
      };
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
  /** Whether the queries after the last step begin another repetition of it. */
  const follow = (step: Step, rest: readonly Part[]): boolean => {
    if (rest.length >= step.effects.length) return false;
    for (const { effects, digest } of rest) {
      if (!sameMoved(step.effects[begun.length], effects[0], move(step))) return false;
      begun.push(defined(digest));
    }
    return true;
  };
  const bar = (): void => {
    if (current === null) fold();
    breakOff();
    loose = parts.length;
  };
  const noted = (digest: string | Uint8Array, effect: Effect | null): void => {
    length += 1;
    newest = effect;
    digests?.push(digest);
  };
  const goOn = (step: Step, digest: string | Uint8Array, effect: Effect | null): void => {
    begun.push(digest);
    if (begun.length === step.effects.length) {
      step.times += 1;
      counted += begun.length;
      begun = [];
    }
    noted(digest, effect);
  };
  const digestsFor = (index: number): Digests => {
    if (digests === null || digests.length <= index) digests = defined(find)();
    return digests;
  };
  const digestAt = (part: Part, index: number): string => {
    if (part.pushes !== undefined && index > part.at) return digestsFor(index).at(index);
    const beyond = index - part.at - part.effects.length * part.times;
    return part.digest ?? (beyond >= 0 ? textOf(begun[beyond]) : digestsFor(index).at(index));
  };
  const partOf = (index: number): Part => {
    let low = 0;
    let high = parts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (parts[middle].at <= index) low = middle;
      else high = middle - 1;
    }
    return parts[low];
  };
  const effectAt = (index: number): Effect => {
    if (!(Number.isSafeInteger(index) && index >= 0 && index < length)) {
      throw new InvalidParameter(
        `run '${run}' has ${length} entries, counted from 0; entry ${index} is not one of them`,
        { run, index, length },
      );
    }
    if (newest !== null && index === length - 1) return newest;
    const { at, effects, pushes } = partOf(index);
    if (pushes !== undefined && index > at) return pushAfter(pushes.first, index - at);
    const ahead = (index - at) % effects.length;
    return movedEffect(effects[ahead], { run, from: at, by: index - at - ahead });
  };
  const book: Book = {
    get length() {
      return length;
    },
    get counted() {
      return counted;
    },
    get digests() {
      return digests;
    },
    effectAt,
    entry(index) {
      const effect = effectAt(index);
      return { run, index, digest: digestAt(partOf(index), index), effect };
    },
    afterSteps(from, until) {
      if (from >= Math.min(until, length)) return from;
      const { at, effects, times, digest } = partOf(from);
      const period = effects.length;
      if (digest !== undefined || (from - at) % period !== 0) return from;
      return Math.max(from, at + period * Math.min(times, Math.floor((until - at) / period)));
    },
    repetitionOf(effect, digest) {
      if (current === null || !isDigest(digest)) return null;
      const at = begun.length;
      const { effects } = current;
      const earlier = effects[at];
      const by = move(current);
      if (!sameMoved(earlier, effect, by)) return null;
      return { period: effects.length, at, effect: movedEffect(earlier, by) };
    },
    addRepeated: ({ effect }, digest) => goOn(defined(current), digest, effect),
    add(effect, digest, line = 0) {
      if (
        current !== null &&
        isDigest(digest) &&
        sameMoved(current.effects[begun.length], effect, move(current))
      ) {
        goOn(current, digest, effect);
        return;
      }
      breakOff();
      if (isDigest(digest) && isCounted(effect, line)) {
        noted(digest, effect);
        return;
      }
      const push = isDigest(digest) ? partPushOf(effect) : null;
      const single: Part = {
        at: length,
        effects: [effect],
        times: 1,
        digest,
        line,
        ...(push !== null && { pushes: { first: push, more: 0 } }),
      };
      // Pushes are no part of any step.
      if (isDigest(digest) && push === null) parts.push(single);
      else {
        bar();
        parts.push(single);
        loose = parts.length;
      }
      noted(digest, effect);
      if (parts.length - loose >= foldedAtOnce) fold();
    },
    addAgain({ period, at, digest }, line = 0) {
      const from = length - at - period;
      if (from < 0)
        throw new Corrupt(
          `query ${length} of run '${run}' repeats a step of ${period} queries, but no such step precedes it`,
          { run, index: length, period },
        );
      if (current?.effects.length === period && begun.length === at) goOn(current, digest, null);
      else book.add(movedEffect(effectAt(length - period), { run, from, by: period }), textOf(digest), line);
    },
    addSteps({ effects, times, digests: packed }, line = 0) {
      const goesOn =
        current !== null &&
        begun.length === 0 &&
        current.effects.length === effects.length &&
        effects.every((effect, k) => sameMoved(defined(current).effects[k], effect, move(defined(current))));
      if (goesOn) defined(current).times += times;
      else {
        bar();
        parts.push((current = { at: length, effects, times, line }));
        loose = parts.length;
      }
      length += effects.length * times;
      newest = null;
      counted += effects.length * times;
      digests?.pushAll(packed);
    },
    bar,
    *[Symbol.iterator]() {
      for (let index = 0; index < length; index++) yield book.entry(index);
    },
    *effects() {
      for (const part of parts) {
        yield part;
        const { pushes } = part;
        if (pushes !== undefined)
          for (let k = 1; k <= pushes.more; k++) yield { effects: [pushAfter(pushes.first, k)], times: 1 };
      }
      for (let k = 0; k < begun.length; k++)
        yield { effects: [movedEffect(defined(current).effects[k], move(defined(current)))], times: 1 };
    },
    pieces() {
      if (current === null) fold();
      const kept = defined(digests);
      return parts.flatMap((part): readonly Piece[] => {
        const { line, at, effects, digest } = part;
        if (digest !== undefined)
          return Array.from({ length: 1 + (part.pushes?.more ?? 0) }, (_, k): Piece => ({
            line,
            entry: book.entry(at + k),
          }));
        const tail = part === current ? begun : [];
        return [
          ...stored(part, kept),
          ...tail.map((each, k): Piece => ({
            line,
            again: { period: effects.length, at: k, digest: bytesOf(each) },
          })),
        ];
      });
    },
  };
  const stored = ({ line, at, effects, times }: Part, kept: Digests): readonly Piece[] => {
    const period = effects.length;
    const most = Math.max(1, Math.floor(mostInRecord / period));
    return Array.from({ length: Math.ceil(times / most) }, (_, k): Piece => {
      const from = k * most;
      const count = Math.min(most, times - from);
      const index = at + from * period;
      const moved = effects.map((effect) => movedEffect(effect, { run, from: at, by: from * period }));
      return {
        line,
        steps: { index, effects: moved, times: count, digests: kept.slice(index, index + count * period) },
      };
    });
  };
  return book;
}

const textOf = (digest: string | Uint8Array): string => (typeof digest === 'string' ? digest : hexOf(digest));
const bytesOf = (digest: string | Uint8Array): Uint8Array =>
  typeof digest === 'string' ? digestBytes(digest) : digest;
