import type { Effect, SlotRange, StoredBatch } from './effect.js';

/**
 * Shift of the ids of one step to a later step: ids made by `run` at query `from` or later move by `by`
 * queries.
 */
export interface Move {
  readonly run: string;
  readonly from: number;
  readonly by: number;
}

/**
 * Shifts the id `run/j`, or its part `run/j.k`. Ids of other runs, ids made before the step and ids of
 * another form do not change.
 */
function movedId(id: string, move: Move): string {
  const { run, from, by } = move;
  if (by === 0) return id;
  // One step names the same batch several times.
  if (id === last.id && run === last.run && from === last.from && by === last.by) return last.moved;
  const moved = movedAnew(id, move);
  last = { id, run, from, by, moved };
  return moved;
}

let last = { id: '', run: '', from: 0, by: 0, moved: '' };

function movedAnew(id: string, { run, from, by }: Move): string {
  const start = run.length + 1;
  if (id.charCodeAt(run.length) !== slash || !id.startsWith(run)) return id;
  let index = 0;
  let end = start;
  for (let code; (code = id.charCodeAt(end)) >= zero && code <= nine && end < start + mostDigits; end++)
    index = 10 * index + code - zero;
  const isNumber = end > start && (id.charCodeAt(start) !== zero || end === start + 1);
  if (!isNumber || index < from || (end < id.length && id.charCodeAt(end) !== dot)) return id;
  return `${run}/${index + by}${id.slice(end)}`;
}

const [slash, zero, nine, dot] = [47, 48, 57, 46];
const mostDigits = 15;

/** An effect with shifted ids. It shares events, samplers and recipes with `effect`. */
export function movedEffect(effect: Effect, move: Move): Effect {
  if (move.by === 0) return effect;
  const moved: { -readonly [Name in keyof Effect]: Effect[Name] } = { ...effect };
  const { charge, prepaid, space, batches, closes } = effect;
  if (charge !== undefined) moved.charge = { ...charge, on: movedRange(charge.on, move) };
  if (prepaid !== undefined) moved.prepaid = { ...prepaid, on: movedRange(prepaid.on, move) };
  if (space !== undefined)
    moved.space = {
      ...space,
      id: movedId(space.id, move),
      parent: movedId(space.parent, move),
      within: movedRange(space.within, move),
    };
  if (batches !== undefined) moved.batches = batches.map((batch) => movedBatch(batch, move));
  if (closes !== undefined) moved.closes = closes.map((id) => movedId(id, move));
  return moved;
}

function movedRange(range: SlotRange, move: Move): SlotRange {
  const space = movedId(range.space, move);
  return space === range.space ? range : { ...range, space };
}

const movedBatch = (batch: StoredBatch, move: Move): StoredBatch => ({
  ...batch,
  id: movedId(batch.id, move),
  stretch: movedRange(batch.stretch, move),
  scope: batch.scope === null ? null : movedId(batch.scope, move),
});

type Same = (a: unknown, b: unknown, move: Move) => boolean;
type Fields = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !ArrayBuffer.isView(value);

/** Compares records field by field, each by its own rule, or as plain data if it has none. */
const record =
  (rules: ReadonlyMap<string, Same>): Same =>
  (a, b, move) => {
    if (!isObject(a) || !isObject(b) || Array.isArray(a) || Array.isArray(b)) return Object.is(a, b);
    let more = 0;
    // Effects are plain data: nothing is inherited that can be enumerated.
    // oxlint-disable-next-line guard-for-in
    for (const name in b) if ((b as Fields)[name] !== undefined) more++;
    // oxlint-disable-next-line guard-for-in
    for (const name in a) {
      const value = (a as Fields)[name];
      if (value === undefined) continue;
      more--;
      const other = (b as Fields)[name];
      const rule = rules.get(name);
      if (rule === undefined ? value !== other && !samePlain(value, other, move) : !rule(value, other, move))
        return false;
    }
    return more === 0;
  };
const listOf =
  (same: Same): Same =>
  (a, b, move) =>
    Array.isArray(a) &&
    Array.isArray(b) &&
    a.length === b.length &&
    a.every((item, i) => same(item, b[i], move));

/** Whether two plain values have the same stored bytes; `false` for typed arrays, which are not compared. */
const samePlain: Same = (a, b, move) =>
  Object.is(a, b) || (isObject(a) && (Array.isArray(a) ? plainList : plainRecord)(a, b, move));
const plainRecord = record(new Map());
const plainList = listOf(samePlain);

const sameId: Same = (a, b, move) => (typeof a === 'string' ? movedId(a, move) === b : a === b);
const sameRange = record(new Map([['space', sameId]]));
const sameBatch = record(
  new Map([
    ['id', sameId],
    ['stretch', sameRange],
    ['scope', sameId],
  ]),
);
/** Whether `later` is `earlier` with shifted ids, in every field, including unknown ones; never throws. */
export const sameMoved: (earlier: Effect, later: Effect, move: Move) => boolean = record(
  new Map([
    ['charge', record(new Map([['on', sameRange]]))],
    ['prepaid', record(new Map([['on', sameRange]]))],
    [
      'space',
      record(
        new Map([
          ['id', sameId],
          ['parent', sameId],
          ['within', sameRange],
        ]),
      ),
    ],
    ['batches', listOf(sameBatch)],
    ['closes', listOf(sameId)],
  ]),
);

/** Whether two plain values have the same stored bytes; `false` if they contain typed arrays. */
export const sameValue = (a: unknown, b: unknown): boolean => samePlain(a, b, stay);
const stay: Move = { run: '', from: 0, by: 0 };
