import type { Plugin, PluginKind } from '@lethe/core';
import type { Finding } from './finding.js';
import { isRefusal } from './is-refusal.js';
import type { Subject, SubjectKind } from './subject.js';

/** Part of the effort that is spent at each of the other parameters. */
export const effortElsewhere = 1 / 4;
/** Kinds whose laws try other parameters of their own: other plans, and events with other numbers. */
const kindsOfTheirOwn: ReadonlySet<SubjectKind> = new Set(['optimizer', 'event']);
/** Other parameters at which a law that does not sample is checked, unless it says otherwise. */
export const mostElsewhere = (kind: SubjectKind): number => (kindsOfTheirOwn.has(kind) ? 0 : 4);
/** Other parameters that are found for one set of parameters. */
const mostFound = 8;

/** Path of a number, of a list of numbers, or of a list of such lists, in parameters. */
type Path = readonly string[];
type Numbers = readonly number[];
type Place = readonly [Path, number | Numbers | readonly Numbers[]];

const isNumbers = (value: unknown): value is Numbers =>
  Array.isArray(value) && value.length > 0 && value.every((entry) => typeof entry === 'number');
const isLists = (value: unknown): value is readonly Numbers[] =>
  Array.isArray(value) && value.length > 0 && value.every(isNumbers);

function placesIn(value: unknown, path: Path = []): readonly Place[] {
  if (typeof value === 'number' || isNumbers(value) || isLists(value)) return [[path, value]];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => placesIn(inner, [...path, key]));
}

function put(value: unknown, [key, ...rest]: Path, to: unknown): unknown {
  if (key === undefined) return to;
  const object = value as Readonly<Record<string, unknown>>;
  return { ...object, [key]: put(object[key], rest, to) };
}

/** Integers before other numbers and lists: what is counted decides how a plugin goes about its work. */
function wholeFirst(
  places: readonly Place[],
  accepts: (path: Path, to: number) => boolean,
): readonly (readonly [Path, Place[1], boolean])[] {
  const isWhole = ([path, value]: Place): boolean =>
    typeof value === 'number' &&
    Number.isInteger(value) &&
    ![value + 0.5, value - 0.5, value + 0.125, value - 0.125].some((other) => accepts(path, other));
  const told = places.map((place) => [...place, isWhole(place)] as const);
  return [...told.filter(([, , whole]) => whole), ...told.filter(([, , whole]) => !whole)];
}

/**
 * Other values of a number: integers around powers of 2; real numbers at other magnitudes, and shares closer
 * to 1.
 */
function otherNumbers(value: number, isWhole: boolean): readonly number[] {
  if (isWhole) return [17, 7, value + 1, 33, 16, value - 1, 8 * value];
  const share = value > 0 && value < 1 ? [1 - (1 - value) / 8] : [];
  return [value * 2 ** -10, value * 8, ...share, value * 3];
}

/** Lists at other magnitudes and of other lengths. */
function otherLists(values: readonly number[]): readonly (readonly number[])[] {
  const scaled = (by: number): readonly number[] => values.map((value) => value * by);
  const ofLength = (length: number): readonly number[] =>
    Array.from({ length }, (_, i) => values[i % values.length]);
  return [scaled(2 ** -10), ofLength(17), scaled(8), ofLength(1), ofLength(values.length + 1)];
}

/** Lists of lists: all in one, each number by itself, and a long list of others where numbers name places. */
function otherGroups(lists: readonly Numbers[]): readonly (readonly Numbers[])[] {
  const all = lists.flat();
  const namePlaces = new Set(all).size === all.length && all.every((n) => Number.isSafeInteger(n) && n >= 0);
  return [
    ...(namePlaces ? [[Array.from({ length: 17 }, (_, i) => i)]] : []),
    [all],
    all.map((entry) => [entry]),
  ];
}

function otherValues(value: Place[1], isWhole: boolean): readonly Place[1][] {
  if (typeof value === 'number') return otherNumbers(value, isWhole);
  return isNumbers(value) ? otherLists(value) : otherGroups(value as readonly Numbers[]);
}

/** Turns through lists: the first of each, then the second of each. */
const inTurn = <T>(lists: readonly (readonly T[])[]): readonly T[] =>
  Array.from({ length: Math.max(0, ...lists.map(({ length }) => length)) }, (_, i) =>
    lists.flatMap((list) => (i < list.length ? [list[i]] : [])),
  ).flat();

/**
 * Parameters with one number, or one list of numbers, changed, where the schema accepts them: numbers 2⁻¹⁰, 3
 * and 8 times as large, integers next to the given one and at 7, 16, 17 and 33, shares closer to 1, lists of
 * other lengths, groups of other sizes. A contract holds for all parameters, and a constant in place of a
 * parameter shows only at another value of it.
 */
function otherParams({ params: schema }: Plugin, params: unknown): readonly unknown[] {
  const parsed = (path: Path, to: unknown): { readonly success: boolean; readonly data?: unknown } =>
    schema.safeParse(put(params, path, to));
  const found = inTurn(
    wholeFirst(placesIn(params), (path, to) => parsed(path, to).success).map(([path, value, isWhole]) =>
      otherValues(value, isWhole).flatMap((other) => {
        const { success, data } = parsed(path, other);
        return success ? [data] : [];
      }),
    ),
  );
  const seen = new Set([JSON.stringify(params)]);
  return found
    .filter((other) => {
      const text = JSON.stringify(other);
      return seen.has(text) ? false : seen.add(text);
    })
    .slice(0, mostFound);
}

const moved = new WeakMap<object, readonly Subject[]>();

const isPlugin = (subject: Subject): subject is Subject<PluginKind> => 'plugin' in subject;

/**
 * The same plugin at other parameters, the same objects at every call, since laws keep caches by subject;
 * none of a subject that is no plugin.
 */
function movedOf<S extends Subject>(subject: S): readonly S[] {
  if (!isPlugin(subject)) return [];
  const { plugin, params } = subject;
  const known =
    moved.get(subject) ??
    otherParams(plugin, params).map((other) => ({ ...subject, params: other }) as Subject);
  moved.set(subject, known);
  return known as readonly S[];
}

/** Place of the subject's parameters among the examples of its plugin, and how many these are. */
function placeOf({ plugin, params }: Subject<PluginKind>): {
  readonly index: number;
  readonly among: number;
} {
  const { examples = [], params: schema } = plugin as Plugin;
  const text = JSON.stringify(params);
  const index = examples.findIndex((example) => JSON.stringify(schema.safeParse(example).data) === text);
  return index < 0 ? { index: 0, among: 1 } : { index, among: examples.length };
}

/**
 * The subject at up to `most` other parameters. A plugin of several examples is a subject at each of them;
 * they share the other parameters.
 */
export function elsewhere<S extends Subject>(subject: S, most: number): readonly S[] {
  if (!isPlugin(subject)) return [];
  const { index, among } = placeOf(subject);
  return movedOf(subject)
    .filter((_, i) => i % among === index)
    .slice(0, most);
}

/**
 * A violation at other parameters; none where the check ends because the plugin refuses them. A violation
 * that a law itself reports stays one, whatever error it names as its cause.
 */
export function foundElsewhere(finding: Finding, subject: Subject): Finding | undefined {
  if (finding.verdict !== 'fails' || finding.violation.isRefusal === true) return undefined;
  const { violation, samples } = finding;
  return {
    verdict: 'fails',
    samples,
    violation: {
      ...violation,
      what:
        `with parameters ${JSON.stringify('params' in subject ? subject.params : null)}: ` +
        `${violation.what}`,
    },
  };
}

/**
 * Runs a check of a sampling law on the subject and then, with a quarter of the effort, at up to four other
 * parameters, until it fails. Laws that do not sample are run there by `runCheck`.
 *
 * @param isShared - Whether the examples of one plugin share the four.
 */
export function alsoElsewhere<S extends Subject>(
  subject: S,
  check: (subject: S, effort: number) => Finding,
  { isShared = false }: { readonly isShared?: boolean } = {},
): Finding {
  const first = check(subject, 1);
  let { samples } = first;
  if (first.verdict !== 'holds') return first;
  const others =
    isShared && isPlugin(subject)
      ? elsewhere(subject, Math.ceil(4 / placeOf(subject).among))
      : movedOf(subject).slice(0, 4);
  for (const other of others) {
    const finding = checkedAt(other, check);
    samples += finding?.samples ?? 0;
    const found =
      finding === undefined ? undefined : foundElsewhere({ ...finding, samples } as Finding, other);
    if (found !== undefined) return found;
  }
  return { ...first, samples };
}

function checkedAt<S>(subject: S, check: (subject: S, effort: number) => Finding): Finding | undefined {
  try {
    return check(subject, effortElsewhere);
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
}
