import { dpMu2Sgd } from '@lethe/algorithms';
import {
  ask,
  memoryStore,
  seededRandom,
  type RandomSource,
  type Run,
  type Store,
  type Vector,
} from '@lethe/core';
import { attachData, defineOptimizer, openLedger, type DataSet, type Limit } from '@lethe/curator';
import {
  agreementFor,
  heldAddendSilo,
  heldRawSilo,
  siloCurator,
  type Link,
  type SiloCuratorOptions,
} from '@lethe/curator/federation';
import { logistic, losses } from '@lethe/losses';
import { gaussian, independentPrefixes, l2BallDomain, l2Clip, mechanisms } from '@lethe/mechanisms';
import {
  identityFrom,
  remoteAddendSilo,
  remoteRawSilo,
  remoteSilo,
  sealedPlan,
  siloService,
  type FederatedPlan,
  type Identity,
  type OpenedRun,
  type RemoteAddendSilo,
  type RemoteRawSilo,
  type RemoteSilo,
  type RemoteSiloOptions,
  type SealedPlan,
  type SiloOptions,
  type SiloService,
} from '../../src/index.js';
import * as z from 'zod';

/** Asks about a point, then about none, and then about the newest point and the one before. */
const pausing = defineOptimizer({
  name: 'test/pausing',
  summary: 'Two increments with a query about no point between them.',
  source: { id: 'test', item: 'none' },
  params: z.strictObject({}),
  claims: [],
  needs: {},
  adjacencies: ['replace-one'],
  trustModels: ['federated'],
  privacyRestsOn: 'clip',
  stopping: 'fixed',
  facts: {},
  plan: () => ({ utility: null }),
  *steps({ start, allRecords, problem }) {
    const parts = { by: 'count', count: 2 } as const;
    const batches = yield* ask.split({ of: allRecords, order: 'stored', parts });
    const stream = yield* ask.open({
      prefixSum: independentPrefixes({}),
      steps: 2,
      dimension: start.length,
      bound: { by: 'clip', clip: l2Clip({ radius: 1 }) },
      noise: { mechanism: gaussian({}), target: { noiseMultiplier: 3 } },
      participation: { times: 1, gap: 2 },
      normaliser: 1,
      normalisers: problem.slots.map((slots) => slots / 2),
    });
    const first = yield* ask.push({ stream, batch: batches[0], terms: [{ weight: 1, at: start }] });
    yield* ask.split({ of: batches[1], order: 'stored', parts });
    const terms = [
      { weight: 2, at: first.map((one) => one / 100) },
      { weight: -1, at: start },
    ];
    yield* ask.push({ stream, batch: batches[1], terms });
    return start;
  },
});
export const registry = Object.freeze([...mechanisms, ...losses, dpMu2Sgd, pausing]);
const runName = '00112233445566778899aabbccddeeff';

/** The size of a test's federation. */
export interface WorldSize {
  readonly silos?: number;
  readonly rounds?: number;
  readonly batchSize?: number;
  readonly dimension?: number;
  readonly gaps?: boolean;
  readonly server?: 'trusted' | 'untrusted' | 'secure';
  /** Of secure sums: silos that a sum has at least. */
  readonly survivors?: number;
  readonly limit?: Limit;
  readonly seed?: string;
  /** @defaultValue DP-μ²-SGD */
  readonly optimizer?: 'pausing';
}

/** Keys from a seed: no test depends on the system's. */
export const identityOf = (name: string): Identity =>
  identityFrom(seededRandom(`identity ${name}`).bytes(64));

/** A federated run on seeded records: what a server prepares, and what each silo keeps. */
export interface World {
  readonly size: Required<Omit<WorldSize, 'limit' | 'seed' | 'optimizer'>>;
  readonly server: Identity;
  readonly silos: readonly Identity[];
  readonly run: Run;
  readonly plan: FederatedPlan;
  readonly sealed: SealedPlan;
  readonly start: Vector;
  /** Stores of silo i: its ledger and its log. */
  readonly stores: readonly { readonly ledger: Store; readonly log: Store }[];
  data(silo: number, store: Store): DataSet;
  options(silo: number, more?: Partial<SiloOptions>): SiloOptions;
  service(silo: number, more?: Partial<SiloOptions>): SiloService;
}

const radius = 1;
const featureNorm = 1;

export const publicCoins = (): RandomSource => seededRandom('public');

/** An optimizer over all silos. */
function runOf(
  { silos, rounds, batchSize, dimension, server, survivors }: World['size'],
  optimizer: WorldSize['optimizer'],
): Run {
  const capabilities = logistic.capabilities;
  const context = {
    registry,
    budget: { epsilon: 1, delta: 1e-6 },
    calibrate: ({ target }) => ({
      value: gaussian.multiplierFor({}, target),
      achieved: {
        lower: 0,
        upper: target.epsilon,
        certificate: 'certified',
        method: 'test',
        assumptions: [],
      },
    }),
    random: publicCoins(),
    problem: {
      adjacency: 'replace-one',
      trust:
        server === 'secure'
          ? { model: 'secure-aggregation', silos, corrupted: 0, survivors }
          : { model: 'federated', silos, server },
      dimension,
      slots: Array.from({ length: silos }, () => rounds * batchSize),
      domain: l2BallDomain({ radius }),
      loss: logistic({}),
      capabilities,
      facts: logistic.facts({}, { columns: dimension, featureNorm, labelBound: 1, iterateNorm: radius }),
    },
  } satisfies Omit<Parameters<typeof pausing.prepare>[0], 'params'>;
  if (optimizer === 'pausing') return pausing.prepare({ ...context, params: {} });
  const params = server === 'secure' ? { rounds, noiseMultiplier: 3 } : { rounds };
  return dpMu2Sgd.prepare({ ...context, params });
}

export function worldOf({
  silos: count = 3,
  rounds = 6,
  batchSize = 2,
  dimension = 4,
  gaps = false,
  server: trusted = 'untrusted',
  survivors = count,
  limit,
  seed = 'records',
  optimizer,
}: WorldSize = {}): World {
  const mayMiss = gaps || survivors < count;
  const size = {
    silos: count,
    rounds,
    batchSize,
    dimension,
    gaps: mayMiss,
    server: trusted,
    survivors,
  };
  const run = runOf(size, optimizer);
  const start = new Float64Array(dimension);
  const server = identityOf('server');
  const silos = Array.from({ length: count }, (_, i) => identityOf(`silo ${i}`));
  const records = rounds * batchSize;
  const plan: FederatedPlan = {
    format: 'lethe/federated-plan',
    v: 2,
    title: 'a test',
    server: server.public.text,
    silos: silos.map((own, i) => ({ name: `silo-${i}`, key: own.public.text })),
    unit: 'record',
    data: {},
    gaps: mayMiss,
    ...(trusted === 'secure' ? { secure: { width: 32 as const } } : {}),
    agreement: agreementFor(run, { name: runName, start, random: publicCoins() }),
    deadline: 5,
  };
  const sealed = sealedPlan(plan);
  const stores = silos.map(() => ({ ledger: memoryStore(), log: memoryStore() }));
  const data = (silo: number, store: Store): DataSet => {
    const random = seededRandom(`${seed} ${silo}`);
    const features = random.gaussianInto(new Float64Array(records * dimension));
    const labels = Float64Array.from({ length: records }, (_, i) => (features[i * dimension] > 0 ? 1 : -1));
    return attachData({
      features: {
        data: features,
        rows: records,
        columns: dimension,
        offset: 0,
        rowStride: dimension,
        columnStride: 1,
      },
      labels,
      loss: logistic({}),
      registry,
      domain: { featureNorm, labelBound: 1, iterateNorm: radius },
      outside: 'clip',
      ledger: openLedger({ adjacency: 'replace-one', store, ...(limit === undefined ? {} : { limit }) }),
    });
  };
  const options = (silo: number, more: Partial<SiloOptions> = {}): SiloOptions => ({
    identity: silos[silo],
    serverKey: server.public,
    records,
    adjacency: 'replace-one',
    unit: 'record',
    registry,
    store: stores[silo].log,
    allowSimulation: true,
    confirm: () => Promise.resolve(true),
    open: (opened) => openings[trusted](world, opened, stores[silo].ledger),
    ...more,
  });
  const world: World = {
    size,
    server,
    silos,
    run,
    plan,
    sealed,
    start,
    stores,
    data,
    options,
    service: (silo, more) => siloService(options(silo, more)),
  };
  return world;
}

const siloOf = (world: World, { sealed, silo, place }: OpenedRun, ledger: Store): SiloCuratorOptions => ({
  data: world.data(silo, ledger),
  registry,
  agreement: sealed.plan.agreement,
  silo,
  place,
  random: seededRandom(`coins ${silo}`),
});

/** The log of a silo that is killed, once it is cut, at the first write after its next charge. */
export function cutLog({ ledger, log }: World['stores'][number]): { readonly store: Store; cut(): void } {
  let charged = Infinity;
  const killing = (write: (bytes: Uint8Array) => void) => (bytes: Uint8Array) => {
    if (ledger.read().length > charged) throw new Error('killed');
    write(bytes);
  };
  return {
    store: { ...log, append: killing(log.append), replace: killing(log.replace) },
    cut() {
      charged = ledger.read().length;
    },
  };
}

/** The silo's own curator, with seeded randomness. */
export const opening = (world: World, { sealed, silo, place }: OpenedRun, ledger: Store) =>
  siloCurator(siloOf(world, { sealed, silo, place }, ledger));
/** The same for a server that is trusted with sums. */
export const openingRaw = (world: World, run: OpenedRun, ledger: Store) =>
  heldRawSilo(siloOf(world, run, ledger));

/** The same for secure sums. */
export const openingAddends = (world: World, run: OpenedRun, ledger: Store) =>
  heldAddendSilo(siloOf(world, run, ledger));
const openings = { untrusted: opening, trusted: openingRaw, secure: openingAddends } as const;

const reaching = (
  world: World,
  link: Link,
  i: number,
  more: Partial<RemoteSiloOptions>,
): RemoteSiloOptions => ({
  link,
  identity: world.server,
  siloKey: world.silos[i].public,
  attempts: 50,
  pause: () => Promise.resolve(),
  ...more,
});

/** The remote silos of a world, each over its own link. */
export const remotes = (
  world: World,
  links: readonly Link[],
  more: Partial<RemoteSiloOptions> = {},
  first = 0,
): Promise<RemoteSilo[]> =>
  Promise.all(
    links.map((link, i) => remoteSilo(world.sealed, first + i, reaching(world, link, first + i, more))),
  );

/** The same for a server that is trusted with sums. */
export const rawRemotes = (world: World, links: readonly Link[]): Promise<RemoteRawSilo[]> =>
  Promise.all(links.map((link, i) => remoteRawSilo(world.sealed, i, reaching(world, link, i, {}))));

/** The same for secure sums. */
export const addendRemotes = (
  world: World,
  links: readonly Link[],
  more: Partial<RemoteSiloOptions> = {},
): Promise<RemoteAddendSilo[]> =>
  Promise.all(links.map((link, i) => remoteAddendSilo(world.sealed, i, reaching(world, link, i, more))));
