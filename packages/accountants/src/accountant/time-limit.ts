import { type AccountingContext, InvalidParameter } from '@lethe/core';

/** How long one question may take. */
export interface TimeOptions {
  /**
   * Seconds after which a question ends with the best interval so far, `[0, ∞]` or `[0, 1]` if there is none.
   * Computations look at the clock at times, so that a question may take some seconds longer.
   */
  readonly seconds: number;
  /** A clock in seconds that is never set back. */
  readonly now: () => number;
}

type Signal = NonNullable<AccountingContext['signal']>;

/** The time of one question, from its beginning. */
export interface TimeLimit {
  /** Throws when the time is over, or as another signal does. */
  readonly signal: Signal;
  /** Whether an error says that the time is over. */
  isOver(error: unknown): boolean;
  readonly seconds: number;
}

/** @throws {InvalidParameter} unless the seconds are positive. */
export function assertTime(time: TimeOptions | undefined): void {
  if (time === undefined || time.seconds > 0) return;
  const { seconds } = time;
  throw new InvalidParameter(`the time limit is ${seconds} seconds; it must be positive`, { seconds });
}

/** Starts the time of a question. */
export function startTime(time: TimeOptions | undefined, other?: Signal): TimeLimit | undefined {
  if (time === undefined) return undefined;
  const { seconds, now } = time;
  const end = now() + seconds;
  const over = new Error(`no answer within ${seconds} s`);
  return {
    seconds,
    isOver: (error) => error === over,
    signal: {
      throwIfAborted() {
        other?.throwIfAborted();
        if (now() > end) throw over;
      },
    },
  };
}
