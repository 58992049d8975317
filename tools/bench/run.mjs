/* oxlint-disable no-console -- prints its results */
import { spawnSync } from 'node:child_process';
import { availableParallelism, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { readOptions, usage } from './options.mjs';
import { findPython, startReference } from './python.mjs';
import { writeResults } from './results.mjs';
import { runCase } from './run-case.mjs';
import { shortLine, tableOf } from './table.mjs';

const say = (/** @type {string} */ text) => void process.stderr.write(`${text}\n`);

/** @type {ReturnType<typeof readOptions>} */
let options;
try {
  options = readOptions(process.argv.slice(2));
} catch (error) {
  say(`${error instanceof Error ? error.message : error}\n\n${usage}`);
  process.exit(2);
}
if (options.help) {
  process.stdout.write(usage);
  process.exit(0);
}
if (options.build) {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (status !== 0) {
    say('The packages do not build; fix them, or run the last build with --no-build.');
    process.exit(1);
  }
}

const { cases } = await import('./cases/all.mjs');
const chosen = cases.filter(
  ({ name }) => options.filters.length === 0 || options.filters.some((filter) => name.includes(filter)),
);
if (options.list || chosen.length === 0) {
  if (chosen.length === 0) say(`No case matches ${options.filters.join(' or ')}. The cases are:`);
  process.stdout.write(
    `${(chosen.length === 0 ? cases : chosen).map(({ name, what }) => `${name}\t${what}`).join('\n')}\n`,
  );
  process.exit(options.list ? 0 : 2);
}

const python = findPython();
say(
  python === null
    ? 'No python3 with numpy was found: the table has our times only, and no goal is judged. ' +
        'Install numpy (on Debian: python3-numpy) for a comparison.'
    : `Reference: numpy ${python.numpy}.`,
);
const busy = loadavg()[0];
if (busy > 0.5)
  say(
    `This machine is busy (load ${busy.toFixed(1)} on ${availableParallelism()} processors): ` +
      'ratios will vary, and "at best" is more reliable.',
  );
/** @type {Map<number, import('./python.mjs').Reference>} */
const references = new Map();
const referenceFor = (/** @type {number} */ threads) => {
  if (python === null) return null;
  const known = references.get(threads) ?? startReference(python, threads);
  references.set(threads, known);
  return known;
};

/** @type {import('./run-case.mjs').Result[]} */
const results = [];
/** @type {unknown} */
let about = null;
const reportSoFar = () => ({
  node: process.version,
  processors: availableParallelism(),
  pairs: options.pairs,
  load: { before: busy, after: loadavg()[0] },
  reference: about,
  results,
});
for (const given of chosen) {
  const { name, what, unit } = given;
  say(`${name} …`);
  try {
    results.push(await runCase(given, referenceFor, options));
  } catch (error) {
    results.push({ name, what, unit, failed: error instanceof Error ? error.message : String(error) });
  }
  say(`  ${shortLine(results[results.length - 1])}`);
  // What is done is kept, also of a run that is stopped.
  if (!options.once) writeResults(reportSoFar());
}
if (references.size > 0) about = await references.values().next().value?.ask({ do: 'about' });
for (const reference of references.values()) reference.stop();

const report = reportSoFar();
if (options.once) {
  const failed = results.filter((result) => result.failed !== undefined);
  say(`${results.length - failed.length} of ${results.length} cases ran.`);
  for (const { name, failed: why } of failed) say(`failed: ${name}: ${why}`);
} else {
  writeResults(report);
  process.stdout.write(options.json ? `${JSON.stringify(report, null, 2)}\n` : `\n${tableOf(results)}`);
}
process.exitCode = results.some(({ failed }) => failed !== undefined) ? 1 : 0;
