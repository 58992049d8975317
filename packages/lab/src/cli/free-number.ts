import { InvalidParameter, type PrivacyEvent } from '@lethe/core';
import { defined } from '@lethe/numerics';

/** A template with one free number, such as an event or the parameters of a plan. */
export interface FreeNumber {
  /** The number in the template. */
  readonly given: number;
  /** Only whole numbers are valid. */
  readonly integer: boolean;
  /** The template with a value in place. */
  filled(value: number): unknown;
  /** The event at a value. @throws {InvalidParameter} when it is none. */
  event(value: number): PrivacyEvent;
}

/**
 * Frees the number of a template at one path, or at several that always hold the same number.
 *
 * @param paths - JSON pointers (`/parts/0/count`), or names with dots between them (`parts.0.count`).
 * @param of - Privacy event of a filled template.
 * @throws {InvalidParameter} when there is no number, or no event at any number that was tried.
 */
export function freeNumber(
  template: unknown,
  paths: readonly string[],
  of: (filled: unknown) => PrivacyEvent,
): FreeNumber {
  const places = paths.map((path) => ({ path, keys: keysOf(path) }));
  const numbers = places.map(({ path, keys }) => numberAt(template, keys, path));
  const filled = (value: number): unknown => {
    const copy: unknown = structuredClone(template);
    for (const { keys } of places)
      (
        keys
          .slice(0, -1)
          .reduce((inner, key) => (inner as Readonly<Record<string, unknown>>)[key], copy) as Record<
          string,
          unknown
        >
      )[keys[keys.length - 1]] = value;
    return copy;
  };
  const event = (value: number): PrivacyEvent => of(filled(value));
  const given = numbers[0];
  const whole = [given, 1, 2, 10]
    .filter((value) => Number.isInteger(value))
    .find((value) => failure(event, value) === undefined);
  const fractions = [given, given + 0.5, given - 0.5, 0.5, 1.5].filter((value) => !Number.isInteger(value));
  const integer = fractions.every((value) => failure(event, value) !== undefined);
  if (integer && whole === undefined) throw defined(failure(event, given));
  return { given, integer, filled, event };
}

function failure(event: (value: number) => PrivacyEvent, value: number): InvalidParameter | undefined {
  try {
    event(value);
    return undefined;
  } catch (error) {
    if (error instanceof InvalidParameter) return error;
    throw error;
  }
}

function keysOf(path: string): readonly string[] {
  const keys = path.startsWith('/')
    ? path
        .slice(1)
        .split('/')
        .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    : path.split('.');
  if (path !== '' && keys.every((key) => key !== '')) return keys;
  throw new InvalidParameter(
    `--free is '${path}'; write the way to a number as /parts/0/count or parts.0.count`,
    { path },
  );
}

function numberAt(template: unknown, keys: readonly string[], path: string): number {
  const found = keys.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key)
        ? (inner as Readonly<Record<string, unknown>>)[key]
        : undefined,
    template,
  );
  if (typeof found === 'number') return found;
  const known = numbersIn(template, '');
  throw new InvalidParameter(
    `--free ${path} is ${found === undefined ? 'not in the template' : 'no number there'}; ` +
      (known.length === 0
        ? 'the template holds no number'
        : `there are numbers at ${known.slice(0, 12).join(', ')}`),
    { path },
  );
}

/** Pointers to all numbers but versions. */
function numbersIn(value: unknown, path: string): string[] {
  if (typeof value === 'number') return [path];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value)
    .filter(([key]) => key !== 'v')
    .flatMap(([key, inner]) =>
      numbersIn(inner, `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`),
    );
}
