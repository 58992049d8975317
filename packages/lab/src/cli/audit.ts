import { join, resolve } from 'node:path';
import { calibrator } from '@lethe/accountants';
import {
  adjacencySchema,
  eventKindsOf,
  InvalidParameter,
  parseOrThrow,
  seededRandom,
  type Calibrate,
  type Registry,
} from '@lethe/core';
import { z } from 'zod';
import { auditCase, type AuditCase, type AuditedCase, type AuditSurroundings } from '../audit/audit-case.js';
import { casesOfFile, type Restriction } from '../audit/cases-of-file.js';
import { standardCases } from '../audit/standard-cases.js';
import { readAll } from '../experiment/read-all.js';
import { accountantsIn } from '../plugins/accountants-in.js';
import { pluginFlag, pluginsGiven } from '../plugins/option.js';
import { folderOf } from '../plugins/resolve-module.js';
import { withPlugins } from '../plugins/with-plugins.js';
import { registry as shipped } from '../registry.js';
import { renderAudit } from '../report/audit.js';
import { terminalProgress, type Progress } from '../run/progress.js';
import { writeWhole } from '@lethe/node';
import { auditTable } from './audit-table.js';
import { helpFlag, jsonFlag, type Command, type Parsed } from './command.js';

/** More records than this make one run slow: each looks at every one of them. */
const manyRecords = 10_000;
const defaultRuns = 2000;

export const auditCommand: Command = {
  options: {
    shipped: {
      type: 'boolean',
      help: 'instead of an experiment: every optimizer that ships, at each of its examples, under every adjacency',
    },
    optimizer: { type: 'string', value: 'LABEL', help: 'only this optimizer' },
    problem: { type: 'string', value: 'NAME', help: 'only this problem of an evaluation' },
    epsilon: { type: 'string', value: 'E', help: 'only this budget of an evaluation' },
    records: {
      type: 'string',
      value: 'N',
      help: "plan for N records instead of the experiment's number; fewer make quicker runs",
    },
    adjacency: {
      type: 'string',
      value: 'A',
      help: "instead of the experiment's: replace-one, add-remove, zero-out",
    },
    runs: { type: 'string', value: 'N', help: `runs on each of the two neighbours (default ${defaultRuns})` },
    confidence: { type: 'string', value: 'C', help: 'of the lower bound on epsilon (default 0.95)' },
    'false-alarm': {
      type: 'string',
      value: 'P',
      help: 'probability with which a true claim may be called violated (default 1e-6)',
    },
    seed: {
      type: 'string',
      value: 'S',
      help: 'of all coins (default 1); the same seed gives the same numbers',
    },
    out: {
      type: 'string',
      value: 'DIR',
      help: 'folder of the results (default results/<name of the experiment>-audit)',
    },
    plugin: pluginFlag,
    json: jsonFlag,
    help: helpFlag,
  },
  async run(parsed, { out, error, signal }) {
    const { isTTY, columns } = process.stderr;
    const progress = terminalProgress({ isTTY, columns, write: error });
    const { name, cases, registry, calibrate } = await casesFor(parsed, {
      signal,
      progress,
      command: `lethe audit ${parsed.positionals.join(' ')}`,
    });
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
    const text = JSON.stringify(audited, jsonNumbers, 2);
    const files = { 'audit.json': `${text}\n`, 'audit.html': renderAudit(name, audited) };
    for (const [file, content] of Object.entries(files)) writeWhole(join(folder, file), content);
    out(parsed.flag('json') ? `${JSON.stringify(audited, jsonNumbers)}\n` : auditTable(audited));
    error(
      `Wrote ${Object.keys(files)
        .map((file) => join(folder, file))
        .join(' and ')}\n`,
    );
    return audited.every(({ passed }) => passed) ? 0 : 1;
  },
};

type Surroundings = Parameters<typeof casesOfFile>[2];

/** What is audited, with the plugins that it knows. */
interface ChosenCases extends Pick<Surroundings, 'registry' | 'calibrate'> {
  readonly name: string;
  readonly cases: readonly AuditCase[];
}

const calibratorOf = (registry: Registry): Calibrate =>
  calibrator(accountantsIn(registry), eventKindsOf(registry));

async function casesFor(
  parsed: Parsed,
  surroundings: Omit<Surroundings, 'folder' | 'registry' | 'calibrate'>,
): Promise<ChosenCases> {
  const [path, ...more] = parsed.positionals;
  const restriction = restrictionOf(parsed);
  if (!parsed.flag('shipped')) {
    if (path === undefined || more.length > 0)
      throw new InvalidParameter('give one experiment file, or --shipped', { given: parsed.positionals });
    const [read] = await readAll([path], await pluginsGiven(parsed));
    const { experiment, registry } = read;
    const found = { registry, calibrate: calibratorOf(registry) };
    const cases = await casesOfFile(experiment, restriction, {
      ...surroundings,
      ...found,
      folder: folderOf(path),
    });
    return { ...found, name: experiment.name, cases };
  }
  if (path !== undefined)
    throw new InvalidParameter('--shipped audits what ships and takes no experiment; give one of them', {
      given: parsed.positionals,
    });
  for (const [option, value] of Object.entries(restriction)) {
    if (value !== undefined && option !== 'optimizer' && option !== 'adjacency')
      throw new InvalidParameter(`--${option} is about an experiment; leave it out with --shipped`, {
        option,
      });
  }
  const { optimizer, adjacency } = restriction;
  const registry = withPlugins(shipped, await pluginsGiven(parsed));
  const all = standardCases();
  const cases = all.filter(
    (one) =>
      (optimizer ?? one.optimizer.name) === one.optimizer.name &&
      (adjacency ?? one.problem.adjacency) === one.problem.adjacency,
  );
  if (cases.length === 0)
    throw new InvalidParameter(
      `no optimizer that ships fits; they are ${[...new Set(all.map((one) => one.optimizer.name))].join(', ')}`,
      { ...restriction },
    );
  return { name: 'shipped', cases, registry, calibrate: calibratorOf(registry) };
}

function restrictionOf(parsed: Parsed): Restriction {
  return {
    optimizer: parsed.string('optimizer'),
    problem: parsed.string('problem'),
    epsilon: parsed.number('epsilon'),
    records: parseOrThrow(z.int().positive().optional(), parsed.number('records'), '--records'),
    adjacency: parseOrThrow(adjacencySchema.optional(), parsed.string('adjacency'), '--adjacency'),
  };
}

/** Tells of an audit at every fiftieth of it. */
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
