import {
  InvalidParameter,
  Unsupported,
  type Answered,
  type Curator,
  type RandomSource,
  type Registry,
} from '@lethe/core';
import {
  attachData,
  centralCurator,
  openLedger,
  type CentralCuratorOptions,
  type DataSet,
} from '@lethe/curator';
import {
  addendSilo,
  federation,
  rawSilo,
  secureFederation,
  trustedFederation,
  type JointTrust,
} from '@lethe/curator/federation';
import { precisionOf } from '@lethe/numerics';
import type { FederatedSpec } from '../experiment/optimizer-schema.js';

/** How records lie on silos. */
export type Layout = Pick<FederatedSpec, 'silos' | 'shares' | 'split'>;

/**
 * Records of each silo: in proportion to the shares, whole, and the largest remainders rounded up.
 *
 * @throws {InvalidParameter} where a silo has none.
 */
export function siloSizes({ silos, shares }: Omit<Layout, 'split'>, n: number): readonly number[] {
  if (silos > n)
    throw new InvalidParameter(
      `trust.silos is ${silos}, and there are ${n} records; give at most as many silos as records`,
      { silos, n },
    );
  const parts = shares ?? Array.from({ length: silos }, () => 1);
  const total = parts.reduce((sum, one) => sum + one, 0);
  const exact = parts.map((one) => (n * one) / total);
  const sizes = exact.map(Math.floor);
  const rest = (i: number): number => exact[i] - sizes[i];
  const left = n - sizes.reduce((sum, one) => sum + one, 0);
  const byRest = sizes.map((_, i) => i).toSorted((a, b) => rest(b) - rest(a) || a - b);
  for (const i of byRest.slice(0, left)) sizes[i]++;
  const empty = sizes.indexOf(0);
  if (empty >= 0)
    throw new InvalidParameter(
      `trust.shares give silo ${empty} none of ${n} records; give it a larger share, or more records`,
      { shares, n },
    );
  return sizes;
}

/**
 * Simulated silos of one sample of records, each with a ledger and randomness of its own, and their server.
 */
export function simulatedSilos(
  trust: JointTrust,
  layout: Layout,
  {
    data,
    registry,
    run,
    random,
    allowUnprotected,
  }: CentralCuratorOptions & { readonly random: RandomSource },
): Curator<Answered> {
  const rows = rowsOf(data, layout);
  const opening = rows.map((own, i) => ({
    data: partOf(data, registry, own),
    registry,
    run,
    random: random.fork(`silo ${i}`),
    ...(allowUnprotected === undefined ? {} : { allowUnprotected }),
  }));
  if (trust.model === 'secure-aggregation') {
    const { silos, corrupted, survivors } = trust;
    const sums = { corrupted, survivors };
    return secureFederation({
      ...sums,
      registry,
      silos: opening.map(({ allowUnprotected: _allowUnprotected, ...one }) =>
        addendSilo({ ...one, ...sums, silos }),
      ),
    });
  }
  const { weights, simulatedShares } = trust;
  const shared = {
    ...(weights === undefined ? {} : { weights }),
    ...(simulatedShares === undefined ? {} : { simulatedShares }),
  };
  if (trust.server === 'untrusted') return federation({ ...shared, silos: opening.map(centralCurator) });
  return trustedFederation({
    ...shared,
    registry,
    silos: opening.map((one) => rawSilo({ ...one, ...shared, silos: trust.silos })),
  });
}

/** Which records are in which silo: in the order they come in, or in the order of their labels. */
function rowsOf(data: DataSet, layout: Layout): readonly Uint32Array[] {
  const order = Uint32Array.from({ length: data.slots }, (_, i) => i);
  if (layout.split === 'by-label') {
    const label = (i: number): number => data.labels[i * data.labelWidth];
    order.sort((a, b) => label(a) - label(b) || a - b);
  }
  let from = 0;
  return siloSizes(layout, data.slots).map((size) => order.slice(from, (from += size)));
}

/** Some of the records as a data set of their own, with a ledger of its own. */
function partOf(data: DataSet, registry: Registry, rows: Uint32Array): DataSet {
  const { matrix, columns, labels, labelWidth, nulls, lossRef, domain, ledger } = data;
  if ('rowStarts' in matrix)
    throw new Unsupported('sparse records are not split over silos; use dense features', {});
  const features = new Float64Array(rows.length * columns);
  const own = new Float64Array(rows.length * labelWidth);
  rows.forEach((row, i) => {
    for (let j = 0; j < columns; j++)
      features[i * columns + j] =
        matrix.data[matrix.offset + row * matrix.rowStride + j * matrix.columnStride];
    own.set(labels.subarray(row * labelWidth, (row + 1) * labelWidth), i * labelWidth);
  });
  return attachData({
    precision: precisionOf(matrix),
    features: { data: features, rows: rows.length, columns, offset: 0, rowStride: columns, columnStride: 1 },
    labels: own,
    ...(nulls === null ? {} : { nulls: Uint8Array.from(rows, (row) => nulls[row]) }),
    loss: lossRef,
    registry,
    domain,
    outside: 'clip',
    ledger: openLedger({ adjacency: ledger.adjacency }),
  });
}
