import { LetheError } from '@lethe/core';
import fc from 'fast-check';
import { expect } from 'vitest';

/** The result of `action`, or the typed error it throws; other errors fail the test with their stack. */
export function typedOutcome<T>(action: () => T): { readonly value: T } | { readonly error: LetheError } {
  try {
    return { value: action() };
  } catch (error) {
    if (!(error instanceof LetheError))
      throw new Error('threw an error that is not a LetheError', { cause: error });
    return { error };
  }
}

/** Requires a typed error with a non-empty message. */
export function expectRefused(action: () => unknown): LetheError {
  const outcome = typedOutcome(action);
  if (!('error' in outcome)) throw new Error(`was accepted and gave ${fc.stringify(outcome.value)}`);
  expect(outcome.error.message.length).toBeGreaterThan(10);
  return outcome.error;
}

export const strangeNumbers = [
  Number.NaN,
  Infinity,
  -Infinity,
  -1,
  -0,
  0,
  0.5,
  1.5,
  5e-324,
  1e-300,
  1e300,
  Number.MAX_VALUE,
  -1e308,
  2 ** 53,
  2 ** 53 + 2,
  2 ** 32,
  1e10,
] as const;

/** Values of wrong types, and unusual numbers. */
export const strange: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(...strangeNumbers),
  fc.constantFrom<unknown>(
    undefined,
    null,
    true,
    false,
    '',
    '1',
    'NaN',
    '__proto__',
    'constructor',
    [],
    {},
    [1, 2],
    { id: 5 },
    10n,
    Symbol('s'),
    () => 1,
    new Date(0),
    new Map(),
    /x/u,
  ),
  fc.constantFrom<unknown>(
    new Float64Array(0),
    new Float64Array(3).fill(Number.NaN),
    new Float32Array(3),
    new Uint8Array(3),
    new DataView(new ArrayBuffer(8)),
  ),
  fc.anything({ maxDepth: 3 }),
);

interface Place {
  readonly path: readonly (string | number)[];
}

/**
 * All paths in a plain value: fields of objects and items of
 * arrays, outermost first; a typed array has one path.
 */
export function placesOf(value: unknown, path: readonly (string | number)[] = []): Place[] {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return [];
  const keys = Array.isArray(value) ? value.map((_, i) => i) : Object.keys(value);
  return keys.flatMap((key) => [
    { path: [...path, key] },
    ...placesOf((value as Record<string | number, unknown>)[key], [...path, key]),
  ]);
}

/** A copy with the value at a path replaced, or with the field removed. */
function spoil(
  value: unknown,
  [key, ...rest]: readonly (string | number)[],
  change: { readonly to: unknown } | 'drop',
): unknown {
  const copy = Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) };
  const fields = copy as Record<string | number, unknown>;
  if (rest.length > 0) fields[key] = spoil(fields[key], rest, change);
  else if (change !== 'drop') fields[key] = change.to;
  else if (Array.isArray(copy)) copy.splice(key as number, 1);
  else delete fields[key];
  return copy;
}

/** `value` with one to three invalid values. */
export function spoilt<T>(value: T): fc.Arbitrary<unknown> {
  const places = placesOf(value);
  const change = fc.oneof(
    { weight: 5, arbitrary: fc.record({ to: strange }) },
    { weight: 1, arbitrary: fc.constant('drop' as const) },
  );
  const one = fc.tuple(fc.nat(places.length - 1), change);
  return fc.array(one, { minLength: 1, maxLength: 3 }).map((spoils) =>
    spoils.reduce<unknown>((now, [place, how]) => {
      try {
        return spoil(now, places[place].path, how);
      } catch {
        // An earlier change removed the path.
        return now;
      }
    }, value),
  );
}
