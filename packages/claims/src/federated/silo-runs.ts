import {
  driveSync,
  seededRandom,
  type Answered,
  type Curator,
  type Fact,
  type Owners,
  type PrivacyEvent,
  type Problem,
  type Query,
  type Registry,
  type Run,
  type TrustModel,
  type Vector,
} from '@lethe/core';
import { openLedger, type DataSet } from '@lethe/curator';
import type { OpenRawSilo } from '@lethe/curator/federation';
import { linear, losses, squaredDistance } from '@lethe/losses';
import { independentPrefixes, l2BallDomain, latticeClip, mechanisms, skellam } from '@lethe/mechanisms';
import { planning } from '../recursive-gradients/paths.js';
import type { FederatedSubject } from './subject.js';

/** Plugins of silos and servers. */
const registry: Registry = Object.freeze([...mechanisms, ...losses]);
const every = (value: number): Fact => ({ value, scope: 'every-record', provenance: 'declared' });
export type Records = readonly (readonly number[])[];

/** Silos with these records, and a server. */
export interface Silos {
  readonly dimension: number;
  /** Records of each silo; of `½‖x − z‖²`, or of `−⟨x, z⟩`. */
  readonly records: readonly Records[];
  readonly loss?: 'distance' | 'linear';
  readonly server?: 'trusted' | 'untrusted';
  readonly weights?: readonly number[];
  /** Names the randomness of silos. */
  readonly randomness?: string;
}

/** `G` and `L` of every record, in a ball of this radius. */
export interface Constants {
  readonly lipschitz: number;
  readonly smoothness: number;
  readonly radius?: number;
  readonly unit?: 'record' | 'owner';
}

const trustOf = ({ records, server = 'untrusted', weights }: Silos): TrustModel => ({
  model: 'federated',
  silos: records.length,
  server,
  ...(weights === undefined ? {} : { weights }),
});

/** A problem of the silos, for a method. */
function problemOf(silos: Silos, { lipschitz, smoothness, radius = 1, unit = 'record' }: Constants): Problem {
  const loss = silos.loss === 'linear' ? linear : squaredDistance;
  return {
    adjacency: 'replace-one',
    dimension: silos.dimension,
    slots: silos.records.map(({ length }) => length),
    trust: trustOf(silos),
    unit,
    domain: l2BallDomain({ radius }),
    loss: loss({}),
    capabilities: loss.capabilities,
    facts: { lipschitz: every(lipschitz), smoothness: every(smoothness) },
  };
}

/** A planned run of DP-μ²-FL. */
export const privateRun = (
  subject: FederatedSubject,
  silos: Silos,
  constants: Constants,
  params: object,
): Run =>
  subject.dpMu2Sgd.prepare({
    ...planning,
    calibrate: subject.calibrate,
    registry,
    problem: problemOf(silos, constants) as never,
    params,
  });
/** A planned run of μ²-SGD, which has no noise. */
export const plainRun = (
  subject: FederatedSubject,
  silos: Silos,
  constants: Constants,
  params: object,
): Run =>
  subject.mu2Sgd.prepare({
    ...planning,
    registry,
    problem: problemOf(silos, constants) as never,
    params: params as never,
  });

/** A planned run of DP-FedAvg. */
export const fedAvgRun = (subject: FederatedSubject, silos: Silos, params: object): Run =>
  subject.dpFedAvg.prepare({
    ...planning,
    calibrate: subject.calibrate,
    registry,
    problem: problemOf(silos, { lipschitz: 2, smoothness: 1 }) as never,
    params: params as never,
  });

function dataOf(
  { attachData }: FederatedSubject,
  { dimension, loss = 'distance' }: Silos,
  records: Records,
  owners?: Owners,
): DataSet {
  const features = new Float64Array(records.length * dimension);
  records.forEach((record, i) => features.set(record, i * dimension));
  return attachData({
    features: {
      data: features,
      rows: records.length,
      columns: dimension,
      offset: 0,
      rowStride: dimension,
      columnStride: 1,
    },
    labels: new Float64Array(records.length),
    loss: loss === 'linear' ? linear({}) : squaredDistance({}),
    registry,
    ledger: openLedger({ adjacency: 'replace-one' }),
    ...(owners === undefined ? {} : { owners }),
  });
}

/** What was said in a run, by query about points. */
export interface Round {
  readonly points: readonly (readonly number[])[];
  /** Of each silo; `null` where it was silent. */
  readonly said: readonly (readonly number[] | null)[];
  readonly told: readonly number[];
}
/** A driven run. */
export interface SiloPath {
  readonly rounds: readonly Round[];
  readonly output: readonly number[];
  /** What each silo was charged. */
  readonly charged: readonly PrivacyEvent[];
  readonly recorded: readonly number[];
  readonly spent: PrivacyEvent;
}

/** How a run is driven. */
export interface Driving {
  /** Silos that are silent in a round, from 0. */
  readonly isSilent?: (silo: number, round: number) => boolean;
  /** A fixed server, in place of the run: queries that it asks, whatever it is told. */
  readonly script?: (curator: Curator<Answered>) => readonly Query[];
  /** Records of owners in place of those of the only silo. */
  readonly owned?: { readonly records: Records; readonly owners: Owners };
}

const silence = new Error('silent');

type RoundQuery = Extract<Query, { readonly ask: 'push' | 'mean' | 'localUpdate' }>;
const isRound = (query: Query): query is RoundQuery =>
  query.ask === 'push' || query.ask === 'mean' || query.ask === 'localUpdate';

/** Drives a run on real silos, each with a ledger of its own, and listens to what each of them says. */
export function driveSilos(
  subject: FederatedSubject,
  run: Run | null,
  silos: Silos,
  { isSilent = () => false, script, owned }: Driving = {},
): SiloPath {
  const { records, server = 'untrusted', weights, randomness = 'coins' } = silos;
  const said: (readonly number[] | null)[][] = [];
  let round = -1;
  const heard = <A extends { readonly answer: unknown }>(silo: number, query: Query, answer: () => A): A => {
    if (!isRound(query)) return answer();
    if (isSilent(silo, round)) throw silence;
    const reply = answer();
    said[round][silo] = [...(reply.answer as Vector)];
    return reply;
  };
  const opening = (own: Records, i: number) => ({
    data:
      owned === undefined ? dataOf(subject, silos, own) : dataOf(subject, silos, owned.records, owned.owners),
    registry,
    run: 'run',
    random: seededRandom(`${randomness}/${i}`),
    allowUnprotected: true,
  });
  const closing: (() => { charged: PrivacyEvent; recorded: number })[] = [];
  let curator: Curator<Answered>;
  const common = {
    ...(weights === undefined ? {} : { weights }),
    isAbsence: (error: unknown) => error === silence,
  };
  if (server === 'untrusted') {
    const members = records.map((own, i) => {
      const inner = subject.centralCurator(opening(own, i));
      closing.push(() => ({ charged: inner.charged(), recorded: inner.recorded() }));
      return {
        ...inner,
        answer: (index: number, query: Query) => heard(i, query, () => inner.answer(index, query)),
      };
    });
    curator = subject.federation({ ...common, silos: members });
  } else {
    const members = records.map((own, i): OpenRawSilo => {
      const inner = subject.rawSilo({
        ...opening(own, i),
        silos: records.length,
        ...(weights === undefined ? {} : { weights }),
      });
      closing.push(() => ({ charged: inner.charged(), recorded: inner.recorded() }));
      return {
        ...inner,
        sumFor: (index, query) => heard(i, query, () => inner.sumFor(index, query)),
      };
    });
    curator = subject.trustedFederation({ ...common, silos: members, registry });
  }
  const rounds: Round[] = [];
  const listening: Curator<Answered> = {
    ...curator,
    answer(index, query) {
      if (isRound(query)) {
        round += 1;
        said.push(records.map(() => null));
      }
      const reply = curator.answer(index, query);
      if (isRound(query))
        rounds.push({
          points: query.ask === 'localUpdate' ? [[...query.from]] : query.of.terms.map(({ at }) => [...at]),
          said: said[round],
          told: [...(reply.answer as Vector)],
        });
      return reply;
    },
  };
  let output: readonly number[] = [];
  if (script === undefined && run !== null)
    output = [
      ...driveSync(run, listening, { start: new Float64Array(silos.dimension), random: planning.random })
        .output,
    ];
  else script?.(listening).forEach((query, index) => listening.answer(index, query));
  const ends = closing.map((close) => close());
  return {
    rounds,
    output,
    charged: ends.map(({ charged }) => charged),
    recorded: ends.map(({ recorded }) => recorded),
    spent: curator.spent(),
  };
}

/** Sums of increments: `q_t`, or the noisy ones. */
export function sumsOf(increments: readonly (readonly number[] | null)[]): readonly (readonly number[])[] {
  const sums: number[][] = [];
  for (const one of increments) {
    const before = sums.at(-1);
    sums.push(one === null ? [...(before ?? [])] : one.map((entry, j) => entry + (before?.[j] ?? 0)));
  }
  return sums;
}

/** A server that asks one silo for increments at 0 in a stream of whole numbers with Skellam noise. */
export const wholeScript =
  (
    { dimension }: Silos,
    {
      rounds,
      radius,
      spacing,
      noiseMultiplier,
    }: {
      readonly rounds: number;
      readonly radius: number;
      readonly spacing: number;
      readonly noiseMultiplier: number;
    },
  ) =>
  ({ allRecords }: { readonly allRecords: { readonly id: string } }): readonly Query[] =>
    [
      { ask: 'split', of: allRecords, order: 'stored', parts: { by: 'count', count: rounds } },
      {
        ask: 'open',
        prefixSum: independentPrefixes({}),
        steps: rounds,
        dimension,
        bound: { by: 'clip', clip: latticeClip({ radius, spacing }) },
        noise: { mechanism: skellam({ leastScale: 64 }), target: { noiseMultiplier } },
        participation: { times: 1, gap: rounds },
        normaliser: 1,
      },
      ...Array.from({ length: rounds }, (_, k) => ({
        ask: 'push',
        stream: { id: 'run/1' },
        batch: { id: `run/0.${k}`, normaliser: 1, size: 'exact', scope: null },
        of: { terms: [{ weight: 1, at: new Float64Array(dimension) }] },
      })),
    ] as unknown as readonly Query[];
