import {
  driveSync,
  seededRandom,
  type Adjacency,
  type Calibrate,
  type Fact,
  type PrivacyEvent,
  type Problem,
  type Query,
  type Run,
  type Vector,
} from '@lethe/core';
import { attachData, centralCurator, openLedger, type CentralCurator } from '@lethe/curator';
import { logistic, losses } from '@lethe/losses';
import { gaussian, mechanisms, wholeSpaceDomain } from '@lethe/mechanisms';
import { publicCoins } from './problems.js';

/** Bounds of the features, far from alike. */
export const featureBounds = [4, 1, 0.25, 0.5];
export const dimension = featureBounds.length;
export const records = 40;
const registry = [...mechanisms, ...losses];
const domain = { featureNorm: 4, featureBounds, labelBound: 1, iterateNorm: 1 };
export const declared = (value: number): Fact => ({ value, scope: 'population', provenance: 'declared' });

/** Logistic regression on the whole space, with what follows from bounded features and what is given. */
export function problem({
  adjacency = 'replace-one',
  facts = {},
  ...rest
}: Partial<Omit<Problem, 'facts'>> & { readonly facts?: Readonly<Record<string, number>> } = {}): Problem<
  typeof logistic.capabilities
> {
  return {
    adjacency,
    dimension,
    slots: [records],
    trust: { model: 'central' },
    domain: wholeSpaceDomain({}),
    loss: logistic({}),
    facts: {
      ...logistic.facts({}, { columns: dimension, ...domain }),
      ...Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, declared(value)])),
    },
    ...rest,
    capabilities: logistic.capabilities,
  };
}

/** Exact for any number of Gaussians, which is all that these methods release. */
const calibrate: Calibrate = ({ make, target }) => {
  const { parts } = make(1) as PrivacyEvent & { readonly parts?: readonly { readonly count: number }[] };
  return {
    value: Math.sqrt(parts?.[0].count ?? 1) * gaussian.multiplierFor({}, target),
    achieved: { lower: 0, upper: target.epsilon, certificate: 'certified', method: 'test', assumptions: [] },
  };
};
export const context = { budget: { epsilon: 1, delta: 1e-6 }, calibrate, random: publicCoins };

/** Seeded records that keep to the bounds, row by row. */
export function recordsOf(): { readonly features: Vector; readonly labels: Vector } {
  const random = seededRandom('records');
  const features = Float64Array.from(
    { length: records * dimension },
    (_, at) => featureBounds[at % dimension] * (random.uniform() - 0.5),
  );
  const labels = Float64Array.from({ length: records }, (_, i) =>
    features[i * dimension] + features[i * dimension + 1] + random.uniform() - 0.5 > 0 ? 1 : -1,
  );
  return { features, labels };
}

/** A curator of these records. */
export function curatorOf(
  adjacency: Adjacency = 'replace-one',
  { bounds = {}, ...options }: { readonly allowUnprotected?: boolean; readonly bounds?: object } = {},
): CentralCurator {
  const { features, labels } = recordsOf();
  const data = attachData({
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
    domain: { ...domain, ...bounds },
    ledger: openLedger({ adjacency }),
  });
  return centralCurator({
    data,
    registry,
    run: 'run',
    random: seededRandom('secret'),
    ...options,
    ...(adjacency === 'add-remove' ? { publicSlots: records } : {}),
  });
}

/** Drives a run to its end; queries are copied. */
export function carriedOut(
  run: Run,
  curator: CentralCurator = curatorOf(run.problem.adjacency),
  start: Vector = new Float64Array(dimension).fill(0.5),
): { readonly output: Vector; readonly spent: PrivacyEvent; readonly queries: readonly Query[] } {
  const queries: Query[] = [];
  const { output } = driveSync(run, curator, {
    start,
    random: publicCoins,
    observe: (query) => queries.push(structuredClone(query)),
  });
  curator.end();
  return { output, spent: curator.spent(), queries };
}
