/** Values that were found deeply frozen: they stay it. */
const constants = new WeakSet<object>();

/** Whether a value is deeply frozen: no accessors, and no typed arrays, since those cannot be frozen. */
export function isConstant(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return typeof value !== 'function';
  if (constants.has(value)) return true;
  if (!Object.isFrozen(value) || ArrayBuffer.isView(value)) return false;
  const isDeep = Object.values(Object.getOwnPropertyDescriptors(value)).every(
    (field) => 'value' in field && isConstant(field.value),
  );
  if (isDeep) constants.add(value);
  return isDeep;
}
