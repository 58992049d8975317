/* oxlint-disable no-console -- prints its results */
/**
 * `LETHE_EFFORT=full LETHE_DIST=all npx vitest run tools/mutants --reporter=json --outputFile=FILE`, then
 * `node tools/mutants/slow.mjs FILE`: stores the seconds of slow mutants and of slow correct subjects in
 * `slow.json`, from which `src/by-day.ts` chooses what only the night tries. Measure on a quiet machine.
 */
import { readFileSync, writeFileSync } from 'node:fs';

/** Seconds from which a mutant or a correct subject is slow. */
const least = 0.4;

/** @type {{ testResults: { assertionResults: { ancestorTitles: string[], duration?: number }[] }[] }} */
const report = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));
/** @type {Record<string, number>} */
const seconds = {};
for (const { assertionResults } of report.testResults)
  for (const { ancestorTitles, duration = 0 } of assertionResults) {
    const title = ancestorTitles.at(-1) ?? '';
    const id = (/^(\S+): /u.exec(title) ?? /^\S+ (.+), correct/u.exec(title))?.[1];
    if (id !== undefined && duration >= 1000 * least) seconds[id] = Math.round(duration / 100) / 10;
  }
const sorted = Object.fromEntries(Object.entries(seconds).toSorted(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(new URL('slow.json', import.meta.url), `${JSON.stringify(sorted, null, 2)}\n`);
console.log(`${Object.keys(sorted).length} are slow`);
