import {
  memoryStore,
  seededRandom,
  type Adjacency,
  type Answered,
  type Batch,
  type Curator,
  type PrivacyEvent,
  type PrivacyFilter,
  type Query,
  type RandomSource,
  type Registry,
  type Store,
} from '@lethe/core';
import {
  attachData,
  openLedger,
  type DataInput,
  type DataSet,
  type Ledger,
  type LedgerOptions,
} from '@lethe/curator';
import type { CsrMatrix, MatrixView } from '@lethe/numerics';
import type { Data } from '../../arbitraries/vectors.js';
import { featuresOf } from '../../engines/features.js';
import type { Subject } from '../../law/subject.js';
import { loss, standIns, type LossName, type Observer } from './stand-ins/index.js';

/** Everything that determines the data and randomness of a curator. */
export interface FixtureOptions {
  readonly rows: Data;
  readonly adjacency: Adjacency;
  /** Features per record, if there are no records. @defaultValue the length of the first record */
  readonly dimension?: number;
  readonly labels?: readonly number[];
  readonly loss?: LossName;
  readonly domain?: DataInput['domain'];
  readonly outside?: DataInput['outside'];
  /** Whose the records are. @defaultValue each is a slot of its own */
  readonly owners?: DataInput['owners'];
  /** Whether the rows are stored by their entries that differ from zero. @defaultValue false */
  readonly sparse?: boolean;
  readonly run?: string;
  /** Seed or source of the curator's randomness. */
  readonly randomness?: string | RandomSource;
  /** Store of the ledger; the same store again resumes it. */
  readonly store?: Store;
  /** An open ledger in place of a new one. */
  readonly ledger?: Ledger;
  readonly limit?: LedgerOptions['limit'];
  /** @defaultValue the number of records under add-remove, else left out; `null` leaves it out */
  readonly publicSlots?: number | null;
  readonly planned?: PrivacyEvent;
  readonly held?: PrivacyFilter;
  readonly allowUnprotected?: boolean;
  /** For curators under trust in a shuffler. @defaultValue all slots */
  readonly honestUsers?: number;
  readonly observe?: Observer;
  /** Plugins that take precedence over all others. */
  readonly plugins?: Registry;
}

/** Data, ledger and curator of one run. */
export interface Fixture {
  readonly curator: Curator<Answered>;
  readonly allRecords: Batch;
  readonly data: DataSet;
  readonly ledger: Ledger;
  readonly store: Store;
  readonly run: string;
  /** Number of queries sent through {@link Fixture.ask}. */
  readonly asked: () => number;
  /** Sends the next query and returns the answer. */
  ask<A>(query: Query): A;
}

/** A fixture with the subject as curator. */
export function openFixture(subject: Subject<'curator'>, options: FixtureOptions): Fixture {
  const {
    rows,
    adjacency,
    run = 'run',
    randomness = 'coins',
    store = memoryStore(),
    limit,
    planned,
    held,
    allowUnprotected,
    honestUsers,
    observe,
    plugins = [],
  } = options;
  const registry =
    plugins.length === 0
      ? commonRegistry(subject, observe)
      : Object.freeze([...plugins, ...standIns(observe), ...subject.registry]);
  const ledger =
    options.ledger ?? openLedger({ adjacency, store, ...(limit === undefined ? {} : { limit }) });
  const data = attach(options, registry, ledger);
  const publicSlots =
    options.publicSlots === undefined && adjacency === 'add-remove'
      ? Math.max(1, rows.length)
      : options.publicSlots;
  const curator = subject.open({
    data,
    registry,
    run,
    random: typeof randomness === 'string' ? seededRandom(randomness) : randomness,
    ...(publicSlots === undefined || publicSlots === null ? {} : { publicSlots }),
    ...(planned === undefined ? {} : { planned }),
    ...(held === undefined ? {} : { held }),
    ...(allowUnprotected === undefined ? {} : { allowUnprotected }),
    ...(honestUsers === undefined ? {} : { honestUsers }),
  });
  let asked = 0;
  return {
    curator,
    data,
    ledger,
    store,
    run,
    allRecords: curator.allRecords,
    asked: () => asked,
    ask<A>(query: Query): A {
      const { answer } = curator.answer(asked, query);
      asked++;
      return answer as A;
    },
  };
}

const common = new WeakMap<Registry, Registry>();
const watched = new WeakMap<Observer, WeakMap<Registry, Registry>>();

/** The registry of fixtures without plugins of their own: one array for each subject and observer. */
function commonRegistry({ registry: own }: Subject<'curator'>, observe: Observer | undefined): Registry {
  const known = observe === undefined ? common : (watched.get(observe) ?? new WeakMap<Registry, Registry>());
  if (observe !== undefined) watched.set(observe, known);
  const found = known.get(own) ?? Object.freeze([...standIns(observe), ...own]);
  known.set(own, found);
  return found;
}

/** The records as data attached to a ledger: null entries as null records, labels 0 by default. */
function attach(
  {
    rows,
    dimension = rows.find((row) => row !== null)?.length ?? 1,
    labels,
    loss: name = 'plain',
    domain,
    outside,
    owners,
    sparse = false,
  }: FixtureOptions,
  registry: Registry,
  ledger: Ledger,
): DataSet {
  return attachData({
    features: sparse ? entriesOf(rows, dimension) : matrixOf(rows, dimension),
    labels: Float64Array.from({ length: rows.length }, (_, i) => labels?.[i] ?? 0),
    nulls: Uint8Array.from(rows, (row) => (row === null ? 1 : 0)),
    loss: loss(name),
    registry,
    ledger,
    ...(domain === undefined ? {} : { domain }),
    ...(outside === undefined ? {} : { outside }),
    ...(owners === undefined ? {} : { owners }),
  });
}

function matrixOf(rows: Data, columns: number): MatrixView {
  const features = featuresOf(rows.length, columns);
  rows.forEach((row, i) => {
    if (row !== null) features.data.set(row, i * columns);
  });
  return features;
}

/** The rows by their entries that differ from zero. */
function entriesOf(rows: Data, columns: number): CsrMatrix {
  const entries = rows.map((row) => (row ?? []).flatMap((x, j) => (x === 0 ? [] : [[j, x] as const])));
  let count = 0;
  return {
    rows: rows.length,
    columns,
    rowStarts: Uint32Array.from([0, ...entries.map((row) => (count += row.length))]),
    columnIndices: Uint32Array.from(entries.flat(), ([j]) => j),
    values: Float64Array.from(entries.flat(), ([, x]) => x),
  };
}

/** `d` records, one along each axis: the mean of a batch reveals its members. */
export const oneHot = (count: number): Data =>
  Array.from({ length: count }, (_, i) => Array.from({ length: count }, (_other, j) => (i === j ? 1 : 0)));

/** Cells, one for each of these adjacencies. */
export const under =
  (...list: readonly Adjacency[]) =>
  (): readonly { readonly name: string; readonly adjacency: Adjacency }[] =>
    list.map((adjacency) => ({ name: adjacency, adjacency }));
/** One cell for each adjacency. */
export const underEach = under('replace-one', 'add-remove', 'zero-out');
