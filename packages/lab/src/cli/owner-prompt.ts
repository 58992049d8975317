import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from './command.js';

/** Asks the owner of a silo about one plan after another, by the lines that are typed. */
export interface OwnerPrompt {
  /**
   * Whether the owner takes part. A line that was typed before the question is no answer to it. Where the
   * question before was taken back unanswered, a yes may have been meant for that, and the owner types the
   * first characters of the plan instead.
   *
   * @param plan - The digest of the plan, in hexadecimal, as the owner was shown it.
   * @param over - Aborted when the question is taken back; the answer is then no.
   */
  agrees(plan: string, over: AbortSignal): Promise<boolean>;
  close(): void;
}

/** Characters of a plan that are typed. */
const typed = 4;

/**
 * @param say - Shows a question.
 * @param early - Seconds before a question in which what comes was typed before it: a terminal keeps lines
 * that nobody has read. 0 for input that is no terminal, which may be written beforehand.
 */
export function ownerPrompt(input: Context['input'], say: (text: string) => void, early = 0): OwnerPrompt {
  const lines = linesOf(input);
  let isTakenBack = false;
  return {
    async agrees(plan, over) {
      const word = isTakenBack ? plan.slice(0, typed) : null;
      isTakenBack = false;
      await lines.skip(early);
      say(word === null ? 'Take part in this run? [y/N] ' : replaced(word));
      for (;;) {
        // oxlint-disable-next-line no-await-in-loop -- one line after another
        const line = await lines.next(over);
        if (over.aborted) {
          isTakenBack = true;
          return false;
        }
        if (word === null || !isYes(line)) return word === null ? isYes(line) : line.trim() === word;
        say(replaced(word));
      }
    },
    close: () => lines.close(),
  };
}

const replaced = (word: string): string =>
  `The plan before this one was taken back. To take part in this one, type the first ${typed} characters ` +
  `of its plan, ${word}: `;
const isYes = (line: string): boolean => /^y(es)?$/iu.test(line.trim());

interface Lines {
  /** The next line; empty at the end of the input, and where it is not waited for any more. */
  next(over: AbortSignal): Promise<string>;
  /** Drops what has come since it was waited for in vain, and what comes within so many seconds. */
  skip(seconds: number): Promise<void>;
  close(): void;
}

/** The lines that an owner types, asked for one after another. */
function linesOf(input: Context['input']): Lines {
  let source: AsyncIterable<Uint8Array> | null = null;
  let chunks: AsyncIterator<Uint8Array> | null = null;
  let pending: Promise<IteratorResult<Uint8Array>> | null = null;
  const decoder = new TextDecoder();
  const opened = (): AsyncIterator<Uint8Array> => {
    source ??= input();
    chunks ??= source[Symbol.asyncIterator]();
    return chunks;
  };
  return {
    async next(over) {
      const from = opened();
      const ended = new Promise<null>((settle) => {
        over.addEventListener('abort', () => settle(null), { once: true });
      });
      let text = '';
      while (!text.includes('\n')) {
        // One that was not waited for any more is read by the next question, if it comes after that.
        pending ??= from.next();
        // oxlint-disable-next-line no-await-in-loop -- one chunk after another
        const next = await Promise.race([pending, ended]);
        if (next === null) return '';
        pending = null;
        if (next.done === true) break;
        text += decoder.decode(next.value, { stream: true });
      }
      return text.split('\n')[0];
    },
    async skip(seconds) {
      const over = seconds === 0 ? Promise.resolve(null) : sleep(1000 * seconds, null);
      for (;;) {
        if (seconds > 0) pending ??= opened().next();
        if (pending === null) return;
        // oxlint-disable-next-line no-await-in-loop -- one chunk after another
        const early = await Promise.race([pending, over]);
        // The end of the input stays.
        if (early === null || early.done === true) return;
        pending = null;
      }
    },
    close() {
      // An open input keeps the process alive.
      if (source !== null && 'destroy' in source && typeof source.destroy === 'function') source.destroy();
    },
  };
}
