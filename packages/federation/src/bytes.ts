/** Parts of a message, one after another. */
export type Parts = readonly Uint8Array[];

/** The parts in one array: the part itself where there is one. */
export function joinedBytes(parts: Parts): Uint8Array {
  if (parts.length === 1) return parts[0];
  const bytes = new Uint8Array(parts.reduce((size, { length }) => size + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
