import { dpMu2Sgd } from '@lethe/algorithms';
import {
  attachData,
  centralCurator,
  memoryStore,
  openLedger,
  seededRandom,
  type Answered,
  type Curator,
  type DataSet,
  type Limit,
  type Link,
  type PrivacyEvent,
  type Run,
  type Store,
  type Vector,
} from '@lethe/core';
import { logistic, losses } from '@lethe/losses';
import { gaussian, l2BallDomain, mechanisms } from '@lethe/mechanisms';
import {
  identityFrom,
  remoteSilo,
  sealedPlan,
  siloService,
  type FederatedPlan,
  type Identity,
  type RemoteSilo,
  type RemoteSiloOptions,
  type SealedPlan,
  type SiloOptions,
  type SiloService,
} from '../../src/index.js';

export const registry = Object.freeze([...mechanisms, ...losses]);
export const runName = '00112233445566778899aabbccddeeff';

/** The size of a test's federation. */
export interface WorldSize {
  readonly silos?: number;
  readonly rounds?: number;
  readonly batchSize?: number;
  readonly dimension?: number;
  readonly trust?: FederatedPlan['trust'];
  readonly limit?: Limit;
}

/** Keys from a seed: no test depends on the system's. */
export const identityOf = (name: string): Identity =>
  identityFrom(seededRandom(`identity ${name}`).bytes(64));

/** A federated run on seeded records: what a server prepares, and what each silo keeps. */
export interface World {
  readonly size: Required<Omit<WorldSize, 'limit'>>;
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

/** The planned run of a silo's rounds, as an optimizer on one machine plans it. */
export function runOf({ rounds, batchSize, dimension }: World['size']): Run {
  const capabilities = logistic.capabilities;
  return dpMu2Sgd.prepare({
    registry: mechanisms,
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
    random: seededRandom('plan'),
    problem: {
      adjacency: 'replace-one',
      trust: { model: 'central' },
      dimension,
      slots: [rounds * batchSize],
      domain: l2BallDomain({ radius }),
      loss: logistic({}),
      capabilities,
      facts: logistic.facts({}, { columns: dimension, featureNorm, labelBound: 1, iterateNorm: radius }),
    },
    params: { rounds },
  });
}

export function worldOf({
  silos: count = 3,
  rounds = 6,
  batchSize = 2,
  dimension = 4,
  trust = 'untrusted-server',
  limit,
}: WorldSize = {}): World {
  const size = { silos: count, rounds, batchSize, dimension, trust };
  const run = runOf(size);
  const { clipNorm, halfSmoothness, noiseMultiplier } = run.plan as never as Record<string, number>;
  const server = identityOf('server');
  const silos = Array.from({ length: count }, (_, i) => identityOf(`silo ${i}`));
  const records = rounds * batchSize;
  const plan: FederatedPlan = {
    format: 'lethe/federated-plan',
    v: 1,
    run: runName,
    title: 'a test',
    trust,
    server: server.public.text,
    silos: silos.map((own, i) => ({ name: `silo-${i}`, key: own.public.text, records, batchSize })),
    rounds,
    setup: 2,
    dimension,
    domain: { ...l2BallDomain({ radius }), params: { radius } },
    start: Array.from({ length: dimension }, () => 0),
    loss: { ...logistic({}), params: {} },
    data: {},
    unit: 'record',
    adjacency: 'replace-one',
    queries: 'corrected-momentum',
    clip: { rule: 'given', radius: clipNorm, centred: true, smoothness: 2 * halfSmoothness },
    noiseMultiplier,
    event: run.plan.event,
    optimizer: { name: run.name, plan: {} },
    deadline: 5,
  };
  const sealed = sealedPlan(plan);
  const stores = silos.map(() => ({ ledger: memoryStore(), log: memoryStore() }));
  const data = (silo: number, store: Store): DataSet => {
    const random = seededRandom(`records ${silo}`);
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
    open: ({ plan: { run: name, event } }) =>
      centralCurator({
        data: data(silo, stores[silo].ledger),
        registry,
        run: name,
        planned: event as PrivacyEvent,
        random: seededRandom(`coins ${silo}`),
      }),
    ...more,
  });
  return {
    size,
    server,
    silos,
    run,
    plan,
    sealed,
    start: new Float64Array(dimension),
    stores,
    data,
    options,
    service: (silo, more) => siloService(options(silo, more)),
  };
}

/** The remote silos of a world, each over its own link. */
export const remotes = (
  world: World,
  links: readonly Link[],
  more: Partial<RemoteSiloOptions> = {},
): Promise<RemoteSilo[]> =>
  Promise.all(
    links.map((link, i) =>
      remoteSilo(world.sealed, i, {
        link,
        identity: world.server,
        siloKey: world.silos[i].public,
        attempts: 50,
        pause: () => Promise.resolve(),
        ...more,
      }),
    ),
  );

/** Averages what silos say: one program for one silo or many. */
export function averaged(silos: readonly Curator[]): Curator<Promise<Answered>> {
  const [first] = silos;
  const { trust: _, ...facts } = first.facts;
  return {
    facts,
    allRecords: first.allRecords,
    async answer(index, query) {
      const all = await Promise.all(silos.map((silo) => silo.answer(index, query)));
      const answers = all.map(({ answer }) => answer);
      const [one] = answers;
      return {
        answer:
          one instanceof Float64Array
            ? one.map((_entry, j) => answers.reduce<number>((sum, each) => sum + (each as Vector)[j], 0) / silos.length)
            : one,
        digest: all.map(({ digest }) => digest).join(''),
      };
    },
    async replay(index, query, digest) {
      const each = digest.length / silos.length;
      await Promise.all(
        silos.map((silo, i) => silo.replay(index, query, digest.slice(i * each, (i + 1) * each))),
      );
    },
    recorded: () => Math.min(...silos.map((silo) => silo.recorded())),
    spent: async () => await first.spent(),
  };
}
