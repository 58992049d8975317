import type { Fact } from './fact.js';

/**
 * The fact about one coordinate of the iterate: an entry of the fact `name` that lists one number for each,
 * or the fact `name.j`; `undefined` where there is neither.
 */
export function coordinateFact(
  facts: Readonly<Record<string, Fact>>,
  name: string,
  coordinate: number,
): Fact | undefined {
  const listed = facts[name];
  const value = listed?.each?.[coordinate];
  if (listed === undefined || value === undefined) return facts[`${name}.${coordinate}`];
  return { value, scope: listed.scope, provenance: listed.provenance };
}
