/** Plain JSON, deeply readonly: what parameters, plans, events and claims are made of. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** One text per JSON value: keys sorted, `-0` as `0`, no spaces. Two values are equal iff their texts are. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (inner === null || typeof inner !== 'object' || Array.isArray(inner)) return inner;
    const fields = inner as Readonly<Record<string, unknown>>;
    return Object.fromEntries(
      Object.keys(fields)
        .toSorted()
        .map((key) => [key, fields[key]]),
    );
  });
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
