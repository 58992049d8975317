import { printable } from '../cli/printable.js';

/** Progress of a run on a terminal. Writes to stderr only. */
export interface Progress {
  /** Names what is being done. */
  phase(text: string): void;
  /** Prints a line that is not overwritten. */
  warn(text: string): void;
  /** Begins to count: so many steps are to come. */
  start(steps: number): void;
  /** Counts one step as done. */
  step(text: string): void;
  /** For drivers: yields to the event loop from time to time, so that interrupts arrive. */
  pause(): Promise<void> | undefined;
  /** Clears the line of progress. */
  end(): void;
}

interface Terminal {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

const breathEvery = 50;
const lineEvery = 5_000;

/** Progress that nobody watches; it lets the event loop run. */
export const silentProgress = (): Progress => ({
  ...terminalProgress({ write: () => true }),
  warn: () => undefined,
});

/** Progress as one rewritten line on a terminal, or as a line every few seconds elsewhere. */
export function terminalProgress(out: Terminal = process.stderr, now: () => number = Date.now): Progress {
  let total = 0;
  let done = 0;
  let begun = now();
  let lastBreath = begun;
  let lastLine = begun;
  const show = (shown: string, force: boolean): void => {
    const text = printable(shown);
    if (out.isTTY === true) {
      // A terminal without a size says 0 columns.
      out.write(`\r\u001B[K${text.slice(0, Math.max(20, (out.columns || 80) - 1))}`);
      return;
    }
    if (!force && now() - lastLine < lineEvery) return;
    lastLine = now();
    out.write(`${text}\n`);
  };
  return {
    phase(text) {
      show(text, true);
    },
    warn(text) {
      out.write(`${out.isTTY === true ? '\r\u001B[K' : ''}warning: ${text}\n`);
    },
    start(steps) {
      total = steps;
      done = 0;
      begun = now();
    },
    step(text) {
      done += 1;
      const left = Math.round((((now() - begun) / done) * (total - done)) / 1000);
      show(`[${done}/${total}, ${left} s left] ${text}`, done === total);
    },
    pause() {
      if (now() - lastBreath < breathEvery) return undefined;
      lastBreath = now();
      return new Promise((resolve) => {
        setImmediate(resolve);
      });
    },
    end() {
      if (out.isTTY === true) out.write('\r\u001B[K');
    },
  };
}
