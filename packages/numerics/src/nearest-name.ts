/** Maximum edit distance for a misspelt name. */
const mostEdits = (name: string): number => Math.max(1, Math.floor(name.length / 3));
/** Longer names are not compared. */
const longest = 64;

/** Edit distance: insertions, deletions, replacements, and swaps of two neighbours. */
function edits(from: string, to: string): number {
  let before: readonly number[] = [];
  let row: readonly number[] = Array.from({ length: to.length + 1 }, (_, j) => j);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const isSwap = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      next.push(
        Math.min(
          next[j - 1] + 1,
          row[j] + 1,
          row[j - 1] + (from[i - 1] === to[j - 1] ? 0 : 1),
          isSwap ? before[j - 2] + 1 : Infinity,
        ),
      );
    }
    [before, row] = [row, next];
  }
  return row[to.length];
}

/**
 * The known name closest to a misspelt `name`, for error messages. Case is ignored.
 *
 * @returns `undefined` when more than a third of the letters of every known name would have to change.
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > longest) return undefined;
  let nearest: string | undefined;
  let least = Infinity;
  for (const candidate of known) {
    if (candidate.length > longest) continue;
    const distance = edits(name.toLowerCase(), candidate.toLowerCase());
    if (distance < least && distance <= mostEdits(candidate)) [nearest, least] = [candidate, distance];
  }
  return nearest;
}
