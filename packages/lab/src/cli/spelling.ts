/** The same letters: `lower-bound` and `lowerBound`. */
const plain = (text: string): string => text.replaceAll(/[-_ ]/gu, '').toLowerCase();

/** Whether two names are equal but for two letters at one place. */
function isAlike(one: string, other: string): boolean {
  const least = Math.min(one.length, other.length);
  let start = 0;
  while (start < least && one[start] === other[start]) start++;
  let end = 0;
  while (end < least - start && one.at(-1 - end) === other.at(-1 - end)) end++;
  return Math.max(one.length, other.length) - start - end <= 2 && start + end >= least / 2;
}

/**
 * The name that is meant by a misspelt one, if any. Usage errors load no other package, so that this knows
 * fewer mistakes than `nearestName`.
 */
export const meantBy = (given: string, known: readonly string[]): string | undefined =>
  known.find((one) => plain(one) === plain(given)) ?? known.find((one) => isAlike(plain(one), plain(given)));
