import { dpSgd } from '@lethe/algorithms';
import {
  drive,
  IncompatiblePlugins,
  sameEvent,
  seededRandom,
  type Adjacency,
  type Calibrate,
  type Owners,
  type PrivacyEvent,
  type RandomSource,
  type Registry,
} from '@lethe/core';
import { attachData, centralCurator, type Ledger } from '@lethe/curator';
import { linear } from '@lethe/losses';
import { wholeSpaceDomain } from '@lethe/mechanisms';
import ndarray from 'ndarray';

/** Where a private answer is charged. */
export interface Charged {
  readonly ledger: Ledger;
  /** Bytes by which the ledger recognises the records. */
  readonly identity: readonly Uint8Array[];
  /** Source of the noise. */
  readonly secret: RandomSource;
  readonly signal?: { throwIfAborted(): void } | undefined;
  /** Called before each query; what it returns is awaited. */
  readonly pause?: (() => Promise<void> | undefined) | undefined;
  /** Whose the vectors are, and those that do not count: the vector of an owner is the mean of the others. */
  readonly owned?: { readonly owners: Owners; readonly leftOut: Uint8Array } | undefined;
}

/** A planned mean of one vector of norm 1 or less for each record. */
export interface PlannedMean {
  readonly event: PrivacyEvent;
  readonly noiseMultiplier: number;
  /** Standard deviation of the noise in each entry of the mean. */
  readonly noise: number;
  /**
   * Releases the mean over all slots and charges it.
   *
   * @param vectors - `[records, width]`, row-major, each of norm 1 or less; zeros for a record that does not
   * count. A slot is a record, or all records of an owner.
   */
  release(vectors: Float64Array, charged: Charged): Promise<ReleasedMean>;
}

/** A mean that was released. */
export interface ReleasedMean {
  readonly mean: Float64Array;
  /** Whether the noise of its run can be drawn again: a run keeps the source that it began with. */
  readonly simulation: boolean;
}

/** What a mean is planned for. */
export interface MeanRequest {
  /** Name of its run in the ledger. */
  readonly run: string;
  readonly adjacency: Adjacency;
  readonly slots: number;
  /** @defaultValue a record */
  readonly unit?: 'record' | 'owner' | undefined;
  readonly width: number;
  readonly registry: Registry;
  readonly budget: { readonly epsilon: number; readonly delta: number };
  readonly calibrate: Calibrate;
  /** Left out: calibrated to the budget. */
  readonly noiseMultiplier?: number | undefined;
}

/**
 * Plans the mean of one vector per record. It is one step of DP-SGD from the origin, on a loss whose gradient
 * is minus the record, so that curator, ledger and accountants are those of training.
 *
 * @throws {Unsupported} when no noise keeps the budget.
 */
export function plannedMean(request: MeanRequest): PlannedMean {
  const {
    run: name,
    adjacency,
    slots,
    unit = 'record',
    width,
    registry,
    budget,
    calibrate,
    noiseMultiplier,
  } = request;
  const random = seededRandom(`coins/${name}`);
  const run = dpSgd.prepare({
    problem: {
      adjacency,
      trust: { model: 'central' },
      dimension: width,
      slots: [slots],
      ...(unit === 'owner' ? { unit } : {}),
      domain: wholeSpaceDomain({}),
      loss: linear({}),
      capabilities: linear.capabilities,
      facts: {},
    },
    registry,
    budget,
    params: {
      steps: 1,
      rate: 1,
      clipNorm: 1,
      stepSize: 1,
      ...(noiseMultiplier === undefined ? {} : { noiseMultiplier }),
    },
    calibrate,
    random,
  });
  const planned = multiplierOf(run.plan);
  return {
    event: run.plan.event,
    noiseMultiplier: planned,
    noise: (planned * (adjacency === 'replace-one' ? 2 : 1)) / slots,
    async release(vectors, { ledger, identity, secret, signal, pause, owned }) {
      const data = attachData({
        features: ndarray(vectors, [vectors.length / width, width]),
        ...(owned === undefined ? {} : { owners: owned.owners, nulls: owned.leftOut }),
        loss: linear({}),
        registry,
        domain: { featureNorm: 1 },
        outside: 'clip',
        identity: [...identity],
        ledger,
      });
      const curator = centralCurator({ data, registry, run: name, planned: run.plan.event, random: secret });
      const { output } = await drive(run, curator, {
        start: new Float64Array(width),
        random,
        ...(signal === undefined ? {} : { signal }),
        ...(pause === undefined ? {} : { pause }),
      });
      curator.end();
      assertPlanned(curator.spent(), run.plan.event, 'dp-sgd');
      return { mean: Float64Array.from(output), simulation: curator.facts.simulation };
    },
  };
}

/** The noise multiplier of a plan, where it has one. */
const multiplierOf = (plan: object): number =>
  'noiseMultiplier' in plan && typeof plan.noiseMultiplier === 'number' ? plan.noiseMultiplier : Number.NaN;

/** @throws {IncompatiblePlugins} for a run that cost something else than it planned. */
export function assertPlanned(spent: PrivacyEvent, planned: PrivacyEvent, optimizer: string): void {
  if (sameEvent(spent, planned)) return;
  throw new IncompatiblePlugins(
    `optimizer '${optimizer}' cost something else than it planned, so nothing can be certified; the charge ` +
      'stands. Repair the optimizer.',
    { planned, spent },
  );
}
