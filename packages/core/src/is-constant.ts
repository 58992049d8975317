/** Values that were found deeply frozen: they stay it. */
const constants = new WeakSet<object>();

/** What plain data inherit from: others may inherit fields that change. */
const plain: ReadonlySet<unknown> = new Set([null, Object.prototype, Array.prototype]);

/**
 * Whether a value is deeply frozen: no accessors, no fields that are inherited, and no typed arrays, since
 * those cannot be frozen.
 */
export function isConstant(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return typeof value !== 'function';
  if (constants.has(value)) return true;
  if (!Object.isFrozen(value) || ArrayBuffer.isView(value)) return false;
  if (!plain.has(Object.getPrototypeOf(value))) return false;
  const isDeep = Object.values(Object.getOwnPropertyDescriptors(value)).every(
    (field) => 'value' in field && isConstant(field.value),
  );
  if (isDeep) constants.add(value);
  return isDeep;
}
