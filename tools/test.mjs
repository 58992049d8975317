/**
 * `npm test`: builds, checks and tests everything, and goes on after a failure so that one run shows them
 * all. Every check and every test counts as one. The last line is `N passed, N failed`; the exit code is 0
 * only if tests ran and nothing failed. No step reads a cache of results. `npm test -- --durations` also
 * stores how long each file took, by which files are ordered: on a quiet machine, where that has changed.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { closingLine, countsLine, durationsText, slowestLines, tally } from './tally.mjs';

const root = fileURLToPath(new URL('../', import.meta.url));
const temporary = mkdtempSync(join(tmpdir(), 'lethe-test-'));
const summaryFile = join(temporary, 'summary.json');
/** @type {boolean[]} */
const checks = [];

/**
 * @param {string} title
 * @param {string} script a program of node_modules, or a file of the repository
 * @param {readonly string[]} parameters
 * @param {{ readonly isAlone?: boolean, readonly variables?: Readonly<Record<string, string>> }} options - What
 * runs beside others prints when it has ended; `variables` are of its environment.
 * @returns {Promise<boolean>}
 */
function step(title, script, parameters, { isAlone = false, variables = {} } = {}) {
  if (isAlone) process.stdout.write(`\n── ${title}\n`);
  const started = performance.now();
  const child = spawn(process.execPath, [join(root, script), ...parameters], {
    cwd: root,
    stdio: isAlone ? 'inherit' : 'pipe',
    env: { ...process.env, ...variables },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text) => {
      said += text;
    });
  return new Promise((resolve) => {
    child.on('close', (code) => {
      process.stdout.write(
        `${isAlone ? '' : `\n── ${title}\n${said}`}── ${title}: ${code === 0 ? 'ok' : 'FAILED'}, ` +
          `${((performance.now() - started) / 1000).toFixed(1)} s\n`,
      );
      resolve(code === 0);
    });
  });
}

/** @param {string} title @param {string} script @param {readonly string[]} parameters */
async function check(title, script, parameters) {
  checks.push(await step(title, script, parameters));
}

const tsc = 'node_modules/@typescript/native/bin/tsc';
// Something else runs on the other processor; threads of one compiler do part of its work twice.
const inOneThread = '--singleThreaded';
const packages = readdirSync(join(root, 'packages')).filter((name) =>
  existsSync(join(root, 'packages', name, 'package.json')),
);

// A leftover of an earlier build must not stand in for a file that is gone.
for (const name of packages) rmSync(join(root, 'packages', name, 'dist'), { recursive: true, force: true });
async function buildAndUses() {
  // Types are checked once, by the step of that name.
  await check('build', tsc, ['-b', '--noCheck', inOneThread]);
  await check('command', 'tools/command.mjs', []);
  await check('unused files, exports and dependencies', 'node_modules/knip/bin/knip.js', []);
}
async function textAndTypes() {
  await check('lint', 'node_modules/oxlint/bin/oxlint', []);
  await check('format', 'node_modules/oxfmt/bin/oxfmt', ['--check']);
  await check('lockfile', 'tools/release-checks/src/lockfile.mjs', []);
  // One program for all packages and tools: what many of them read is checked once.
  await check('types', tsc, ['--noEmit', '-p', 'tsconfig.check.json', inOneThread]);
}
// Two at a time: each alone leaves a processor idle for a while.
await Promise.all([buildAndUses(), textAndTypes()]);

rmSync(summaryFile, { force: true });
// Tests take what was just built; the checks before read sources.
const green = await step('tests', 'node_modules/vitest/vitest.mjs', ['run'], {
  isAlone: true,
  variables: { LETHE_SUMMARY: summaryFile, LETHE_DIST: 'all' },
});
/** @type {import('../vitest.summary.ts').Summary | undefined} */
let summary;
try {
  summary = JSON.parse(readFileSync(summaryFile, 'utf8'));
} catch {
  process.stdout.write('the tests left no summary\n');
}
rmSync(temporary, { recursive: true, force: true });

for (const name of summary?.skipped ?? []) process.stdout.write(`skipped: ${name}\n`);
if (summary !== undefined)
  process.stdout.write(
    `\nthe slowest files:\n${slowestLines(summary.seconds).join('\n')}\n${countsLine(summary.counts)}\n`,
  );
if (green && summary !== undefined && process.argv.includes('--durations'))
  writeFileSync(join(root, 'tools/durations.json'), durationsText(summary.seconds));
const total = tally(checks, green, summary);
process.stdout.write(`\n${closingLine(total)}\n`);
process.exitCode = total.failed === 0 ? 0 : 1;
