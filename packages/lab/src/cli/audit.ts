import { join, resolve } from 'node:path';
import { calibrator } from '@lethe/accountants';
import {
  eventKindsOf,
  InvalidParameter,
  parseOrThrow,
  seededRandom,
  type Calibrate,
  type Registry,
} from '@lethe/core';
import * as z from 'zod';
import {
  auditCase,
  type AuditCase,
  type AuditedCase,
  type AuditResult,
  type AuditSurroundings,
} from '../audit/audit-case.js';
import { casesOfFile, type Restriction } from '../audit/cases-of-file.js';
import { standardCases } from '../audit/standard-cases.js';
import { readAll } from '../experiment/read-all.js';
import { accountantsIn } from '../plugins/accountants-in.js';
import type { LoadedPlugins } from '../plugins/load-plugins.js';
import { pluginsGiven } from '../plugins/option.js';
import { folderOf } from '../plugins/resolve-module.js';
import { withPlugins } from '../plugins/with-plugins.js';
import { registry as shipped } from '../registry.js';
import { environment } from '../run/environment.js';
import { terminalProgress, type Progress } from '../run/progress.js';
import { writeWhole } from '@lethe/node';
import { auditTable } from './audit-table.js';
import type { Action, Parsed } from './command.js';
import { adjacencies } from './commands/shared-options.js';
import { chosen } from './parsed.js';

/** Runs with more records are slow: each run reads all of them. */
const manyRecords = 10_000;
const defaultRuns = 2000;

export const auditPlans: Action = async (parsed, { out, error, signal }) => {
  const { isTTY, columns } = process.stderr;
  const progress = terminalProgress({ isTTY, columns, write: error });
  const command = commandOf(parsed);
  const { name, cases, registry, calibrate, loaded } = await casesFor(parsed, { signal, progress, command });
  const many = Math.max(...cases.map(({ problem }) => problem.slots[0]));
  if (many > manyRecords)
    error(
      `The plan is for ${many.toLocaleString(
        'en',
      )} records, and each run looks at all of them; --records N audits the same for fewer.\n`,
    );
  const confidence = parsed.number('confidence');
  const falseAlarm = parsed.number('false-alarm');
  const how = {
    registry,
    signal,
    calibrate,
    runs: parsed.number('runs') ?? defaultRuns,
    ...(confidence === undefined ? {} : { confidence }),
    ...(falseAlarm === undefined ? {} : { falseAlarm }),
  };
  const audited: AuditedCase[] = [];
  for (const one of cases) {
    const found = await auditCase(one, {
      ...how,
      random: seededRandom(`audit/${parsed.string('seed') ?? '1'}/${one.title}`),
      ...progressOf(one.title, how.runs, progress),
    });
    progress.end();
    if (found === null) error(`${one.title}: releases without noise and claims nothing; not audited\n`);
    else audited.push(found);
  }
  if (audited.length === 0)
    throw new InvalidParameter(`nothing in '${name}' claims any privacy, so there is nothing to audit`, {
      name,
    });
  const folder = resolve(parsed.string('out') ?? join('results', `${name}-audit`));
  const { renderAudit } = await import('../report/audit.js');
  const result: AuditResult = {
    kind: 'audit',
    name,
    command,
    environment: environment(loaded),
    cases: audited,
  };
  const files = {
    'audit.json': `${JSON.stringify(result, jsonNumbers, 2)}\n`,
    'audit.html': renderAudit(result),
  };
  for (const [file, content] of Object.entries(files)) writeWhole(join(folder, file), content);
  out(parsed.flag('json') ? `${JSON.stringify(result, jsonNumbers)}\n` : auditTable(audited));
  error(
    `Wrote ${Object.keys(files)
      .map((file) => join(folder, file))
      .join(' and ')}\n`,
  );
  return audited.every(({ passed }) => passed) ? 0 : 1;
};

type Surroundings = Parameters<typeof casesOfFile>[2];

/** Cases to audit, with their plugins. */
interface ChosenCases extends Pick<Surroundings, 'registry' | 'calibrate'> {
  readonly name: string;
  readonly cases: readonly AuditCase[];
  readonly loaded: readonly LoadedPlugins[];
}

/** The command that makes the same audit again. */
const commandOf = ({ positionals, strings, flag }: Parsed): string =>
  [
    'lethe audit',
    ...(flag('shipped') ? ['--shipped'] : positionals),
    ...repeatable.flatMap((name) => strings(name).map((value) => `--${name} ${value}`)),
  ].join(' ');
const repeatable = [
  'optimizer',
  'problem',
  'epsilon',
  'records',
  'adjacency',
  'runs',
  'confidence',
  'false-alarm',
  'seed',
  'plugin',
] as const;

const calibratorOf = (registry: Registry): Calibrate =>
  calibrator(accountantsIn(registry), eventKindsOf(registry));

async function casesFor(
  parsed: Parsed,
  surroundings: Omit<Surroundings, 'folder' | 'registry' | 'calibrate'>,
): Promise<ChosenCases> {
  const [path] = parsed.positionals;
  const restriction = restrictionOf(parsed);
  if (path === undefined) return shippedCases(restriction, await pluginsGiven(parsed));
  const [{ experiment, registry, loaded }] = await readAll([path], {
    given: await pluginsGiven(parsed),
    set: parsed.strings('set'),
  });
  const found = { registry, calibrate: calibratorOf(registry) };
  const cases = await casesOfFile(experiment, restriction, {
    ...surroundings,
    ...found,
    folder: folderOf(path),
  });
  return { ...found, loaded, name: experiment.name, cases };
}

function shippedCases({ optimizer, adjacency }: Restriction, loaded: readonly LoadedPlugins[]): ChosenCases {
  const registry = withPlugins(shipped, loaded);
  const all = standardCases();
  const cases = all.filter(
    (one) =>
      (optimizer ?? one.optimizer.name) === one.optimizer.name &&
      (adjacency ?? one.problem.adjacency) === one.problem.adjacency,
  );
  if (cases.length === 0)
    throw new InvalidParameter(
      'no optimizer that ships fits; they are ' +
        `${[...new Set(all.map((one) => one.optimizer.name))].join(', ')}`,
      { optimizer, adjacency },
    );
  return { name: 'shipped', cases, registry, loaded, calibrate: calibratorOf(registry) };
}

function restrictionOf(parsed: Parsed): Restriction {
  return {
    optimizer: parsed.string('optimizer'),
    problem: parsed.string('problem'),
    epsilon: parsed.number('epsilon'),
    records: parseOrThrow(z.int().positive().optional(), parsed.number('records'), '--records'),
    adjacency: chosen(parsed, 'adjacency', adjacencies),
  };
}

/** Shows progress in steps of 2 %. */
function progressOf(
  title: string,
  runs: number,
  progress: Progress,
): Pick<AuditSurroundings, 'progress' | 'pause'> {
  const every = Math.ceil(runs / 50);
  progress.start(Math.floor(runs / every));
  return {
    pause: progress.pause,
    progress: (done) => {
      if (done % every === 0) progress.step(title);
    },
  };
}

const jsonNumbers = (_key: string, value: unknown): unknown => {
  if (value === Infinity) return 'Infinity';
  return value === -Infinity ? '-Infinity' : value;
};
