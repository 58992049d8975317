import {
  seededRandom,
  type Answered,
  type Curator,
  type Fact,
  type Owners,
  type Problem,
  type Ref,
  type Run,
  type TrustModel,
} from '@lethe/core';
import { attachData, centralCurator, openLedger, type CentralCurator, type DataSet } from '@lethe/curator';
import { rawSilo, trustedFederation, type OpenRawSilo } from '@lethe/curator/federation';
import { losses, squaredDistance } from '@lethe/losses';
import { l2BallDomain, mechanisms } from '@lethe/mechanisms';
import { dpMu2Sgd } from '../../src/federated/dp-mu2-sgd.js';

/** Plugins of silos, with the optimizer that is run. */
export const registry = Object.freeze([...mechanisms, ...losses, dpMu2Sgd]);
export const dimension = 3;
const every = (value: number): Fact => ({ value, scope: 'every-record', provenance: 'declared' });

/** Records of one silo, in a ball of radius 1 about a centre of its own. */
const recordsOf = (silo: number, slots: number): Float64Array => {
  const random = seededRandom(`records ${silo}`);
  const features = random.gaussianInto(new Float64Array(slots * dimension));
  for (let i = 0; i < features.length; i++)
    features[i] = 0.2 * features[i] + (i % dimension === 0 ? 0.4 : 0.1 * (-1) ** silo);
  return features;
};

export const dataOf = (
  silo: number,
  slots: number,
  options: {
    readonly features?: Float64Array;
    readonly owners?: Owners;
    readonly loss?: Ref<'loss'>;
  } = {},
): DataSet => {
  const { features = recordsOf(silo, slots), owners, loss = squaredDistance({}) } = options;
  return attachData({
    features: {
      data: features,
      rows: slots,
      columns: dimension,
      offset: 0,
      rowStride: dimension,
      columnStride: 1,
    },
    labels: new Float64Array(slots),
    ...(owners === undefined ? {} : { owners }),
    loss,
    registry,
    ledger: openLedger({ adjacency: 'replace-one' }),
  });
};

/** Mean estimation by silos of these sizes. */
export const problemOf = (slots: readonly number[], trust: TrustModel): Problem => ({
  adjacency: 'replace-one',
  dimension,
  slots,
  trust,
  domain: l2BallDomain({ radius: 1 }),
  loss: squaredDistance({}),
  capabilities: squaredDistance.capabilities,
  facts: { lipschitz: every(3), smoothness: every(1) },
});

export const untrusted = (silos: number, weights?: readonly number[]): TrustModel => ({
  model: 'federated',
  silos,
  server: 'untrusted',
  ...(weights === undefined ? {} : { weights }),
});

/** Curators of silos with seeded randomness. */
export const silosFor = (
  run: Run,
  name = 'run',
  data = run.problem.slots.map((n, i) => dataOf(i, n)),
): readonly CentralCurator[] =>
  data.map((one, i) =>
    centralCurator({
      data: one,
      registry,
      run: name,
      planned: run.plan.event,
      random: seededRandom(`silo ${i}`),
    }),
  );

export const trusted = (silos: number): TrustModel => ({ model: 'federated', silos, server: 'trusted' });

/** Silos that trust the server, with seeded randomness. */
export const rawSilosFor = (
  run: Run,
  data = run.problem.slots.map((n, i) => dataOf(i, n)),
): readonly OpenRawSilo[] =>
  data.map((one, i) =>
    rawSilo({
      data: one,
      registry,
      run: 'run',
      planned: run.plan.event,
      random: seededRandom(`silo ${i}`),
      silos: data.length,
    }),
  );
export const serverOf = (silos: readonly OpenRawSilo[]): Curator<Answered> =>
  trustedFederation({ silos, registry });
