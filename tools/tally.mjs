/**
 * Adds up what `npm test` saw.
 * @param {readonly boolean[]} checks whether each check outside the test runner succeeded
 * @param {boolean} green whether the test runner exited without failure
 * @param {import('../vitest.summary.ts').Summary | undefined} summary what it reported, if it came that far
 * @returns {{ passed: number, failed: number }} a runner that saw no test pass, or failed without naming a failure, counts as one failure
 */
export function tally(checks, green, summary) {
  const passed = summary?.passed ?? 0;
  const failed = summary?.failed ?? 0;
  const unexplained = failed === 0 && (!green || passed === 0) ? 1 : 0;
  const held = checks.filter(Boolean).length;
  return { passed: held + passed, failed: checks.length - held + failed + unexplained };
}

/** @param {{ passed: number, failed: number }} total */
export const closingLine = ({ passed, failed }) => `${passed} passed, ${failed} failed`;
