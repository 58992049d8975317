import { basename } from 'node:path';
import { eventKindsOf, InvalidParameter } from '@lethe/core';
import { errorAt } from '@lethe/numerics';
import { writeWhole } from '@lethe/node';
import { parseYaml } from '../experiment/yaml-text.js';
import type { Table } from '@lethe/losses';
import {
  assertSettings,
  mostNoise,
  prepareTraining,
  readingOf,
  type ParsedSchema,
  type TrainingOptions,
  type TrainingPlan,
} from '@lethe/train';
import { issuesOf } from '../experiment/mistake.js';
import { weaknessOf } from '../experiment/protection.js';
import { assertRoom, findLedger, openDataLedger } from '../model/data-ledger.js';
import { delimiterWord, fileForm, type FileForm } from '../model/file-form.js';
import { certificateRows, labelText, noiseText, planRows, rowsText } from '../model/model-text.js';
import { recordsOfFile } from '../model/model-records.js';
import { assertSame, removePart, runToResume, writePart } from '../model/part-file.js';
import { findSchema, type OwnerGiven } from '../model/schema-source.js';
import { pluginsGiven } from '../plugins/option.js';
import { withPlugins } from '../plugins/with-plugins.js';
import { registry as shipped } from '../registry.js';
import { formatCount, nounFor, roundOutward } from '../report/format.js';
import type { LedgerAccount } from '../run/ledger-account.js';
import { longPlan } from '../run/long-plan.js';
import { sharesText } from '../run/refused-by-limit.js';
import { terminalProgress } from '../run/progress.js';
import { unchangedFile } from '../run/unchanged-file.js';
import { toJson } from './accounting.js';
import { limitGiven } from './commands/limit-given.js';
import { assertLimitProtects } from './limit-protects.js';
import { isAgreed } from './confirm.js';
import { assertKnown } from './known-plugin.js';
import type { Action, Parsed } from './command.js';

export const trainModel: Action = async (parsed, context) => {
  const { out, error, prompt, signal, hold, rewrite } = context;
  const [data] = parsed.positionals;
  const modelPath = parsed.string('out') ?? 'model.json';
  const resume = parsed.flag('resume');
  // Mistakes in the options are said first; a model that is in the way is said before any question.
  // A dry run writes none, so that none is in its way.
  const again = parsed.flag('again') || parsed.flag('dry-run');
  const runToGoOnWith = () => runToResume(modelPath, { resume, again });
  const loaded = await pluginsGiven(parsed);
  const own = loaded.flatMap(({ plugins }) => plugins);
  const registry = withPlugins(shipped, loaded);
  const kinds = eventKindsOf(registry);
  assertKnown(parsed.string('method'), { kind: 'optimizer', registry, where: '--method: ' });
  assertKnown(parsed.string('loss'), { kind: 'loss', registry, where: '--loss: ' });
  const form = fileForm(data, parsed.string('delimiter'));
  const found = await findSchema({
    data,
    form,
    file: parsed.string('schema'),
    label: parsed.string('label'),
    target: parsed.string('target'),
    columns: parsed.strings('column'),
    owner: ownerGiven(parsed),
    ask:
      prompt === null
        ? null
        : (question) => {
            runToGoOnWith();
            return prompt(question);
          },
    say: error,
  });
  const { schema, unused, write } = found;
  const run = runToGoOnWith();
  // Before anything can go wrong with the records, so that no answer has to be given twice.
  if (found.asked && write !== null) {
    writeWhole(write.path, write.text);
    error(`\nWrote your answers to ${write.path}; --column NAME=WORDS changes one\n`);
  }
  const options = { ...optionsGiven(parsed), schema, plugins: own, run };
  setByOption(parsed, () => assertSettings(options));
  const reading = { ...readingOf(schema, true), ...form };
  const { isTTY, columns } = process.stderr;
  const progress = terminalProgress({ isTTY, columns, write: rewrite });
  progress.phase(`${basename(data)}: reading the records`);
  const assertUnchanged = unchangedFile(data);
  const table = await recordsOfFile(data, reading);
  progress.phase('planning');
  const training = setByOption(parsed, () => prepareTraining({ ...options, data: table }));
  const { plan } = training;
  for (const warning of warningsOf(plan)) progress.warn(warning);
  const misfits = [...numericText(table, schema), ...training.warnings()];
  if (misfits.length > 0) progress.warn(misfitsText(misfits));
  const limit = limitGiven(parsed);
  assertProtects(plan.budget, plan.records);
  assertLimitProtects(limit, plan.records);
  const place = await findLedger({
    data,
    assertUnchanged,
    reading,
    ledger: parsed.string('ledger'),
    delta: plan.budget.delta,
    kinds,
    resumes: resume,
    mayForget: parsed.flag('new-ledger'),
    warn: (text) => progress.warn(text),
  });
  progress.end();
  if (resume) assertSame(modelPath, { run: plan.run, plan, schema });
  const spent = place.account;
  const shown = rowsText([
    ['predicts', labelText(schema.label)],
    ['from', `${Object.keys(schema.columns).join(', ')} (${plan.features} features)`],
    ...(unused === null || unused.length === 0
      ? []
      : [['not used', unused.map((name) => name || 'a column without a name').join(', ')] as const]),
    ...planRows(plan),
    [
      'ledger',
      `${place.place.path}: ${
        spent === null || spent.runs.length === 0
          ? 'nothing spent so far'
          : `epsilon at most ${roundOutward(spent.spent.upper, 'upper')} spent so far by ` +
            `${spent.runs.length} ${nounFor(spent.runs.length, 'run')}${limitText(spent.limit)}`
      }`,
    ],
    ['writes', [modelPath, ...(write === null || found.asked ? [] : [write.path])].join(', ')],
  ]);
  error(`\nPlan for ${data}\n${shown}\n`);
  if (write !== null && !found.asked) writeWhole(write.path, write.text);
  const terms = {
    adjacency: plan.adjacency,
    // A limit given again without its delta is the one that is kept.
    limit: limit && { delta: place.kept?.limit?.delta ?? plan.budget.delta, ...limit },
    kinds,
  };
  if (!resume) assertRoom(place, terms, training.event);
  if (parsed.flag('dry-run')) {
    if (parsed.flag('json')) out(`${toJson(plan)}\n`);
    error('Nothing was spent.\n');
    return 0;
  }
  const question = resume ? 'Go on with this training?' : `Train, and spend epsilon ${plan.budget.epsilon}?`;
  if (!(await isAgreed(question, { yes: parsed.flag('yes'), prompt }))) {
    error('Nothing was spent.\n');
    return 1;
  }
  const letGo = hold();
  try {
    const { ledger, close } = openDataLedger(place, terms);
    try {
      writePart(modelPath, { run: plan.run, plan, schema });
      let done = 0;
      const total = stepsOf(plan.params);
      progress.start(total);
      const model = await training.run({
        ledger,
        identity: place.identity,
        signal,
        pause: () => progress.pause(),
        progress: () => {
          done += 1;
          // A step asks one query.
          if (done <= total) progress.step('training');
        },
      });
      progress.end();
      writeWhole(modelPath, `${JSON.stringify(model, null, 2)}\n`);
      removePart(modelPath);
      if (parsed.flag('json')) out(`${toJson(model)}\n`);
      else out(`Certificate\n${rowsText(certificateRows(model.certificate))}`);
      error(
        `Wrote ${modelPath}\n\nNext:\n  lethe predict ${modelPath} NEW.csv${formWords(form)}\n` +
          `  lethe evaluate ${modelPath} ${data}${formWords(form)} --held-out --epsilon 0.5\n` +
          `  lethe inspect ${modelPath}\n`,
      );
      return 0;
    } catch (failure) {
      progress.end();
      // Nothing was charged: there is nothing to go on with.
      if (!ledger.runs().some((one) => one.startsWith(plan.run))) removePart(modelPath);
      throw failure;
    } finally {
      close();
    }
  } finally {
    letGo();
  }
};

/** The form of a file as options of a command line. */
const formWords = ({ delimiter }: FileForm): string =>
  delimiter === undefined ? '' : ` --delimiter ${delimiterWord(delimiter)}`;

/** What is likely not meant by a plan, by its public numbers. */
function warningsOf(plan: TrainingPlan): readonly string[] {
  const { noise, records, owner, budget } = plan;
  const long = longPlan(plan.gradients, records);
  const of = owner === undefined ? 'records' : 'owners';
  return [
    ...(noise === null || noise <= mostNoise
      ? []
      : [
          `epsilon ${budget.epsilon} on ${formatCount(records)} ${of} with ${plan.features} features is ` +
            `likely too little: the noise is ${noiseText(noise)} even in one mean that takes the whole ` +
            'budget, so the model will be mostly noise. Take a larger --epsilon, more ' +
            `${of} or fewer columns`,
        ]),
    ...(long === null ? [] : [long]),
  ];
}

/** What the owner of the records is told of them, which is no part of a plan. */
const misfitsText = (misfits: readonly string[]): string =>
  `seen in the records, for you alone and not private:\n${misfits.map((one) => `  ${one}\n`).join('')}` +
  '  Lists and bounds are public: correct them by what you know of the columns, not by these counts';

/** Columns of numbers whose public list holds texts. */
function numericText(table: Table, schema: ParsedSchema): readonly string[] {
  const numeric = Object.entries(schema.columns).filter(([name, column]) => {
    if (column.type !== 'category' || column.levels.some((level) => isNumber(String(level)))) return false;
    const values = table.columns.get(name);
    return Array.isArray(values) && values.every((value) => value === '' || isNumber(String(value)));
  });
  return numeric.map(
    ([name]) =>
      `column '${name}' holds numbers, and none is in its public list; if it is a number, say so by its ` +
      `bounds: --column ${name}=0..100`,
  );
}

const isNumber = (text: string): boolean => text.trim() !== '' && Number.isFinite(Number(text));

/** Whose the records are, by the command line. */
function ownerGiven(parsed: Parsed): OwnerGiven | undefined {
  const column = parsed.string('owner');
  const most = parsed.number('owner-records');
  return column === undefined ? undefined : { column, ...(most === undefined ? {} : { most }) };
}

/** @throws what `act` throws; of the parameters of a method with the options that gave them. */
function setByOption<Result>(parsed: Parsed, act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    const keys = new Set(
      (issuesOf(error) ?? []).flatMap(({ path, keys: stray = [] }) => [path[0], ...stray]),
    );
    const given = parsed.strings('set').filter((one) => keys.has(one.slice(0, one.indexOf('='))));
    throw given.length === 0 ? error : errorAt(given.map((one) => `--set ${one}`).join(', '), error);
  }
}

/** Options of the command line. @throws {InvalidParameter} that lists every `--set` that cannot be read. */
function optionsGiven(parsed: Parsed): Omit<TrainingOptions, 'data' | 'schema'> {
  const epsilon = parsed.number('epsilon') ?? Number.NaN;
  const clip = parsed.string('clip');
  const method = parsed.string('method');
  const params = paramsOf(parsed.strings('set'));
  const loss = parsed.string('loss');
  const adjacency = parsed.string('adjacency');
  const heldOut = parsed.number('held-out');
  const key = parsed.string('split-key');
  return {
    budget: { epsilon, delta: parsed.number('delta') },
    method: { name: method ?? 'dp-sgd', params },
    ...(loss === undefined ? {} : { loss: { name: loss, params: {} } }),
    ...(clip === undefined ? {} : { clip: clip === 'quantile' ? clip : Number(clip) }),
    ...(adjacency === 'zero-out' ? { adjacency } : {}),
    split: { ...(heldOut === undefined ? {} : { heldOut }), ...(key === undefined ? {} : { key }) },
  };
}

function paramsOf(given: readonly string[]): Readonly<Record<string, unknown>> {
  const mistakes: string[] = [];
  const params: Record<string, unknown> = {};
  for (const one of given) {
    const at = one.indexOf('=');
    if (at < 1) mistakes.push(`--set '${one}' has no name; write it as steps=200`);
    else params[one.slice(0, at)] = parseYaml(one.slice(at + 1), `--set ${one.slice(0, at)}`);
  }
  if (mistakes.length > 0) throw new InvalidParameter(mistakes.join('\n'), { mistakes: mistakes.length });
  return params;
}

/** How much of a limit is taken. */
function limitText(limit: LedgerAccount['limit']): string {
  if (limit === null) return '';
  const { epsilon, share } = limit;
  const taken = share === null ? '' : `, ${roundOutward(100 * share, 'upper')} % of it taken (${sharesText})`;
  return `; the limit is epsilon ${epsilon}${taken}`;
}

const stepsOf = ({ steps }: Readonly<Record<string, unknown>>): number =>
  typeof steps === 'number' ? steps : 0;

/** @throws {InvalidParameter} for a budget that protects nobody. */
function assertProtects(budget: { readonly epsilon: number; readonly delta: number }, records: number): void {
  const weakness = weaknessOf(budget, records);
  if (weakness?.isNone === true)
    throw new InvalidParameter(`${weakness.why}; take less`, { ...budget, records });
}
