/** Whether a value is deeply frozen: no accessors, and no typed arrays, since those cannot be frozen. */
export function isConstant(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return typeof value !== 'function';
  if (!Object.isFrozen(value) || ArrayBuffer.isView(value)) return false;
  return Object.values(Object.getOwnPropertyDescriptors(value)).every(
    (field) => 'value' in field && isConstant(field.value),
  );
}
