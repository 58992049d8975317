/* oxlint-disable no-console -- prints its results */
/**
 * `LETHE_EFFORT=full LETHE_DIST=all npx vitest run tools/mutants packages/claims --reporter=json
 * --outputFile=FILE`, then `node tools/mutants/slow.mjs FILE`: stores the seconds of slow mutants of laws and
 * of claims, and of slow correct subjects, from which the day chooses what only the night tries. Measure on a
 * quiet machine.
 */
import { readFileSync, writeFileSync } from 'node:fs';

/** Seconds from which a mutant or a correct subject is slow. */
const least = 0.4;

/** @typedef {{ ancestorTitles: string[], title: string, duration?: number }} Test */
/** @type {{ testResults: { name: string, assertionResults: Test[] }[] }} */
const report = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));

/** @param {Test} test */
const ofLaws = ({ ancestorTitles }) => {
  const title = ancestorTitles.at(-1) ?? '';
  return (/^(\S+): /u.exec(title) ?? /^\S+ (.+), correct/u.exec(title))?.[1];
};
/** @param {Test} test */
const ofClaims = ({ ancestorTitles, title }) =>
  (ancestorTitles.at(-1) ?? '').startsWith('mutants of rows') ? /^(.+?): /u.exec(title)?.[1] : undefined;

/** @param {string} place @param {(test: Test) => string | undefined} idOf @param {string} file */
function store(place, idOf, file) {
  /** @type {Record<string, number>} */
  const seconds = {};
  for (const test of report.testResults.flatMap((one) =>
    one.name.includes(place) ? one.assertionResults : [],
  )) {
    const [id, { duration = 0 }] = [idOf(test), test];
    if (id !== undefined && duration >= 1000 * least) seconds[id] = Math.round(duration / 100) / 10;
  }
  const sorted = Object.fromEntries(Object.entries(seconds).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(new URL(`../../${file}`, import.meta.url), `${JSON.stringify(sorted, null, 2)}\n`);
  console.log(`${file}: ${Object.keys(sorted).length} are slow`);
}

store('/tools/mutants/', ofLaws, 'tools/mutants/slow.json');
store('/packages/claims/', ofClaims, 'packages/claims/test/slow.json');
