/** How far a search of a law is: inputs tried, of how many. */
export type Progress = (tried: number, of: number) => void;

/** When progress is said, in milliseconds. */
export interface Pace {
  /** Nothing is said of what is quicker. */
  readonly first: number;
  /** Least time between two reports. */
  readonly every: number;
  /** @defaultValue milliseconds of the process */
  readonly clock?: () => number;
}

/** The pace of lines that stay. */
export const linesPace: Pace = { first: 20_000, every: 20_000 };

/**
 * Progress of one check in words, such as `340 of 1000 inputs, 12 s`; nothing of a quick one.
 *
 * @param say - Receives the words.
 */
export function slowProgress(
  say: (text: string) => void,
  // No finding depends on this clock.
  // oxlint-disable-next-line no-restricted-globals
  { first, every, clock = () => performance.now() }: Pace,
): Progress {
  const began = clock();
  let next = began + first;
  return (tried, of) => {
    const now = clock();
    if (now < next) return;
    next = now + every;
    say(`${tried} of ${of} inputs, ${Math.round((now - began) / 1000)} s`);
  };
}
