const hidden = /(?![\n\t])\p{Cc}|[\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu;

/**
 * Text that a terminal shows and does not obey: control characters but line ends and tabs, and those that
 * turn the direction of writing, as escapes of JSON. Everything that a command says goes through here.
 */
export const printable = (text: string): string =>
  text.replaceAll(hidden, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
