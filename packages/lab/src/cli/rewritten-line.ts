import { printable } from './printable.js';

/** A line on a terminal that is written over. Without a terminal nothing is shown. */
export interface RewrittenLine {
  readonly isShown: boolean;
  show(text: string): void;
  /** Before lines that stay, and at the end. */
  clear(): void;
}

/**
 * A line at the end of what is on the terminal.
 *
 * @param rewrite - Writes to the terminal without escaping.
 * @param terminal - What is known of it; by default that of stderr.
 */
export function rewrittenLine(
  rewrite: (text: string) => void,
  terminal: { readonly isTTY?: boolean; readonly columns?: number } = process.stderr,
): RewrittenLine {
  const isShown = terminal.isTTY === true;
  let isThere = false;
  const put = (text: string): void => rewrite(`\r\u001B[K${text}`);
  return {
    isShown,
    show(text) {
      if (!isShown) return;
      isThere = true;
      // A terminal without a size says 0 columns.
      put(printable(text).slice(0, Math.max(20, (terminal.columns || 80) - 1)));
    },
    clear() {
      if (isThere) put('');
      isThere = false;
    },
  };
}
