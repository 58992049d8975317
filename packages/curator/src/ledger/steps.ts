import type { Effect } from './effect.js';
import { createLivePartitions, type LivePartitions } from './live-partitions.js';
import { sameMoved } from './moved.js';

/** Largest number of queries in one step. */
export const longestStep = 64;
/** Number of entries searched together for equal steps, while they are appended. */
export const foldedAtOnce = 2 * longestStep;

/** Consecutive steps, equal except for their ids: queries `from` to `from + period · times`. */
export interface Repetition {
  readonly from: number;
  readonly period: number;
  readonly times: number;
}

const counted: ReadonlySet<string> = new Set([
  'charge',
  'prepaid',
  'affords',
  'space',
  'batches',
  'closes',
] satisfies (keyof Effect)[]);

/** Whether an effect is no part of any step: it has a field besides those that are counted. */
function lasts(effect: Effect): boolean {
  for (const field in effect)
    if (effect[field as keyof Effect] !== undefined && !counted.has(field)) return true;
  return false;
}

/**
 * Adds an effect to a step. `false` when the step would have a lasting effect besides charges: a stream, a
 * push, a batch without a scope, the end of an earlier scope, or an unknown field.
 */
function takes(live: LivePartitions, effect: Effect): boolean {
  if (lasts(effect)) return false;
  for (const id of effect.closes ?? []) if (!live.close(id)) return false;
  if (effect.space !== undefined) {
    if (live.has(effect.space.id)) return false;
    live.open(effect.space);
  }
  for (const { scope } of effect.batches ?? []) if (scope === null || !live.has(scope)) return false;
  return true;
}

/**
 * Whether the only lasting effects are charges: every partition and batch opened here is also closed here.
 */
export function isStep(effects: readonly Effect[]): boolean {
  const live = createLivePartitions();
  return effects.length > 0 && effects.every((effect) => takes(live, effect)) && live.size === 0;
}

/** Possible lengths of a step that begins at `from`. */
function* stepLengths(effects: readonly Effect[], from: number): Generator<number> {
  if (lasts(effects[from])) return;
  const live = createLivePartitions();
  for (let length = 1; length <= longestStep && from + length < effects.length; length++) {
    if (!takes(live, effects[from + length - 1])) return;
    if (live.size === 0) yield length;
  }
}

/**
 * Finds consecutive equal steps in `effects`, which begin at query `first` of `run`. Greedy from the front:
 * the step length that covers most queries wins.
 */
export function repetitions(run: string, first: number, effects: readonly Effect[]): readonly Repetition[] {
  let kinds: Uint32Array | undefined;
  const covered = (from: number, period: number): number => {
    kinds ??= kindsOf(effects);
    let at = from + period;
    for (; at < effects.length; at++) {
      const ahead = (at - from) % period;
      if (kinds[at] !== kinds[from + ahead]) break;
      if (!sameMoved(effects[from + ahead], effects[at], { run, from: first + from, by: at - from - ahead }))
        break;
    }
    return Math.floor((at - from) / period) * period;
  };
  const found: Repetition[] = [];
  for (let from = 0; from < effects.length;) {
    let best = { period: 1, length: 1 };
    for (const period of stepLengths(effects, from)) {
      // Not even a repetition to the end would be longer.
      if (Math.floor((effects.length - from) / period) * period <= best.length) continue;
      const length = covered(from, period);
      if (length > period && length > best.length) best = { period, length };
    }
    if (best.length > best.period)
      found.push({ from: first + from, period: best.period, times: best.length / best.period });
    from += best.length;
  }
  return found;
}

/** Fast pre-filter: different numbers imply that two effects differ in more than their ids. */
function kindsOf(effects: readonly Effect[]): Uint32Array {
  const numbers = new Map<string, number>();
  return Uint32Array.from(effects, ({ charge, prepaid, affords, space, batches, closes }) => {
    const kind = JSON.stringify([
      charge?.event,
      charge?.on.from,
      prepaid?.event,
      affords,
      space?.how,
      batches?.length,
      closes?.length,
    ]);
    const number = numbers.get(kind) ?? numbers.size;
    numbers.set(kind, number);
    return number;
  });
}
