import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { LetheError } from '@lethe/core';
import { errorAt } from '@lethe/numerics';
import { parseSchema, type TrainingSchema } from '@lethe/train';
import { checkedFederation, isFederation } from '../federation/read-federation.js';
import { jsonSchema } from '../experiment/json-schema.js';
import { issuesOf, mistakeText, type Mistake } from '../experiment/mistake.js';
import { placed, readOne, type ReadOptions } from '../experiment/read-all.js';
import { contentIn, textOf } from '../experiment/read.js';
import type { Evaluation, Experiment, ProblemSpec } from '../experiment/schema.js';
import { setValues } from '../experiment/set-values.js';
import { schemaPathOf } from '../model/schema-source.js';
import { folderOf } from '../plugins/resolve-module.js';
import { pluginsGiven } from '../plugins/option.js';
import { registryGiven } from '../plugins/registry-given.js';
import { nounFor } from '../report/format.js';
import type { Action } from './command.js';
import { isRecordsFile } from './records-file.js';

export const checkFiles: Action = async (parsed, { out, error }) => {
  if (parsed.flag('schema')) {
    out(`${JSON.stringify(jsonSchema(await registryGiven(parsed)))}\n`);
    return 0;
  }
  const options: ReadOptions = { given: await pluginsGiven(parsed), set: parsed.strings('set') };
  const found: Checked[] = [];
  for (const path of parsed.positionals) found.push(await checkOne(path, options));
  const mistakes = found.flatMap((one) => one.mistakes);
  if (parsed.flag('json')) out(`${JSON.stringify(found, null, 2)}\n`);
  else {
    for (const mistake of mistakes) error(`${mistakeText(mistake)}\n`);
    for (const { file, what } of found) if (what !== null) out(`${file}: ${what}\n`);
    if (mistakes.length > 1) error(`${mistakes.length} mistakes\n`);
  }
  return mistakes.length > 0 ? 2 : 0;
};

interface Checked {
  readonly file: string;
  /** What the file is, where nothing is wrong with it. */
  readonly what: string | null;
  readonly mistakes: readonly Mistake[];
}

async function checkOne(path: string, options: ReadOptions): Promise<Checked> {
  if (isRecordsFile(path))
    return {
      file: path,
      what: null,
      mistakes: [
        {
          file: path,
          place: null,
          path: '',
          message:
            'it is a file of records, and lethe check reads experiments and schemas, such as ' +
            `${schemaPathOf(path)}; lethe train ${path} --dry-run reads records and spends nothing`,
        },
      ],
    };
  const schema = asSchema(path, options.set ?? []);
  if (schema !== null) return schema;
  const federation = await asFederation(path, options);
  if (federation !== null) return federation;
  const { read, mistakes } = await readOne(path, options);
  if (read === null) return { file: path, what: null, mistakes };
  const missing = missingFiles(read.experiment, path);
  return missing.length > 0
    ? { file: path, what: null, mistakes: missing }
    : { file: path, what: described(read.experiment), mistakes: [] };
}

/** A schema of records, which has a label and columns; `null` for any other file. */
function asSchema(path: string, set: readonly string[]): Checked | null {
  let text = '';
  try {
    text = textOf(path);
    const content = setValues(contentIn(text, path), set);
    const isSchema =
      typeof content === 'object' && content !== null && !('lethe' in content) && 'columns' in content;
    if (!isSchema) return null;
    const { label, columns } = parseSchema(content as TrainingSchema);
    const count = Object.keys(columns).length;
    return {
      file: path,
      what: `schema of records: predicts ${label.column} from ${counted(count, 'column')}`,
      mistakes: [],
    };
  } catch (problem) {
    const issues = issuesOf(problem);
    if (issues !== null) return { file: path, what: null, mistakes: placed(issues, path, text) };
    const about = errorAt(path, problem);
    if (!(about instanceof LetheError)) throw problem;
    // An experiment reports it, with all its other mistakes.
    return null;
  }
}

/** A federated run; `null` for any other file, and for one that cannot be read. */
async function asFederation(path: string, options: ReadOptions): Promise<Checked | null> {
  try {
    if (!isFederation(contentIn(textOf(path), path))) return null;
  } catch (problem) {
    if (!(errorAt(path, problem) instanceof LetheError)) throw problem;
    return null;
  }
  const reading = await checkedFederation(path, options);
  if (reading.read === null) return { file: path, what: null, mistakes: reading.mistakes };
  const { name, silos, budget } = reading.read.experiment;
  const what = `federated run '${name}' of ${silos.length} silos at epsilon ${budget.epsilon}`;
  return { file: path, what, mistakes: [] };
}

/** Files of records that an experiment names and that are not there. */
function missingFiles(experiment: Experiment, path: string): readonly Mistake[] {
  const text = textOf(path);
  return placed(
    problemsOf(experiment).flatMap(([at, { data }]) => {
      if (!('file' in data) || data.file === undefined) return [];
      return existsSync(resolve(folderOf(path), data.file))
        ? []
        : [
            {
              path: [...at, 'data', 'file'],
              message: `there is no file '${data.file}' in ${folderOf(path)}; paths begin at this file`,
            },
          ];
    }),
    path,
    text,
  );
}

/** Problems with their paths. */
function problemsOf(experiment: Experiment): readonly (readonly [readonly string[], ProblemSpec])[] {
  if (experiment.kind === 'release') return [[['problem'], experiment.problem]];
  if (experiment.kind !== 'evaluation') return [];
  return experiment.problems.map((problem, i) => [['problems', String(i)], problem]);
}

function described(experiment: Experiment): string {
  switch (experiment.kind) {
    case 'evaluation':
      return `evaluation '${experiment.name}', ${countOf(experiment)}`;
    case 'release':
      return `release '${experiment.name}' at epsilon ${experiment.budget.epsilon}`;
    case 'mean':
      return `measurements of means '${experiment.name}'`;
    case 'mean-error':
      return `errors of means '${experiment.name}'`;
  }
}

const counted = (count: number, noun: string): string => `${count} ${nounFor(count, noun)}`;

function countOf({ problems, optimizers, budgets, sizes, seeds, heldOut }: Evaluation): string {
  const pairs = problems.reduce(
    (sum, { name }) =>
      sum + optimizers.filter(({ problems: only }) => only === undefined || only.includes(name)).length,
    0,
  );
  const runs = pairs * budgets.length * (sizes?.length ?? 1) * seeds.count;
  const least = Math.max(0, ...(sizes ?? [])) + (sizes === undefined ? 0 : (heldOut ?? 0));
  const isRead = problems.some(
    ({ data }) => !('hard' in data || 'generate' in data || 'generateSparse' in data),
  );
  return (
    `${counted(runs, 'run')}: ${counted(problems.length, 'problem')}, ` +
    `${counted(optimizers.length, 'optimizer')}, ${counted(seeds.count, 'seed')}` +
    (isRead && least > 0 ? `; its files need ${least} records or more, which are not counted here` : '')
  );
}
