import {
  memoryStore,
  seededRandom,
  type Adjacency,
  type Noise,
  type Registry,
  type Store,
} from '@lethe/core';
import {
  attachData,
  centralCurator,
  openLedger,
  type CentralCurator,
  type DataInput,
  type DataSet,
  type Ledger,
} from '@lethe/curator';
import { dpSgd } from '@lethe/algorithms';
import { losses, squared } from '@lethe/losses';
import { gaussian, l2Clip, mechanisms } from '@lethe/mechanisms';

export const registry: Registry = [...mechanisms, ...losses, dpSgd];
export const dimension = 3;

/** Records `x = (k, 1, −k)/8`, `y = k` for k = 0 … n−1: small, exact in binary, all different. */
export function records(n: number): { features: Float64Array; labels: Float64Array } {
  const features = new Float64Array(n * dimension);
  for (let k = 0; k < n; k++) features.set([k / 8, 1 / 8, -k / 8], k * dimension);
  return { features, labels: Float64Array.from({ length: n }, (_, k) => k) };
}

export interface World {
  readonly data: DataSet;
  readonly ledger: Ledger;
  readonly curator: CentralCurator;
  readonly store: Store;
}
export interface WorldOptions extends Partial<DataInput> {
  readonly n?: number;
  readonly adjacency?: Adjacency;
  readonly run?: string;
  readonly seed?: string;
  readonly publicSlots?: number;
  readonly allowUnprotected?: boolean;
  readonly store?: Store;
}

export function world({
  n = 12,
  adjacency = 'replace-one',
  run = 'run',
  seed = 'coins',
  publicSlots,
  allowUnprotected = false,
  store = memoryStore(),
  ...input
}: WorldOptions = {}): World {
  const { features, labels } = records(n);
  const ledger = input.ledger ?? openLedger({ adjacency, store });
  const data = attachData({
    features: {
      data: features,
      rows: n,
      columns: dimension,
      offset: 0,
      rowStride: dimension,
      columnStride: 1,
    },
    labels,
    loss: squared({}),
    registry,
    ...input,
    ledger,
  });
  const curator = centralCurator({
    data,
    registry,
    run,
    random: seededRandom(seed),
    allowUnprotected,
    ...(publicSlots === undefined ? {} : { publicSlots }),
  });
  return { data, ledger, curator, store };
}

export const noise = (noiseMultiplier: number): Noise => ({
  mechanism: gaussian({}),
  target: { noiseMultiplier },
});
export const clip = (radius: number) => ({ by: 'clip', clip: l2Clip({ radius }) }) as const;
