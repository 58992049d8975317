import { join, resolve } from 'node:path';
import { calibrator } from '@lethe/accountants';
import { eventKindsOf, InvalidParameter } from '@lethe/core';
import { writeWhole } from '@lethe/node';
import { weaknessOf } from '../experiment/protection.js';
import { readAll } from '../experiment/read-all.js';
import type { Experiment } from '../experiment/schema.js';
import type { Result } from '../experiment/results.js';
import { accountantsIn } from '../plugins/accountants-in.js';
import { moduleText } from '../plugins/module-text.js';
import { pluginFlag, pluginsGiven } from '../plugins/option.js';
import { folderOf } from '../plugins/resolve-module.js';
import { renderReport } from '../report/render.js';
import { evaluateMeans } from '../means/evaluate.js';
import { evaluate } from '../run/evaluate.js';
import { terminalProgress } from '../run/progress.js';
import { release } from '../run/release.js';
import { helpFlag, jsonFlag, type Command } from './command.js';
import { summaryOf } from './summary.js';

export const runCommand: Command = {
  options: {
    out: {
      type: 'string',
      value: 'DIR',
      help: 'folder of the results (default results/<name of the first experiment>)',
    },
    resume: { type: 'boolean', help: 'go on with a release that was interrupted' },
    again: {
      type: 'boolean',
      help: "make another release, charged anew; the one that is there is kept under its run's name",
    },
    'new-ledger': {
      type: 'boolean',
      help: 'begin a new ledger where that of the records is lost or damaged; what was spent before is counted nowhere',
    },
    plugin: pluginFlag,
    json: jsonFlag,
    help: helpFlag,
  },
  async run(parsed, { out, error, rewrite, signal, hold }) {
    const paths = parsed.positionals;
    if (paths.length === 0) throw new InvalidParameter('lethe run needs an experiment file', {});
    // Every file is read and checked before the first one runs.
    const read = await readAll(paths, await pluginsGiven(parsed));
    for (const { path, experiment } of read)
      for (const warning of weakBudgets(experiment)) error(`${path}: warning: ${warning}\n`);
    // The release last: what fails before it costs no privacy.
    const experiments = read.toSorted(
      (a, b) => Number(a.experiment.kind === 'release') - Number(b.experiment.kind === 'release'),
    );
    const releases = experiments.filter(({ experiment }) => experiment.kind === 'release');
    if (releases.length > 1)
      throw new InvalidParameter('one lethe run makes one release; run the others by themselves', {
        releases: releases.length,
      });
    if (parsed.flag('resume') && releases.length === 0)
      throw new InvalidParameter('--resume goes on with a release; an evaluation is simply run again', {});
    if (parsed.flag('resume') && parsed.flag('again'))
      throw new InvalidParameter(
        '--resume goes on with a release, --again makes another; give one of them',
        {},
      );
    const newLedger = parsed.flag('new-ledger');
    if (newLedger && releases.length === 0)
      throw new InvalidParameter('--new-ledger is about the ledger of a release; an evaluation has none', {});
    if (newLedger && parsed.flag('resume'))
      throw new InvalidParameter(
        '--resume needs the ledger that the run began with, which has its coins; give --new-ledger with --again',
        {},
      );
    let existing: 'resume' | 'keep' | 'refuse';
    if (parsed.flag('resume')) existing = 'resume';
    else if (parsed.flag('again')) existing = 'keep';
    else existing = 'refuse';
    const outFolder = resolve(parsed.string('out') ?? join('results', read[0].experiment.name));
    const { isTTY, columns } = process.stderr;
    const progress = terminalProgress({ isTTY, columns, write: rewrite });
    const command = [
      'lethe run',
      ...paths,
      ...parsed.strings('plugin').map((from) => `--plugin ${from}`),
    ].join(' ');
    const results: Result[] = [];
    for (const { path, experiment, registry, loaded } of experiments) {
      for (const { module } of loaded) error(`${experiment.name}: plugins of ${moduleText(module)}\n`);
      const calibrate = calibrator(accountantsIn(registry), eventKindsOf(registry));
      const folder = folderOf(path);
      const shared = { registry, plugins: loaded, calibrate, folder, progress, signal, command };
      let result;
      if (experiment.kind === 'evaluation') result = await evaluate(experiment, shared);
      else if (experiment.kind === 'mean') result = await evaluateMeans(experiment, shared);
      else
        result = await release(experiment, {
          ...shared,
          out: join(outFolder, experiment.name),
          existing,
          newLedger,
          hold,
        });
      progress.end();
      results.push(result);
      if (!parsed.flag('json')) out(summaryOf(result));
    }
    const files = {
      'results.json': `${JSON.stringify(results, jsonNumbers, 2)}\n`,
      'report.html': renderReport(results),
    };
    for (const [name, content] of Object.entries(files)) writeWhole(join(outFolder, name), content);
    if (parsed.flag('json')) out(`${JSON.stringify(results, jsonNumbers)}\n`);
    error(
      `Wrote ${Object.keys(files)
        .map((name) => join(outFolder, name))
        .join(' and ')}\n`,
    );
    return results.some(mismatch) ? 1 : 0;
  },
};

/**
 * What makes the budgets of an experiment weak, or no protection
 * at all: a warning, since a release that needs more is refused.
 */
function weakBudgets(experiment: Experiment): readonly string[] {
  if (experiment.kind === 'mean') return [];
  const [budgets, n] =
    experiment.kind === 'release'
      ? [[experiment.budget], experiment.size]
      : [experiment.budgets, experiment.sizes === undefined ? undefined : Math.min(...experiment.sizes)];
  return budgets.flatMap((budget) => weaknessOf(budget, n)?.why ?? []);
}

const mismatch = (result: Result): boolean => {
  if (result.kind === 'release') return !result.ledgerMatchesPlan;
  if (result.kind === 'mean')
    return result.cells.some(
      ({ bias, variance }) => bias.verdict === 'outside' || variance.verdict === 'outside',
    );
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
