import {
  createScratch,
  decode,
  encode,
  type Intern,
  InvalidParameter,
  longSums,
  ownCopy,
  zerosInArena,
} from '@lethe/numerics';
import type { PluginKind, Ref } from '../plugins/plugin.js';
import { settleRef } from '../plugins/settled-refs.js';
import type { Query } from './query.js';
import type { LongPoints, Told, Writer } from './schema.js';
import { anyQuery } from './table.js';

/** A query taken in. */
export interface Taken {
  /** The curator's own, and of the shape of a query. Its long points are lent until the next query. */
  readonly query: Query;
  /**
   * What `encode` makes of it, with long points told by sums where a key for them was given; lent as the
   * query.
   */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** References remembered; a run whose references never repeat must not keep them all. */
const mostRefs = 256;

/**
 * The border of a curator. A query is copied before anything looks at it, so that what is checked, charged,
 * digested and answered is one value, whatever the caller's object says when it is read again: in one walk
 * each field is read once, checked, copied and encoded.
 *
 * Equal references become one frozen object, by which parsed parameters and events are found again: only the
 * curator's own copies are compared for that.
 *
 * @param onRef - Is told every reference that is not equal to one before.
 * @param points - For long points, which are then told by sums; without, all points are in the bytes as they
 * are.
 * @returns a function that takes a query in. It throws
 * {@link InvalidParameter} for what is no query, naming the field.
 */
export function createIntake(
  onRef: (ref: Ref) => void = () => undefined,
  points?: PointMemory,
): (query: unknown) => Taken {
  const known = new Map<PluginKind, Map<string, { readonly ref: Ref; readonly params: Uint8Array }[]>>();
  const scratch = createScratch();
  let count = 0;
  /** The one reference whose encoded parameters are the bytes from `from` to `end`. */
  const refer = (kind: PluginKind, name: string, bytes: Uint8Array, from: number, end: number): Ref => {
    for (const seen of known.get(kind)?.get(name) ?? [])
      if (stands(seen.params, bytes, from, end)) return seen.ref;
    const params = bytes.slice(from, end);
    const ref = settleRef(Object.freeze({ kind, name, params: ownCopy(decode(params), intern) } as Ref));
    if (count >= mostRefs) {
      known.clear();
      count = 0;
    }
    const names = known.get(kind) ?? new Map<string, { ref: Ref; params: Uint8Array }[]>();
    const alike = names.get(name) ?? [];
    known.set(kind, names);
    names.set(name, alike);
    alike.push({ ref, params });
    count += 1;
    onRef(ref);
    return ref;
  };
  /** Parameters hold references too. */
  const intern: Intern = (record) => {
    const { kind, name, params } = record as Partial<Ref>;
    if (typeof kind !== 'string' || typeof name !== 'string' || params === undefined) return record;
    const bytes = encode(params);
    return refer(kind, name, bytes, 0, bytes.length);
  };
  const constants = new WeakMap<object, Told | null>();
  const to: Writer = {
    scratch,
    constants,
    ...(points === undefined ? {} : { points: points.long }),
    at: 0,
    plain: (from) => ownCopy(decode(scratch.bytes.subarray(from, to.at)), intern),
    refer: <K extends PluginKind>(kind: K, name: string, from: number) =>
      refer(kind, name, scratch.bytes, from, to.at) as Ref<K>,
  };
  let isReading = false;
  return (query) => {
    // What is read may be a function of the caller's, and both queries would be written to the same place.
    if (isReading)
      throw new InvalidParameter(
        'a query was asked while another is read; give plain data, whose fields ask nothing',
        {},
      );
    isReading = true;
    try {
      to.at = 0;
      points?.again();
      const own = read(query, to);
      return { query: own, bytes: scratch.bytes.subarray(0, to.at) };
    } finally {
      isReading = false;
    }
  };
}

const read = anyQuery('');

/** Entries from which new memory, and hashing every byte, cost more than the rest of a query. */
const longPoint = 4096;

/** Arrays kept for the points of later runs. */
const mostSpare = 2;

/** Memory for the long points of one query after another. */
export interface PointMemory {
  readonly long: LongPoints;
  /** The points of the last query are not needed any more. */
  again(): void;
  /** Nor any of them: their memory is left for the next run on the same data. */
  end(): void;
}

/**
 * A new array of a million numbers costs as much as a pass, and its first touch as much as ten.
 *
 * @param key - 16 bytes, for sums of long points.
 * @param spare - Arrays that no run uses now, from which this takes and to which it returns.
 */
export function pointMemory(key: Uint8Array, spare: Float64Array[] = []): PointMemory {
  let kept: Float64Array[] = [];
  let used = 0;
  const spareOf = (length: number): Float64Array | undefined => {
    const at = spare.findIndex((one) => one.length === length);
    return at < 0 ? undefined : spare.splice(at, 1)[0];
  };
  return {
    long: {
      from: longPoint,
      sums: longSums(key),
      memory(length) {
        const place = used++;
        // An arena of its own: a loss can read all of the memory that it is lent a part of.
        if (kept[place]?.length !== length) kept[place] = spareOf(length) ?? zerosInArena(length);
        return kept[place];
      },
    },
    again() {
      used = 0;
    },
    end() {
      spare.push(...kept.slice(0, Math.max(0, mostSpare - spare.length)));
      kept = [];
    },
  };
}

function stands(params: Uint8Array, bytes: Uint8Array, from: number, to: number): boolean {
  if (params.length !== to - from) return false;
  for (let i = 0; i < params.length; i++) if (params[i] !== bytes[from + i]) return false;
  return true;
}
