/**
 * Adds up what `npm test` saw.
 * @param {readonly boolean[]} checks whether each check outside the test runner succeeded
 * @param {boolean} green whether the test runner exited without failure
 * @param {Pick<import('../vitest.summary.ts').Summary, 'passed' | 'failed'> | undefined} summary what it reported, if it came that far
 * @returns {{ passed: number, failed: number }} a runner that saw no test
 * pass, or failed without naming a failure, counts as one failure
 */
export function tally(checks, green, summary) {
  const passed = summary?.passed ?? 0;
  const failed = summary?.failed ?? 0;
  const unexplained = failed === 0 && (!green || passed === 0) ? 1 : 0;
  const held = checks.filter(Boolean).length;
  return { passed: held + passed, failed: checks.length - held + failed + unexplained };
}

/**
 * What the tests are: many are checks of laws, mutants or claims, and some loop over combinations.
 * @param {import('../vitest.summary.ts').Counts} counts
 */
export const countsLine = ({ tests, laws, cells, mutants, claims }) =>
  `${tests} tests passed, among them ${laws} checks of laws, ${mutants} mutants found and ${claims} ` +
  `checks of claims of papers; ${cells} combinations in loops`;

/**
 * The files that took longest, one line each.
 * @param {Readonly<Record<string, number>>} seconds by file
 */
export const slowestLines = (seconds, most = 10) =>
  Object.entries(seconds)
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, most)
    .map(([file, time]) => `${time.toFixed(1).padStart(7)} s  ${file}`);

/** Files that take less are all alike to the order in which they are run. */
const shortest = 2;

/**
 * The text of `tools/durations.json`: whole seconds of the files that are not short, longest first.
 * @param {Readonly<Record<string, number>>} seconds by file
 */
export const durationsText = (seconds) =>
  `${JSON.stringify(
    Object.fromEntries(
      Object.entries(seconds)
        .filter(([, time]) => time >= shortest)
        .map(([file, time]) => /** @type {const} */ ([file, Math.round(time)]))
        .toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)),
    ),
    null,
    2,
  )}\n`;

/** @param {{ passed: number, failed: number }} total */
export const closingLine = ({ passed, failed }) => `${passed} passed, ${failed} failed`;
