import {
  driveSync,
  memoryStore,
  seededRandom,
  type Answer,
  type Answered,
  type Curator,
  type DriveOptions,
  type Plugin,
  type PrivacyEvent,
  type PrivacyFilter,
  type Query,
  type Registry,
  type Run,
  type Store,
  type Vector,
} from '@lethe/core';
import {
  attachData,
  centralCurator,
  openLedger,
  shuffleCurator,
  type CentralCurator,
  type Ledger,
} from '@lethe/curator';
import { featuresOf } from '../../engines/features.js';
import type { Subject } from '../../law/subject.js';
import { filterByOrder } from './filter.js';
import { dataSets, type DataSetName, type Records } from './records.js';
import { remembered, type Memory } from './remembered.js';
import { budget, planned, type Setting } from './settings.js';

/** Replacement of a true answer that is a vector or a number. */
export type Script = (value: number, entry: number, index: number) => number;

/**
 * Adversarial answers: zeros, huge, of alternating sign, vanishing and growing again. None of them may change
 * the cost of a run.
 */
export const scripts = {
  zeros: () => 0,
  'far too large': () => 1e6,
  'changing sides': (_value, entry, index) => ((entry + index) % 2 === 0 ? 50 : -50),
  tiny: (_value, entry) => (entry === 0 ? 1e-12 : 0),
  'the opposite': (value) => -value,
  fading: (_value, entry, index) => (entry === 0 ? 4 ** (Math.abs((index % 10) - 5) - 5) : 0),
} as const satisfies Readonly<Record<string, Script>>;
export type ScriptName = keyof typeof scripts;
export const scriptNames = Object.keys(scripts) as readonly ScriptName[];

/** Records, seeds and stores of one run. */
export interface OpenRunOptions {
  readonly records: Records;
  readonly randomness?: string;
  readonly script?: Script;
  /** Plugins in place of others of their name. */
  readonly plugins?: Registry;
  readonly store?: Store;
  readonly publicSlots?: number;
  /**
   * The filter that the run is held to. @defaultValue that of
   * the kit's budget, for an optimizer that stops adaptively
   */
  readonly held?: PrivacyFilter | undefined;
}

/** A curator of its own ledger, whom the problem trusts. */
export interface OpenRun {
  readonly curator: CentralCurator;
  readonly answering: Curator<Answered>;
  readonly ledger: Ledger;
}

/** Records attached to a ledger, on which runs follow one another. */
interface Attached {
  readonly registry: Registry;
  readonly ledger: Ledger;
  readonly data: ReturnType<typeof attachData>;
}

function attach(
  subject: Subject<'optimizer'>,
  setting: Setting,
  { records, plugins = [], store = memoryStore() }: OpenRunOptions,
): Attached {
  const {
    dimension,
    problem: { adjacency },
    loss,
    domain,
  } = setting;
  const isReplaced = ({ kind, name }: Plugin): boolean =>
    plugins.some((own) => own.kind === kind && own.name === name);
  // Core checks a frozen registry once.
  const registry: Registry =
    plugins.length === 0
      ? subject.registry
      : Object.freeze([...plugins, ...subject.registry.filter((plugin) => !isReplaced(plugin))]);
  const features = featuresOf(records.length, dimension);
  records.forEach((record, i) => {
    if (record !== null) features.data.set(record.features, i * dimension);
  });
  const ledger = openLedger({ adjacency, store });
  const data = attachData({
    features,
    labels: Float64Array.from(records, (record) => record?.label ?? 0),
    nulls: Uint8Array.from(records, (record) => Number(record === null)),
    loss: loss.ref,
    registry,
    domain,
    ledger,
  });
  return { registry, ledger, data };
}

/** Opens a curator of these records for one run; `answering` replaces answers by those of the script. */
function enter(
  { registry, ledger, data }: Attached,
  { plugin }: Subject<'optimizer'>,
  setting: Setting,
  options: Omit<OpenRunOptions, 'records'>,
  run = 'run',
): OpenRun {
  const { randomness = 'curator', script, publicSlots = setting.slots, held } = options;
  const { adjacency, trust } = setting.problem;
  const filter =
    held ?? (plugin.stopping === 'adaptive' ? filterByOrder({ ...budget, adjacency }) : undefined);
  const whose = {
    data,
    registry,
    run,
    random: seededRandom(randomness),
    ...(adjacency === 'add-remove' ? { publicSlots } : {}),
    held: filter,
  };
  const curator =
    trust.model === 'shuffle'
      ? shuffleCurator({ ...whose, honestUsers: trust.honestUsers })
      : centralCurator(whose);
  return { curator, ledger, answering: script === undefined ? curator : scripted(curator, script) };
}

/** Attaches records and opens a curator; `answering` replaces answers by those of the script. */
export function openRun(subject: Subject<'optimizer'>, setting: Setting, options: OpenRunOptions): OpenRun {
  return enter(attach(subject, setting, options), subject, setting, options);
}

function scripted(curator: CentralCurator, script: Script): Curator<Answered> {
  const say = (answer: Answer, index: number): Answer => {
    if (typeof answer === 'number') return script(answer, 0, index);
    return answer instanceof Float64Array
      ? answer.map((value, entry) => script(value, entry, index))
      : answer;
  };
  return {
    ...curator,
    answer(index, query) {
      const said = curator.answer(index, query);
      return { ...said, answer: say(said.answer, index) };
    },
  };
}

/** Result of a run. */
export interface Done {
  readonly output: Vector;
  readonly spent: PrivacyEvent;
  readonly queries: readonly Query[];
}

/** Start of runs: inside the domain, but not at its centre. */
export const startOf = ({ dimension }: Setting): Vector => new Float64Array(dimension).fill(0.25);

/** Drives a planned run to its end against a curator of these records. */
export function carryOut(
  subject: Subject<'optimizer'>,
  setting: Setting,
  run: Run,
  options: OpenRunOptions & {
    readonly drive?: Partial<DriveOptions>;
    /** Whether queries are left out of the result: they are copied for it. @defaultValue false */
    readonly isUnheard?: boolean;
  },
): Done {
  const opened = openRun(subject, setting, { held: run.held, ...options });
  const queries: Query[] = [];
  const { output } = driveSync(run, opened.answering, {
    start: startOf(setting),
    random: seededRandom('public'),
    ...(options.isUnheard === true
      ? {}
      : { observe: (query: Query) => queries.push(structuredClone(query)) }),
    ...options.drive,
  });
  opened.curator.end();
  return { output, spent: opened.ledger.spentBy('run'), queries };
}

const plans: Memory<Setting, Run> = new WeakMap();
const standardRuns: Memory<Setting, Done> = new WeakMap();

/** The optimizer planned for a setting, once for all laws that look at its standard runs. */
export const standardPlan = (subject: Subject<'optimizer'>, setting: Setting): Run =>
  remembered(plans, setting, 'plan', () => planned(subject, setting.problem));

/**
 * The run of the {@link standardPlan} on one of the data sets, with
 * true or scripted answers; driven once and shared by several laws.
 */
export function standardRun(
  subject: Subject<'optimizer'>,
  setting: Setting,
  set: DataSetName,
  script?: ScriptName,
): Done {
  return remembered(standardRuns, setting, `${set}, ${script ?? 'the truth'}`, () =>
    carryOut(subject, setting, standardPlan(subject, setting), {
      records: dataSets(setting)[set],
      ...(script === undefined ? {} : { script: scripts[script] }),
    }),
  );
}

/**
 * Outputs of one run after another on records that are attached
 * once, each with a curator and randomness of its own.
 */
export function outputsOn(
  subject: Subject<'optimizer'>,
  setting: Setting,
  run: Run,
  records: Records,
): (randomness: string) => Vector {
  const attached = attach(subject, setting, { records });
  let count = 0;
  return (randomness) => {
    // No run is ended: that would rewrite the ledger, and nobody reads it.
    const { curator } = enter(attached, subject, setting, { randomness, held: run.held }, `run ${count++}`);
    return driveSync(run, curator, { start: startOf(setting), random: seededRandom('public') }).output;
  };
}
