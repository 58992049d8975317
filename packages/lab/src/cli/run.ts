import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { calibrator } from '@lethe/accountants';
import { eventKindsOf, InvalidParameter } from '@lethe/core';
import { errorAt } from '@lethe/numerics';
import { writeWhole } from '@lethe/node';
import { weaknessOf } from '../experiment/protection.js';
import { textOf } from '../experiment/read.js';
import { readAll, type ReadExperiment } from '../experiment/read-all.js';
import type { Result } from '../experiment/results.js';
import type { Evaluation, Experiment } from '../experiment/schema.js';
import { noModelFile } from '../model/model-file.js';
import { modelOfRelease } from '../model/model-of-release.js';
import { accountantsIn } from '../plugins/accountants-in.js';
import { moduleText } from '../plugins/module-text.js';
import { pluginsGiven } from '../plugins/option.js';
import { folderOf } from '../plugins/resolve-module.js';
import { terminalProgress, type Progress } from '../run/progress.js';
import type { OpenProblem } from '../run/evaluate.js';
import type { Existing } from '../run/run-file.js';
import type { Action, Context, Parsed } from './command.js';
import { networkOf } from './network.js';
import { summaryOf } from './summary.js';
import { UsageError } from './usage-error.js';

export const runExperiments: Action = async (parsed, context) => {
  const { out, error, rewrite } = context;
  const paths = parsed.positionals;
  // Every file is read and checked before the first one runs.
  const set = parsed.strings('set');
  const read = await readAll(paths, { given: await pluginsGiven(parsed), set });
  for (const { path, experiment } of read)
    for (const warning of [...weakBudgets(experiment), ...undeclaredSparsity(experiment)])
      error(`${path}: warning: ${warning}\n`);
  checkReleases(parsed, read);
  const { pngDrawer } = await import('../report/png.js');
  const drawPng = parsed.flag('png') ? await pngDrawer() : null;
  const folder = resolve(parsed.string('out') ?? join('results', read[0].experiment.name));
  for (const { experiment } of read.filter(isRelease)) assertOwnModel(folder, experiment.name, parsed);
  const { isTTY, columns } = process.stderr;
  const progress = terminalProgress({ isTTY, columns, write: rewrite });
  const results: Result[] = [];
  // The release last: what fails before it costs no privacy.
  for (const one of read.toSorted((a, b) => Number(isRelease(a)) - Number(isRelease(b)))) {
    for (const { module } of one.loaded) error(`${one.experiment.name}: plugins of ${moduleText(module)}\n`);
    const result = await resultOf(one, { parsed, context, folder, progress }).catch((problem: unknown) => {
      throw errorAt(one.path, problem);
    });
    progress.end();
    results.push(result);
    if (!parsed.flag('json')) out(summaryOf(result));
  }
  const { renderReport } = await import('../report/render.js');
  const { figureFiles } = await import('../report/figure-files.js');
  const { tableFiles } = await import('../tables/table-files.js');
  const report = renderReport(results);
  const drawings = figureFiles(report);
  const figures = {
    ...drawings,
    ...(drawPng === null
      ? {}
      : Object.fromEntries(Object.entries(drawings).map(([name, svg]) => [pngOf(name), drawPng(svg)]))),
  };
  const models = results.flatMap((one) => (one.kind === 'release' ? [modelOfRelease(one)] : []));
  const files = {
    ...Object.fromEntries(
      models.flatMap((model) =>
        model === null ? [] : [['model.json', `${JSON.stringify(model, null, 2)}\n`]],
      ),
    ),
    'results.json': `${JSON.stringify(results, jsonNumbers, 2)}\n`,
    'report.html': report,
    ...tableFiles(results),
    ...figures,
  };
  const stale = [...figuresOfReport(folder), ...(models.includes(null) ? ['model.json'] : [])];
  for (const [name, content] of Object.entries(files)) writeWhole(join(folder, name), content);
  for (const name of stale) if (!Object.hasOwn(files, name)) rmSync(join(folder, name), { force: true });
  if (parsed.flag('json')) out(`${JSON.stringify(results, jsonNumbers)}\n`);
  const drawn = Object.keys(drawings).length;
  const formats = drawPng === null ? '.svg' : '.svg and .png';
  error(
    `Wrote ${join(folder, 'report.html')}, the results as .json, .csv, .ndjson and .parquet beside it` +
      (drawn === 0 ? '' : `, and ${drawn === 1 ? 'its figure' : `its ${drawn} figures`} as ${formats}`) +
      '\n',
  );
  for (const model of models)
    error(
      model === null
        ? `${noModelFile}; the weights are in results.json\n`
        : `Wrote ${join(folder, 'model.json')}; next: lethe predict ${join(folder, 'model.json')} NEW.csv\n`,
    );
  return results.some(mismatch) ? 1 : 0;
};

const pngOf = (svg: string): string => svg.replace(/svg$/u, 'png');

/** Files of the figures that the report in a folder shows, drawn or not. */
function figuresOfReport(folder: string): readonly string[] {
  const report = join(folder, 'report.html');
  if (!existsSync(report)) return [];
  const named = readFileSync(report, 'utf8').match(/\bfigure-\d+\.svg\b/gu) ?? [];
  return [...new Set(named)].flatMap((name) => [name, pngOf(name)]);
}

const isRelease = ({ experiment }: ReadExperiment): boolean => experiment.kind === 'release';

/** @throws {UsageError} for options of releases without a release, and for several releases. */
function checkReleases({ flag, number }: Parsed, read: readonly ReadExperiment[]): void {
  const releases = read.filter(isRelease).length;
  if (releases > 1) throw new UsageError('one lethe run makes one release; run the others separately');
  if (releases === 1) return;
  if (flag('resume'))
    throw new UsageError(
      '--resume continues a release; an evaluation goes on by itself from the runs that are done: leave ' +
        'it out',
    );
  if (flag('new-ledger'))
    throw new UsageError('--new-ledger is about the ledger of a release; an evaluation has none');
  if (number('checkpoint-every') !== undefined)
    throw new UsageError('--checkpoint-every is about the transcript of a release; an evaluation has none');
}

/** @throws {InvalidParameter} for a model that no release has written: it costs budget to make it again. */
function assertOwnModel(folder: string, name: string, { flag }: Parsed): void {
  const path = join(folder, 'model.json');
  if (flag('resume') || existsSync(join(folder, name)) || !existsSync(path)) return;
  throw new InvalidParameter(
    `${path} is there, and no release has written it; a release writes its own model to that file, so ` +
      'move it, or choose another --out',
    { path },
  );
}

interface Surroundings {
  readonly parsed: Parsed;
  readonly context: Context;
  /** Folder of the results. */
  readonly folder: string;
  readonly progress: Progress;
}

/** Runs one experiment with the code of its kind. */
async function resultOf(
  { path, experiment, registry, loaded }: ReadExperiment,
  { parsed, context, folder, progress }: Surroundings,
): Promise<Result> {
  const { signal, hold } = context;
  const shared = {
    registry,
    plugins: loaded,
    calibrate: calibrator(accountantsIn(registry), eventKindsOf(registry)),
    folder: folderOf(path),
    progress,
    signal,
    command: commandOf(parsed),
  };
  if (experiment.kind === 'evaluation') {
    const { evaluate, openProblems } = await import('../run/evaluate.js');
    const { cellStore } = await import('../run/cell-store.js');
    const { inWorkers } = await import('../run/cell-workers.js');
    const cells = join(folder, 'cells');
    const jobs = parsed.number('jobs') ?? 1;
    const again = parsed.flag('again');
    let opened: ReadonlyMap<string, OpenProblem> | undefined;
    if (jobs > 1) {
      const problems = await openProblems(experiment, shared);
      ({ opened } = problems);
      progress.phase(`${experiment.title}: in ${jobs} threads`);
      progress.start(runsOf(experiment));
      const task = {
        path,
        plugins: parsed.strings('plugin'),
        set: parsed.strings('set'),
        cells,
        again,
        shared: problems.shared,
      };
      const letGo = hold();
      try {
        await inWorkers(
          task,
          { jobs, problems: experiment.problems.length },
          (text) => progress.step(text),
          signal,
        );
      } finally {
        letGo();
      }
    }
    const server = parsed.string('server');
    const store = cellStore(cells, eventKindsOf(registry), again && jobs === 1 && server === undefined);
    if (server !== undefined) {
      if (loaded.some(({ wanted }) => !parsed.strings('plugin').includes(wanted.from)))
        throw new InvalidParameter('workers load no plugins that a file names; give them with --plugin', {
          path,
        });
      const { allTasks } = await import('../run/evaluate.js');
      const { connectNats } = await import('@lethe/federation');
      const { openQueue } = await import('../queue/queue.js');
      const { serveTasks } = await import('../queue/serve.js');
      progress.phase(`${experiment.title}: planning`);
      const found = await allTasks(experiment, shared);
      const { tasks } = found;
      ({ opened } = found);
      const network = { servers: server, from: '--server', name: 'lethe run' };
      const connection = await connectNats(networkOf(parsed, network, context));
      const letGo = hold();
      try {
        progress.phase(`${experiment.title}: ${tasks.length} runs, for workers at ${server}`);
        progress.start(tasks.length);
        await serveTasks(await openQueue(connection), {
          job: { path: resolve(path), text: textOf(path), set: [...parsed.strings('set')] },
          tasks,
          cells: again ? cellStore(cells, eventKindsOf(registry), true) : store,
          kinds: eventKindsOf(registry),
          patience: parsed.number('patience') ?? 60,
          signal,
          step: (text) => progress.step(text),
        });
      } finally {
        letGo();
        await connection.drain();
      }
    }
    return evaluate(experiment, { ...shared, hold, cells: store, opened });
  }
  if (experiment.kind === 'mean') {
    const { evaluateMeans } = await import('../means/evaluate.js');
    return evaluateMeans(experiment, shared);
  }
  if (experiment.kind === 'mean-error') {
    const { evaluateMeanErrors } = await import('../mean-errors/evaluate.js');
    return evaluateMeanErrors(experiment, shared);
  }
  const { release } = await import('../run/release.js');
  return release(experiment, {
    ...shared,
    out: join(folder, experiment.name),
    existing: existingOf(parsed),
    newLedger: parsed.flag('new-ledger'),
    checkpointEvery: parsed.number('checkpoint-every'),
    hold,
  });
}

/** At most so many runs does an evaluation have; fewer, where optimizers are left out of problems. */
const runsOf = ({ problems, optimizers, budgets, sizes, seeds }: Evaluation): number =>
  problems.length * optimizers.length * budgets.length * (sizes?.length ?? 1) * seeds.count;

/** The command that makes the results again. */
const commandOf = ({ positionals, strings }: Parsed): string =>
  [
    'lethe run',
    ...positionals,
    ...(['plugin', 'set'] as const).flatMap((option) =>
      strings(option).map((one) => `--${option} ${quoted(one)}`),
    ),
  ].join(' ');

/** As a shell reads it. */
const quoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

function existingOf({ flag }: Parsed): Existing {
  if (flag('resume')) return 'resume';
  return flag('again') ? 'keep' : 'refuse';
}

/** Warnings about budgets with little or no protection. A release with such budgets is refused elsewhere. */
function weakBudgets(experiment: Experiment): readonly string[] {
  if (experiment.kind === 'mean' || experiment.kind === 'mean-error') return [];
  const [budgets, n] =
    experiment.kind === 'release'
      ? [[experiment.budget], experiment.size]
      : [experiment.budgets, experiment.sizes === undefined ? undefined : Math.min(...experiment.sizes)];
  return budgets.flatMap((budget) => weaknessOf(budget, n)?.why ?? []);
}

/** Warnings about sparse files whose records may have any number of entries. */
function undeclaredSparsity(experiment: Experiment): readonly string[] {
  if (experiment.kind === 'mean' || experiment.kind === 'mean-error') return [];
  const problems = experiment.kind === 'release' ? [experiment.problem] : experiment.problems;
  return problems
    .filter(({ data, record }) => 'libsvm' in data && record.sparsity === undefined)
    .map(
      ({ name }) =>
        `problem '${name}' declares no record.sparsity, so that every entry of a record may differ from ` +
        'zero: methods that gain from few entries gain nothing',
    );
}

const mismatch = (result: Result): boolean => {
  if (result.kind === 'release') return !result.ledgerMatchesPlan;
  if (result.kind === 'mean')
    return result.cells.some(
      ({ bias, variance }) => bias.verdict === 'outside' || variance.verdict === 'outside',
    );
  if (result.kind === 'mean-error') return result.cells.some(({ verdict }) => verdict === 'outside');
  return result.problems.some(
    ({ cells, comparison }) =>
      comparison?.agrees === false ||
      cells.some(
        ({ ledgerMatchesPlan, bracket }) =>
          !ledgerMatchesPlan || bracket?.verdict === 'below' || bracket?.verdict === 'above',
      ),
  );
};
const jsonNumbers = (_key: string, value: unknown): unknown => (value === Infinity ? 'Infinity' : value);
