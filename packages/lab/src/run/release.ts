import { randomBytes } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { accountants, bestOf } from '@lethe/accountants';
import {
  attachData, canonicalJson, centralCurator, Corrupt, drive, findPlugin, InvalidParameter, keyedHash128, openLedger, resolvePlugin, sameEvent, secureRandom, seededRandom,
  type Calibrate, type DomainPlugin, type Optimizer, type Registry,
} from '@lethe/core';
import { parseJson } from '../experiment/json-text.js';
import { readText } from '../experiment/read.js';
import type { ReleaseResult } from '../experiment/results.js';
import type { Release } from '../experiment/schema.js';
import { fileStore } from '../store/file-store.js';
import { writeWhole } from '../store/write-whole.js';
import { environment } from './environment.js';
import { loadRecords } from './load.js';
import { publicProblem } from './problem.js';
import type { Progress } from './progress.js';

/** What a release takes from its surroundings. */
export interface ReleaseContext {
  readonly registry: Registry;
  readonly calibrate: Calibrate;
  readonly folder: string;
  readonly out: string;
  readonly resume: boolean;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  readonly command: string;
}

interface RunFile { readonly run: string; readonly seed: string }

/**
 * One release: a secure curator, the data set's own ledger, a public transcript in the output folder. It can be killed at any
 * moment and resumed; what was charged stays charged.
 *
 * @throws {BudgetExceeded} when the data set's limit cannot pay for the plan; nothing is spent.
 */
export async function release(experiment: Release, context: ReleaseContext): Promise<ReleaseResult> {
  const { registry, calibrate, folder, out, progress, signal } = context;
  const { problem: spec, optimizer, budget, adjacency, limit } = experiment;
  progress.phase(`${spec.title}: reading the records`);
  const all = await loadRecords(spec, folder, new Map());
  const n = experiment.size ?? all.rows;
  if (n > all.rows) throw new InvalidParameter(`size asks for ${n} records, the data have ${all.rows}`, { n, rows: all.rows });
  const { columns } = all;
  const { problem, record, facts } = publicProblem(spec, { registry, adjacency, n, dimension: columns, rowNorm: all.rowNorm });
  const runPath = join(out, 'run.json');
  const runFile = openRunFile(runPath, experiment.name, context.resume);
  const random = seededRandom(runFile.seed);
  const planned = findPlugin<Optimizer>(registry, 'optimizer', optimizer.name)
    .prepare({ problem, budget, params: { ...optimizer.params, ...optimizer.paramsFor[spec.name] }, calibrate, random: random.fork('plan') });

  const accountant = bestOf(accountants);
  const ledgerStore = fileStore(ledgerPath(experiment, folder), { mode: 0o600 });
  try {
    const ledger = openLedger({ adjacency, store: ledgerStore, ...(limit === undefined ? {} : { limit: { ...limit, accountant } }) });
    const { dimension: _, ...domain } = record;
    const data = attachData({
      features: { data: all.features, rows: n, columns, offset: 0, rowStride: columns, columnStride: 1 }, labels: all.labels.slice(0, n), loss: problem.loss, registry, domain, outside: 'clip', identity: all.identity(), ledger,
    });
    // The name of the run is on disk before anything can be charged to it, and not before everything else was found in order.
    if (!ledger.runs().includes(runFile.run)) ledger.assertAffordable(planned.plan.event);
    if (!context.resume) writeWhole(runPath, `${JSON.stringify(runFile, null, 2)}\n`);
    const curator = centralCurator({ data, registry, run: runFile.run, random: secureRandom(), planned: planned.plan.event });
    const transcriptPath = join(out, 'transcript.lethe');
    const transcript = fileStore(transcriptPath);
    let isVoid = false;
    try {
      progress.phase(`${spec.title}: releasing with ${optimizer.name}`);
      const { plugin, params } = resolvePlugin<DomainPlugin>(registry, problem.domain);
      const start = plugin.build(params, columns).projectInto(new Float64Array(columns), new Float64Array(columns));
      const { output } = await drive(planned, curator, { start, random, transcript, signal, pause: progress.pause });
      curator.end();
      const spent = curator.spent();
      const interval = accountant.epsilon(spent, { adjacency, delta: budget.delta });
      const total = ledger.total();
      return {
        kind: 'release', label: curator.facts.simulation ? 'simulation: no privacy' : 'release', experiment, command: context.command, environment: environment(),
        run: runFile.run, model: { featureNames: all.featureNames, weights: [...output] }, plan: planned.plan, spent,
        certificate: { ...interval, assumptions: [...new Set([...interval.assumptions, ...curator.facts.assumptions])], delta: budget.delta, adjacency },
        total: { event: total, interval: accountant.epsilon(total, { adjacency, delta: budget.delta }), runs: ledger.runs() },
        ledgerMatchesPlan: sameEvent(spent, planned.plan.event), facts,
      };
    } catch (failure) {
      // Refused before anything was charged: there is nothing to go on with.
      isVoid = !context.resume && !signal.aborted && curator.spent().kind === 'core/free';
      throw failure;
    } finally {
      transcript.close();
      if (isVoid) for (const path of [transcriptPath, runPath]) rmSync(path, { force: true });
    }
  } finally { ledgerStore.close(); }
}

/** The run's public name and public seed; they must be the same when it is resumed. */
function openRunFile(path: string, experiment: string, resume: boolean): RunFile {
  if (existsSync(path)) {
    if (!resume) throw new InvalidParameter(`${dirname(path)} already holds a release; go on with --resume, or choose another --out`, { path });
    return storedRunFile(path);
  }
  if (resume) throw new InvalidParameter(`there is nothing to resume in ${dirname(path)}; leave --resume out`, { path });
  return { run: `${experiment}-${randomBytes(6).toString('hex')}`, seed: randomBytes(16).toString('hex') };
}

function storedRunFile(path: string): RunFile {
  try {
    const { run, seed } = parseJson(readText(path), path) as Partial<RunFile>;
    if (typeof run === 'string' && run !== '' && typeof seed === 'string') return { run, seed };
  } catch { /* Said below. */ }
  throw new Corrupt(`${path} does not name a run; restore it from a copy. Without it the release cannot go on, and what it was charged stays charged.`, { path });
}

/**
 * The ledger stays with the data, never in the results. It is one per source, order and adjacency, so that every design and
 * loss on the same records spends from it.
 */
function ledgerPath({ ledger, problem: { data }, adjacency }: Release, folder: string): string {
  if (ledger !== undefined) return resolve(folder, ledger);
  const source = 'generate' in data ? { generate: data.generate } : { file: data.file === undefined ? null : resolve(folder, data.file), package: data.package ?? null };
  const description = new TextEncoder().encode(canonicalJson({ ...source, shuffle: data.shuffle, adjacency }));
  const mark = [...keyedHash128(new Uint8Array(16), description)].slice(0, 6).map((byte) => byte.toString(16).padStart(2, '0')).join('');
  const title = 'generate' in data ? 'generated' : basename(data.file ?? data.package!).replace(/\W+/gu, '-');
  return resolve('.lethe', `${title}-${mark}.ledger`);
}
