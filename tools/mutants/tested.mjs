/* oxlint-disable no-console -- prints its results */
/**
 * `npm run mutants:tested -- [ID…]`: runs the named tests of a package on its sources with one bug each, for bugs
 * that no law of a plugin is about: those of the lists in `src/tested`. Fails when one passes its tests.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startVitest } from 'vitest/node';
import { withPatch } from './patches.mjs';

/**
 * @typedef {import('./patches.mjs').Patch & {
 *   readonly id: string;
 *   readonly title: string;
 *   readonly package: string;
 *   readonly killedBy: string;
 *   readonly within?: string;
 * }} Bug A text of a file in `src` of a package, what stands in its place, and the test file that finds it.
 */

const here = fileURLToPath(new URL('src/tested/', import.meta.url));
const packages = fileURLToPath(new URL('../../packages/', import.meta.url));
/** @type {readonly Bug[]} */
const all = readdirSync(here).flatMap((name) => JSON.parse(readFileSync(`${here}${name}`, 'utf8')));
const asked = process.argv.slice(2);
const unknown = asked.filter((id) => !all.some((bug) => bug.id === id));
if (unknown.length > 0) throw new Error(`no bugs are named ${unknown.join(', ')}`);
// Tests of other packages than the first read what is built of it.
process.env['LETHE_DIST'] ??= '1';

let alive = 0;
const bugs = asked.length === 0 ? all : all.filter(({ id }) => asked.includes(id));
for (const bug of bugs) {
  const root = `${packages}${bug.package}/`;
  const file = `${root}src/${bug.file}`;
  if (!existsSync(`${root}${bug.killedBy}`))
    throw new Error(`${bug.id} names tests that are not there: ${bug.killedBy}`);
  const started = performance.now();
  const isPassed = await passes(root, bug.killedBy, (id) =>
    id.replace(/\?.*$/u, '') === file ? withPatch(readFileSync(file, 'utf8'), bug) : undefined,
  );
  if (isPassed) alive++;
  console.log(
    `${isPassed ? 'SURVIVES' : 'killed  '} ${bug.id} (${bug.title}) by ${bug.killedBy} in ` +
      `${((performance.now() - started) / 1000).toFixed(1)} s`,
  );
}
console.log(`${bugs.length - alive} of ${bugs.length} bugs found by the tests they name`);
process.exitCode = alive === 0 ? 0 : 1;

/**
 * Whether every test of a file passes.
 *
 * @param {string} root @param {string} test @param {(id: string) => string | undefined} load
 */
async function passes(root, test, load) {
  let isSilent = true;
  const vitest = await startVitest(
    'test',
    [test],
    { root, watch: false, bail: 1, reporters: [{ onTestRunEnd: () => undefined }], silent: true },
    {
      plugins: [
        {
          name: 'lethe:bug',
          enforce: 'pre',
          load(id) {
            const code = load(id);
            if (code !== undefined) isSilent = false;
            return code;
          },
        },
      ],
    },
  );
  const modules = vitest.state.getTestModules();
  const isPassed = modules.length > 0 && modules.every((module) => module.ok());
  await vitest.close();
  process.exitCode = undefined;
  if (isSilent) console.error(`${test} does not import the file of the next bug`);
  return isPassed;
}
