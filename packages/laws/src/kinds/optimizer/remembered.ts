/** What several checks of one thing share, by name. It lasts as long as the thing. */
import { defined } from '@lethe/numerics';

export type Memory<Of extends object, Value> = WeakMap<Of, Map<string, Value>>;

/** What was found before under this name, or what `find` finds now. What it throws is not kept. */
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
