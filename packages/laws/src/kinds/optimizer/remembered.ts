/** Cache of results per object, by name; it lives as long as the object. */
import { defined } from '@lethe/numerics';

export type Memory<Of extends object, Value> = WeakMap<Of, Map<string, Value>>;

/** The cached result of this name, or that of `find`. Errors are not cached. */
export function remembered<Of extends object, Value>(
  memory: Memory<Of, Value>,
  of: Of,
  name: string,
  find: () => Value,
): Value {
  const known = memory.get(of) ?? new Map<string, Value>();
  memory.set(of, known);
  const value = known.has(name) ? defined(known.get(name)) : find();
  known.set(name, value);
  return value;
}
