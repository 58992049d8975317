import { afterAll } from 'vitest';

/** What became of the combinations of one group: how many ran, and how many were refused as they must be. */
export interface Tally { readonly group: string; readonly axes: string; ran: number; refused: number; readonly plugins: Set<string> }

/** Counts the combinations of a test file and prints them at its end, so that a shrinking matrix is seen. */
export function printedTally(group: string, axes: { readonly [axis: string]: readonly string[] }): Tally {
  const tally: Tally = { group, axes: Object.entries(axes).map(([axis, values]) => `${axis} ${values.length}`).join(' × '), ran: 0, refused: 0, plugins: new Set() };
  afterAll(() => {
    process.stdout.write(`combinations of ${group}: ${tally.ran} ran, ${tally.refused} refused as they must be (${tally.axes}: ${[...tally.plugins].toSorted().join(', ')})\n`);
  });
  return tally;
}
