const minute = 60_000;

/**
 * Which lines are shown of many that strangers can cause: at most `most` of one kind a minute. The function
 * returned tells for each line how many of its kind were left out since the last one that was shown, and
 * `null` for one that is left out itself.
 *
 * @param clock - Milliseconds.
 */
export function linesPerMinute(
  most: number,
  clock = (): number => performance.now(),
): (kind: string) => number | null {
  const kinds = new Map<string, { begun: number; shown: number; leftOut: number }>();
  return (kind) => {
    const now = clock();
    const known = kinds.get(kind) ?? { begun: now, shown: 0, leftOut: 0 };
    kinds.set(kind, known);
    if (now - known.begun >= minute) {
      known.begun = now;
      known.shown = 0;
    }
    if (known.shown >= most) {
      known.leftOut += 1;
      return null;
    }
    known.shown += 1;
    const { leftOut } = known;
    known.leftOut = 0;
    return leftOut;
  };
}
