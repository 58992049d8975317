const hidden = /(?![\n\t])\p{Cc}|[\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu;

/**
 * Escapes control characters (except line ends and tabs) and direction marks as in JSON, so that a terminal
 * shows them. All output of commands passes through here.
 */
export const printable = (text: string): string =>
  text.replaceAll(hidden, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
