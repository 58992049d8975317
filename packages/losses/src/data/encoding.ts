import { InvalidData, InvalidParameter } from '@lethe/core';
import { periodOf, type FeatureSpec } from './design-spec.js';
import { columnOf, invalidCell, type Column, type Table } from './table.js';
import { largestInstant, timePartOf, type TimePart } from './time.js';

/**
 * A feature bound to a table: the columns it fills, and a public bound on the squared norm of what it writes.
 */
export interface Encoding {
  readonly names: readonly string[];
  readonly squaredNorm: number;
  /** Entries that may differ from zero. */
  readonly entries: number;
  readonly bounds: readonly (readonly [number, number])[];
  /** Calls `put` with the place in the encoding of record `row` and the value there; the rest is 0. */
  readonly write: (row: number, put: (place: number, value: number) => void) => void;
}

/** Rounding of sine and cosine may lift a point off the circle by this much. */
const circleSlack = 1 + 2 ** -50;

/**
 * Binds a feature to a table.
 *
 * @param unreadable - Whether a number that is no instant where one is needed is refused, or read as NaN.
 * @throws {InvalidData} when the column is absent or its type does not suit.
 */
export function encodingOf(table: Table, spec: FeatureSpec, unreadable: Unreadable = 'reject'): Encoding {
  if (spec.encoding === 'hashed') return hashed(table, spec, unreadable);
  if (spec.encoding === 'words') return words(table, spec);
  const column = columnOf(table, spec.column);
  const name = nameOf(spec);
  if (spec.encoding === 'one-hot') return oneHot(column, name, spec, unreadable);
  const valueAt = numberReader(column, spec, unreadable);
  if (spec.encoding === 'scale') return scale(valueAt, name, spec);
  if (spec.encoding === 'cyclic') return cyclic(valueAt, name, periodOf(spec), spec.harmonics);
  const bins = spec.edges.length + 1;
  const binOf = (value: number): number =>
    spec.edges.reduce((bin, edge) => (value >= edge ? bin + 1 : bin), 0);
  return indicators(
    range(bins).map((bin) => `${name}[${bin}]`),
    (row) => binOf(valueAt(row)),
  );
}

/** What a record does that cannot be read: stops the reading, or stands as a null record. */
export type Unreadable = 'reject' | 'null';

/** A column, or a part of it: what {@link numberReader} needs of a feature. */
interface Source {
  readonly column: string;
  readonly part?: TimePart | undefined;
  readonly start?: number | undefined;
  readonly period?: number | undefined;
}
const unitInterval = [0, 1] as const;

type NumberReader = (row: number) => number;
type SpecOf<E extends FeatureSpec['encoding']> = Extract<FeatureSpec, { encoding: E }>;

function scale(valueAt: NumberReader, name: string, spec: SpecOf<'scale'>): Encoding {
  const { transform, lower, upper, unit } = spec;
  const curve = transform === 'log1p' ? Math.log1p : (value: number): number => value;
  if (unit !== undefined)
    return inUnits(valueAt, name, {
      lower,
      upper,
      toUnits: (value) => (curve(value) - (spec.offset ?? 0)) / unit,
    });
  const from = curve(lower);
  const width = curve(upper) - from;
  if (!(width > 0))
    throw new InvalidParameter(
      `feature '${name}': the bounds ${lower} and ${upper} are too close to tell apart`,
      { lower, upper },
    );
  return {
    names: [name],
    squaredNorm: 1,
    entries: 1,
    bounds: [[-1, 1]],
    write(row, put) {
      const inside = Math.min(Math.max(valueAt(row), lower), upper);
      put(0, Math.min(Math.max(2 * ((curve(inside) - from) / width) - 1, -1), 1));
    },
  };
}

interface Units {
  readonly lower: number;
  readonly upper: number;
  readonly toUnits: (value: number) => number;
}

/** Moved between what is written for the bounds once more: a logarithm need not rise in its last digit. */
function inUnits(valueAt: NumberReader, name: string, { lower, upper, toUnits }: Units): Encoding {
  const [least, most] = [toUnits(lower), toUnits(upper)];
  const squaredNorm = Math.max(least * least, most * most);
  if (!(squaredNorm < Infinity && squaredNorm > 2 ** -900))
    throw new InvalidParameter(
      `feature '${name}': in these units its bounds are ${least} and ${most}, ` +
        'too large or too small to square; choose another unit',
      { lower: least, upper: most },
    );
  if (!(least < most))
    throw new InvalidParameter(
      `feature '${name}': the bounds ${lower} and ${upper} are too close to tell apart in these units`,
      { lower, upper },
    );
  return {
    names: [name],
    squaredNorm,
    entries: 1,
    bounds: [[least, most]],
    write(row, put) {
      put(0, Math.min(Math.max(toUnits(Math.min(Math.max(valueAt(row), lower), upper)), least), most));
    },
  };
}

function cyclic(valueAt: NumberReader, name: string, period: number, harmonics: number): Encoding {
  const orders = range(harmonics).map((index) => index + 1);
  return {
    names: orders.flatMap((order) => [`sin ${order} ${name}`, `cos ${order} ${name}`]),
    squaredNorm: harmonics * circleSlack,
    entries: 2 * harmonics,
    bounds: orders.flatMap(() => [[-1, 1] as const, [-1, 1] as const]),
    write(row, put) {
      const turn = 2 * Math.PI * ((valueAt(row) % period) / period);
      for (const order of orders) {
        put(2 * order - 2, Math.sin(order * turn));
        put(2 * order - 1, Math.cos(order * turn));
      }
    },
  };
}

function oneHot(column: Column, name: string, spec: SpecOf<'one-hot'>, unreadable: Unreadable): Encoding {
  const index = new Map<string | number, number>(spec.levels.map((level, at) => [level, at]));
  const isText = typeof spec.levels[0] === 'string';
  if (isText === column instanceof Float64Array || (isText && spec.part !== undefined)) {
    throw new InvalidData(
      `feature '${name}': the levels are ${isText ? 'text' : 'numbers'}, the values are not`,
      { column: spec.column },
    );
  }
  const valueAt = isText
    ? (row: number): string => column[row] as string
    : numberReader(column, spec, unreadable);
  return indicators(
    spec.levels.map((level) => `${name}=${level}`),
    (row) => index.get(valueAt(row)) ?? -1,
  );
}

function indicators(names: readonly string[], indexAt: (row: number) => number): Encoding {
  return {
    names,
    squaredNorm: 1,
    entries: 1,
    bounds: names.map(() => unitInterval),
    write(row, put) {
      const index = indexAt(row);
      if (index >= 0) put(index, 1);
    },
  };
}

/** An indicator of the bucket of the values together. */
function hashed(table: Table, { columns, buckets }: SpecOf<'hashed'>, unreadable: Unreadable): Encoding {
  const sources = columns.map((source) => (typeof source === 'string' ? { column: source } : source));
  const readers = sources.map((source) => valueReader(columnOf(table, source.column), source, unreadable));
  const names = bucketNames(sources.map(nameOf).join(' × '), buckets);
  return indicators(names, (row) => bucketOf(readers.map((valueAt) => valueAt(row)).join('\u001f'), buckets));
}

/** The words of a text, every bucket once, at equal weight and norm 1. */
function words(table: Table, { column: name, buckets, atMost }: SpecOf<'words'>): Encoding {
  const column = columnOf(table, name);
  if (column instanceof Float64Array)
    throw new InvalidData(`feature '${name}': the column holds numbers; words are read from text`, {
      column: name,
    });
  return {
    names: bucketNames(name, buckets),
    squaredNorm: circleSlack,
    entries: Math.min(atMost, buckets),
    bounds: Array.from({ length: buckets }, () => unitInterval),
    write(row, put) {
      const found = new Set<number>();
      for (const [word] of column[row].toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) {
        found.add(bucketOf(word, buckets));
        if (found.size === atMost) break;
      }
      const weight = 1 / Math.sqrt(found.size);
      for (const bucket of [...found].toSorted((a, b) => a - b)) put(bucket, weight);
    },
  };
}

const bucketNames = (name: string, buckets: number): string[] =>
  range(buckets).map((bucket) => `${name}#${bucket}`);

const nameOf = ({ column, part }: Source): string => (part === undefined ? column : `${column}.${part}`);

/** FNV-1a over UTF-16 units, its bits mixed once more: the same on every machine, and public. */
function bucketOf(text: string, buckets: number): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) % buckets;
}

/** Values of a column: text as it is, numbers as {@link numberReader} reads them. */
function valueReader(
  column: Column,
  source: Source,
  unreadable: Unreadable,
): (row: number) => string | number {
  if (column instanceof Float64Array) return numberReader(column, source, unreadable);
  if (source.part !== undefined || source.start !== undefined)
    throw new InvalidData(`feature '${nameOf(source)}': the column is text; read it as time`, {
      column: source.column,
    });
  return (row) => column[row];
}

/** Numbers of a column, as a part of an instant and wrapped where the description says so. */
function numberReader(column: Column, spec: Source, unreadable: Unreadable): NumberReader {
  if (!(column instanceof Float64Array))
    throw invalidCell(
      { row: 1, column: spec.column, value: column[0] },
      'is text; a number is needed here (read the column as number or time)',
    );
  const { part, start } = spec;
  const isInstant = (value: number): boolean => Math.abs(value) <= largestInstant;
  const isChecked = part !== undefined && unreadable === 'reject';
  const outside = isChecked ? column.findIndex((value) => !isInstant(value)) : -1;
  if (outside >= 0)
    throw invalidCell(
      { row: outside + 1, column: spec.column, value: column[outside] },
      'is not an instant in milliseconds',
    );
  const period = periodOf(spec);
  return (row) => {
    const raw = column[row] as number;
    if (part !== undefined && !isInstant(raw)) return NaN;
    const value = part === undefined ? raw : timePartOf(raw, part);
    const shifted = value - (start ?? 0);
    return start === undefined || period === Infinity ? shifted : ((shifted % period) + period) % period;
  };
}

function range(length: number): number[] {
  return Array.from({ length }, (_, index) => index);
}
