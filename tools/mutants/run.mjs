/* oxlint-disable no-console -- prints its results */
/**
 * `npm run mutants -- [ID…] [--kind a,b] [--json] [--seeds a,b] [--tight COUNT] [--effort X|suite]`: runs the
 * laws on every mutant of the corpus, or of these kinds, and prints the law that detected it; with `--tight`,
 * runs every law on the correct subjects instead, on COUNT seeds. With `--effort`, laws use X times the
 * inputs and draws; `suite` is the effort of the suites on registered plugins in `npm test`. At the end it
 * says for each kind how many were killed, in how many seconds, and by which laws.
 */
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { createServer, createServerModuleRunner } from 'vite';
import { patches } from './patches.mjs';

const usage =
  'Usage: npm run mutants -- [ID…] [--kind a,b] [--json] [--seeds a,b] [--tight COUNT] [--effort X|suite]';
/** @type {ReturnType<typeof read>} */
let options;
try {
  options = read();
} catch (error) {
  console.error(`${error instanceof Error ? error.message : error}\n${usage}`);
  process.exit(2);
}
function read() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      kind: { type: 'string' },
      json: { type: 'boolean', default: false },
      seeds: { type: 'string' },
      tight: { type: 'string' },
      effort: { type: 'string' },
    },
  });
  const tight = values.tight === undefined ? undefined : Number(values.tight);
  if (tight !== undefined && !(Number.isSafeInteger(tight) && tight > 0))
    throw new Error(`--tight is '${values.tight}'; give a number of seeds`);
  /** @type {number | 'suite'} */
  const effort = values.effort === 'suite' && tight === undefined ? 'suite' : Number(values.effort ?? 1);
  if (effort !== 'suite' && !(effort > 0 && Number.isFinite(effort)))
    throw new Error(`--effort is '${values.effort}'; give a positive number, or 'suite' without --tight`);
  return {
    effort,
    json: values.json,
    tight,
    only: positionals.length === 0 ? undefined : positionals,
    seeds: values.seeds?.split(','),
    kinds: values.kind?.split(','),
  };
}

const here = fileURLToPath(new URL('./', import.meta.url));
const conditions = ['@lethe/source'];
const server = await createServer({
  root: here,
  configFile: false,
  logLevel: 'error',
  plugins: [patches()],
  server: { middlewareMode: true, watch: null, ws: false, hmr: false },
  optimizeDeps: { noDiscovery: true },
  ssr: { noExternal: [/^@lethe\//u], resolve: { conditions } },
});
const runner = createServerModuleRunner(server.environments.ssr, { hmr: false });
const module = await runner.import('/src/report.ts');
const { tryMutants, tryTight } = /** @type {typeof import('./src/report.ts')} */ (module);

if (options.tight !== undefined) {
  const rejected = await tryTight(options.tight, {
    ...(typeof options.effort === 'number' && { effort: options.effort }),
    ...(options.only && { only: options.only }),
    onSubject: (id, count) => console.error(`${count === 0 ? 'accepted' : `REJECTED ${count} times`} ${id}`),
  });
  console.log(
    options.json
      ? JSON.stringify({ seeds: options.tight, rejected })
      : `${rejected.length} rejections of correct subjects on ${options.tight} seeds`,
  );
  for (const { id, seed, law } of options.json ? [] : rejected) console.log(`  ${id}, seed ${seed}: ${law}`);
  process.exitCode = rejected.length === 0 ? 0 : 1;
} else {
  const report = await tryMutants({
    effort: options.effort,
    ...(options.only && { only: options.only }),
    ...(options.kinds && { kinds: options.kinds }),
    ...(options.seeds && { seeds: options.seeds }),
    onDeath: ({ id, seed, law, samples, seconds }) =>
      console.error(
        law === null
          ? `SURVIVES ${id} on ${seed}`
          : `killed   ${id} on ${seed} by ${law} in ${samples}, ${seconds.toFixed(2)} s`,
      ),
  });
  if (options.json) console.log(JSON.stringify(report));
  else {
    for (const { kind, killed, total, seconds, laws } of report.kinds) {
      console.log(`${kind}: ${killed} of ${total} killed in ${seconds.toFixed(1)} s`);
      for (const { law, deaths } of laws) console.log(`  ${deaths} by ${law}`);
    }
    console.log(
      `${report.killed} of ${report.total} mutants killed on every seed; of the design's list ` +
        `${report.core.killed} of ${report.core.total}` +
        (report.core.missing.length > 0 ? `; missing: ${report.core.missing.join(', ')}` : ''),
    );
    for (const { id, title, seed, spared } of report.survivors)
      console.log(`  ${id} (${title}) survives ${seed}:\n    ${spared.join('\n    ')}`);
  }
  process.exitCode = report.killed === report.total && report.core.missing.length === 0 ? 0 : 1;
}
await server.close();
