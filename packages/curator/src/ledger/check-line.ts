import { adjacencies, type Adjacency, type Json, type PrivacyEvent } from '@lethe/core';
import { Corrupt, type RandomSource } from '@lethe/numerics';
import type { Again, Steps } from './book.js';
import { digestSize } from './digests.js';
import type { Effect, Entry } from './effect.js';
import type { StoredLimit } from './limits.js';
import { isStep, longestStep } from './steps.js';

export interface Header {
  readonly t: 'ledger';
  readonly v: number;
  readonly adjacency: Adjacency;
  readonly key: Uint8Array;
  /** Number of compactions, and the last authentication code of the log before the last one. */
  readonly compacted?: { readonly times: number; readonly code: Uint8Array };
}
/** One record of a ledger's log. */
export type Line =
  | Header
  | {
      readonly t: 'data';
      readonly fingerprint: Uint8Array;
      readonly unit?: 'record' | 'owner';
      /** How the fingerprint is made of records; left out in ledgers that hash every byte of them. */
      readonly by?: 'sums';
    }
  | { readonly t: 'run'; readonly run: string; readonly key: Uint8Array; readonly kind: RandomSource['kind'] }
  | ({ readonly t: 'entry' } & Entry)
  | ({ readonly t: 'again'; readonly run: string } & Again)
  | ({ readonly t: 'steps'; readonly run: string } & Steps)
  | { readonly t: 'end'; readonly run: string; readonly free?: boolean }
  | ({ readonly t: 'limit' } & StoredLimit)
  | {
      readonly t: 'reserve';
      readonly run: string;
      readonly event: PrivacyEvent;
      readonly filter: Json | null;
    }
  | { readonly t: 'uses'; readonly run: string; readonly what: string; readonly mark: string };

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
const isText = (value: unknown): value is string => typeof value === 'string';
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
const isKey = (value: unknown): boolean => value instanceof Uint8Array && value.length === 32;
const optional = (value: unknown, fits: (value: unknown) => boolean): boolean =>
  value === undefined || fits(value);
const listOf =
  (fits: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.every(fits);

/** An event, with the events in those that the ledger takes apart. */
const isEvent = (value: unknown): boolean =>
  isFields(value) &&
  isText(value['kind']) &&
  isCount(value['v']) &&
  (insideOf.get(value['kind'])?.(value) ?? true);
const insideOf: ReadonlyMap<string, (event: Readonly<Record<string, unknown>>) => boolean> = new Map([
  ['core/sampled', ({ event }) => isEvent(event)],
  ['core/group', ({ event, size }) => isEvent(event) && isCount(size)],
  ['core/parallel', ({ parts }) => listOf(isEvent)(parts)],
  [
    'core/compose',
    ({ parts }) =>
      listOf((part) => isFields(part) && isEvent(part['event']) && isCount(part['count']))(parts),
  ],
]);
const isRange = (value: unknown): boolean =>
  isFields(value) &&
  isText(value['space']) &&
  isCount(value['from']) &&
  isCount(value['to']) &&
  value['from'] <= value['to'];
const isCharge = (value: unknown): boolean =>
  isFields(value) && isRange(value['on']) && isEvent(value['event']);
const isPartition = (value: unknown): boolean =>
  isFields(value) &&
  isText(value['id']) &&
  ['permutation', 'weights', 'sample', 'deal'].includes(value['how'] as string) &&
  isText(value['parent']) &&
  isRange(value['within']) &&
  (value['sampler'] === null || isFields(value['sampler'])) &&
  isFields(value['recipe']);
const isBatch = (value: unknown): boolean =>
  isFields(value) &&
  isText(value['id']) &&
  isRange(value['stretch']) &&
  typeof value['normaliser'] === 'number' &&
  (value['size'] === 'exact' || value['size'] === 'hidden') &&
  (value['scope'] === null || isText(value['scope']));
const isStream = (value: unknown): boolean =>
  isFields(value) &&
  isText(value['id']) &&
  isFields(value['prefixSum']) &&
  isCount(value['steps']) &&
  isCount(value['dimension']) &&
  isFields(value['bound']) &&
  isFields(value['noise']) &&
  typeof value['scale'] === 'number' &&
  isFields(value['participation']) &&
  typeof value['normaliser'] === 'number' &&
  optional(value['sampling'], isFields) &&
  optional(value['verified'], isFields);
const isPush = (value: unknown): boolean =>
  isFields(value) && isText(value['stream']) && isText(value['batch']);
const isEffect = (value: unknown): boolean =>
  isFields(value) &&
  optional(value['charge'], isCharge) &&
  optional(value['space'], isPartition) &&
  optional(value['batches'], listOf(isBatch)) &&
  optional(value['stream'], isStream) &&
  optional(value['push'], isPush) &&
  optional(value['closes'], listOf(isText)) &&
  optional(value['prepaid'], isCharge) &&
  optional(value['affords'], isBoolean);
const isCompacted = (value: unknown): boolean =>
  isFields(value) && isCount(value['times']) && value['code'] instanceof Uint8Array;
const isLengthOfStep = (value: unknown): value is number =>
  isCount(value) && value > 0 && value <= longestStep;

const fits: Readonly<Record<Line['t'], (line: Fields) => boolean>> = {
  ledger: ({ v, adjacency, key, compacted }) =>
    isCount(v) &&
    adjacencies.includes(adjacency as Adjacency) &&
    isKey(key) &&
    optional(compacted, isCompacted),
  data: ({ fingerprint, unit, by }) =>
    fingerprint instanceof Uint8Array &&
    optional(unit, (one) => one === 'record' || one === 'owner') &&
    optional(by, (one) => one === 'sums'),
  run: ({ run, key, kind }) => isText(run) && isKey(key) && (kind === 'secure' || kind === 'seeded'),
  entry: ({ run, index, digest, effect }) =>
    isText(run) && isCount(index) && isText(digest) && isEffect(effect),
  again: ({ run, period, at, digest }) =>
    isText(run) &&
    isLengthOfStep(period) &&
    isCount(at) &&
    at < period &&
    digest instanceof Uint8Array &&
    digest.length === digestSize,
  steps: ({ run, index, effects, times, digests }) =>
    isText(run) &&
    isCount(index) &&
    listOf(isEffect)(effects) &&
    isLengthOfStep((effects as Effect[]).length) &&
    isStep(effects as Effect[]) &&
    isCount(times) &&
    times > 0 &&
    digests instanceof Uint8Array &&
    digests.length === digestSize * times * (effects as Effect[]).length,
  end: ({ run, free }) => isText(run) && optional(free, isBoolean),
  limit: ({ epsilon, delta }) =>
    typeof epsilon === 'number' && epsilon > 0 && typeof delta === 'number' && delta >= 0 && delta < 1,
  reserve: ({ run, event, filter }) => isText(run) && isEvent(event) && filter !== undefined,
  uses: ({ run, what, mark }) => isText(run) && isText(what) && isText(mark),
};

/**
 * Validates a log record as a ledger line. The log's authentication codes detect damage, but not an invalid
 * line written by another program.
 *
 * @throws {Corrupt} when it is not a ledger line of this version.
 */
export function checkLine(record: unknown, position: number): Line {
  const kind = isFields(record) ? record['t'] : undefined;
  if (isText(kind) && Object.hasOwn(fits, kind) && fits[kind as Line['t']](record as Fields))
    return record as Line;
  throw new Corrupt(
    `line ${position} of the ledger is not one that this version writes; a newer version wrote it, ` +
      'or it was changed. Use that version, or restore a copy.',
    { line: position },
  );
}
