/** `npm start`: two simulations and their report, then a private model of flights and what it predicts. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const experiments = 'packages/lab/experiments';
const out = 'results/flights';
const model = `${out}/model.json`;
// In this checkout, so that trying it out spends nothing elsewhere.
const env = { ...process.env, LETHE_HOME: join(root, '.lethe') };

const begun = Date.now();
const simulations = [`${experiments}/flights.yaml`, `${experiments}/heavy-tails.yaml`];
lethe('run', ...simulations, '--out', out, '--jobs', '2', '--again');
const records = 'node_modules/vega-datasets/data/flights-3m.parquet';
const schema = ['--schema', `${experiments}/flights.schema.yaml`];
const method = ['--epsilon', '1', '--set', 'steps=100'];
lethe('train', records, ...schema, ...method, '--out', model, '--again', '--yes');
lethe('predict', model, `${experiments}/flights-new.csv`, '--keep', 'flight');
console.log(`\nDone in ${Math.round((Date.now() - begun) / 1000)} s. Open ${out}/report.html.`);

/**
 * Runs a command as a user would, and ends with its code where it fails.
 *
 * @param {readonly string[]} args
 */
function lethe(...args) {
  console.log(`\n$ npx lethe ${args.join(' ')}\n`);
  const { status } = spawnSync(process.execPath, ['packages/lab/bin/lethe.mjs', ...args], {
    cwd: root,
    env,
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
}
