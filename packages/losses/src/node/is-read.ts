/** Whether a column has a type that tables have. @param typeOf - Throws for others. */
export function isRead(typeOf: () => unknown): boolean {
  try {
    typeOf();
    return true;
  } catch {
    return false;
  }
}
