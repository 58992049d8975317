/**
 * `npm run quick [-- --since REF]`: what a change of a few files needs at once, within a minute. Builds;
 * checks all types and lints what changed; runs the tests of the changed packages that import it, and the
 * laws that calculate or search, for the plugins it defines or the kinds it belongs to. `npm test` decides.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { touched } from './touched.mjs';

const root = fileURLToPath(new URL('../', import.meta.url));
const began = performance.now();
const secondsSince = (/** @type {number} */ from) => `${((performance.now() - from) / 1000).toFixed(1)} s`;
const { since } = parseArgs({ options: { since: { type: 'string', default: 'HEAD' } } }).values;

/** @param {readonly string[]} parameters */
function git(...parameters) {
  const { status, stdout, stderr } = spawnSync('git', parameters, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${parameters.join(' ')}: ${stderr}`);
  return stdout.split('\n').filter((line) => line !== '');
}

const listed = [...git('diff', '--name-only', since), ...git('ls-files', '--others', '--exclude-standard')];
const changed = [...new Set(listed)].filter((file) => existsSync(join(root, file)));
const sources = changed.filter((file) => /\.(?:ts|mjs)$/u.test(file));
const { packages, kinds, names } = touched(changed, {
  read: (file) => readFileSync(join(root, file), 'utf8'),
  sourcesIn: (folder) =>
    readdirSync(join(root, folder))
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .map((file) => `${folder}/${file}`),
});

/**
 * Runs a program and prints one line; what it says only if it fails.
 * @param {string} title
 * @param {readonly string[]} program a file of the repository, and its parameters
 * @param {Readonly<Record<string, string>>} variables
 * @returns {Promise<boolean>}
 */
const step = (title, [script = '', ...parameters], variables = {}) =>
  new Promise((resolve) => {
    const from = performance.now();
    const env = { ...process.env, LETHE_DIST: '1', NO_COLOR: '1', FORCE_COLOR: '0', ...variables };
    const child = spawn(process.execPath, [join(root, script), ...parameters], { cwd: root, env });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (bytes) => {
        said += String(bytes);
      });
    child.on('close', (code) => {
      const tests = /^ *Tests +(.*)$/mu.exec(said)?.[1] ?? '';
      process.stdout.write(
        `${code === 0 ? 'ok    ' : 'FAILED'} ${secondsSince(from).padStart(8)}  ` +
          `${title}${tests === '' ? '' : `: ${tests}`}\n${code === 0 ? '' : said}`,
      );
      resolve(code === 0);
    });
  });

/** @param {readonly (() => Promise<boolean>)[]} steps */
async function inOrder(steps) {
  const results = [];
  for (const one of steps) results.push(await one());
  return results;
}

const tsc = 'node_modules/@typescript/native/bin/tsc';
const vitest = 'node_modules/vitest/vitest.mjs';
const remembered = ['--incremental', '--tsBuildInfoFile', 'node_modules/.cache/lethe-check.tsbuildinfo'];
/** @type {(() => Promise<boolean>)[]} */
const reading = [
  () => step('types of everything', [tsc, '--noEmit', '-p', 'tsconfig.check.json', ...remembered]),
];
if (sources.length > 0)
  reading.push(() => step(`lint of ${sources.length} files`, ['node_modules/oxlint/bin/oxlint', ...sources]));
reading.push(() =>
  step(`formatting of ${sources.length} files`, [
    'node_modules/oxfmt/bin/oxfmt',
    '--check',
    '--no-error-on-unmatched-pattern',
    ...sources,
  ]),
);
/** @type {(() => Promise<boolean>)[]} */
const running = [];
if (packages.length > 0) {
  const projects = packages.flatMap((name) => ['--project', `@lethe/${name}`]);
  running.push(() =>
    step(`tests of ${packages.join(', ')} that import what changed`, [
      vitest,
      'related',
      '--run',
      '--passWithNoTests',
      '--maxWorkers=1',
      ...projects,
      ...sources,
    ]),
  );
}
if (kinds.length > 0) {
  const chosen = names === undefined ? [] : ['-t', `(?:${names.join('|')})(?: #\\d+)?(?: |$)`];
  const suites = kinds.map((kind) => `tools/conformance/test/laws/${kind}.test.ts`);
  running.push(() =>
    step(
      'exact and searching laws of ' +
        `${kinds.join(', ')}${names === undefined ? '' : `, for ${names.join(', ')}`}`,
      [vitest, 'run', '--maxWorkers=1', '--project', 'conformance', ...suites, ...chosen],
      { LETHE_TIERS: 'exact,search', LETHE_EFFORT: '0.25' },
    ),
  );
}

const built = await step('build', [tsc, '-b']);
// What is not built cannot be tested: siblings are taken as built.
const results = [built, ...(built ? (await Promise.all([inOrder(reading), inOrder(running)])).flat() : [])];
process.stdout.write(
  `${results.every(Boolean) ? 'ok' : 'FAILED'} in ${secondsSince(began)}, ` +
    `${changed.length} changed files; npm test decides\n`,
);
process.exitCode = results.every(Boolean) ? 0 : 1;
