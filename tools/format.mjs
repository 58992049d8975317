/**
 * `npm run format`: formats the code, as often as something
 * changes: a few shapes settle only on the second pass.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const formatter = fileURLToPath(new URL('../node_modules/oxfmt/bin/oxfmt', import.meta.url));
/** @param {readonly string[]} options */
const run = (options) =>
  spawnSync(process.execPath, [formatter, ...options], { cwd: root, stdio: 'inherit' }).status ?? 1;

const passes = 4;
let status = 1;
for (let pass = 0; pass < passes && status !== 0; pass++) status = run([]) === 0 ? run(['--check']) : 1;
process.exitCode = status;
