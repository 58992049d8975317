/** Plain JSON, deeply readonly: what parameters, plans, events and claims are made of. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** One text per JSON value: keys sorted, `-0` as `0`, no spaces. Two values are equal iff their texts are. */
export function canonicalJson(value: unknown): string {
  // A value that JSON has no text for gives undefined, as JSON.stringify does.
  return textOf(value, '') as string;
}

/** Written out by hand: JSON.stringify with a function that sorts takes nearly twice as long. */
function textOf(value: unknown, key: string): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'null';
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const { toJSON } = value as { readonly toJSON?: unknown };
  if (typeof toJSON === 'function') {
    const replaced: unknown = toJSON.call(value, key);
    return typeof replaced === 'object' && replaced !== null ? textOfObject(replaced) : textOf(replaced, key);
  }
  return textOfObject(value);
}

function textOfObject(value: object): string {
  let text = '';
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++)
      text += `${i === 0 ? '' : ','}${textOf(value[i], String(i)) ?? 'null'}`;
    return `[${text}]`;
  }
  const fields = value as Readonly<Record<string, unknown>>;
  for (const key of keysInOrder(fields)) {
    const inner = textOf(fields[key], key);
    if (inner !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${inner}`;
  }
  return `{${text}}`;
}

/** Sorted, but for indices: an object has those first, by their size. */
function keysInOrder(fields: object): readonly string[] {
  const keys = Object.keys(fields).toSorted();
  return keys.some((key) => key >= '0' && key < ':')
    ? Object.keys(Object.fromEntries(keys.map((key) => [key, null])))
    : keys;
}

/**
 * Freezes a plain value and everything inside it; typed arrays are left as they are (they cannot be frozen).
 */
export function deepFreeze<T>(value: T): T {
  if (value === null || typeof value !== 'object' || ArrayBuffer.isView(value) || Object.isFrozen(value))
    return value;
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}
