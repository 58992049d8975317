const digits = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Two hexadecimal digits a byte. */
export function hexOf(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += digits[byte];
  return text;
}

/** The bytes whose {@link hexOf} is `text`; `null` for other text. */
export function bytesOfHex(text: string): Uint8Array | null {
  if (text.length % 2 !== 0) return null;
  const bytes = new Uint8Array(text.length / 2);
  for (let i = 0; i < bytes.length; i++) {
    const high = digitAt(text, 2 * i);
    const low = digitAt(text, 2 * i + 1);
    if (high < 0 || low < 0) return null;
    bytes[i] = 16 * high + low;
  }
  return bytes;
}

/** The value of a hexadecimal digit in lower case; -1 for another character. */
function digitAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code >= 48 && code <= 57) return code - 48;
  return code >= 97 && code <= 102 ? code - 87 : -1;
}

/** The memory of an array, without a copy. */
export const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** Whether two arrays hold the same bytes: a plain loop, since silos compare whole points in every round. */
export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
