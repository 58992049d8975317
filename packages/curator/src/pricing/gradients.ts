import {
  resolvePlugin,
  type Query,
  type QueryName,
  type QueryOf,
  type Registry,
  type Sampler,
  type Solver,
  type Statistic,
} from '@lethe/core';
import { Unsupported } from '@lethe/numerics';
import type { Effect, StoredBatch } from '../ledger/index.js';

type Count<N extends QueryName> = (
  query: QueryOf<N>,
  records: (batch: { readonly id: string }) => number,
  registry: Registry,
) => number;

const none = (): number => 0;
const notCounted = (what: string) => (): never => {
  throw new Unsupported(
    `how many gradients ${what} takes is not known; return event and gradients from plan`,
    {},
  );
};
const ofStatistic = (statistic: Statistic): number => {
  if (statistic.of === 'update-norm-beyond') return statistic.local.epochs;
  return statistic.of.startsWith('gradient-norm') ? 1 : 0;
};

/** Per-record gradients that answering a query takes at most. */
const counts: { readonly [N in QueryName]: Count<N> } = {
  draw: none,
  split: none,
  close: none,
  open: none,
  mean({ of, batch, sampler }, records, registry) {
    const most = records(batch);
    if (sampler === undefined) return of.terms.length * most;
    const { plugin, params } = resolvePlugin<Sampler>(registry, sampler);
    return of.terms.length * (plugin.size === 'exact' ? plugin.normaliser(params, most) : most);
  },
  push: ({ of, batch }, records) => of.terms.length * records(batch),
  value: ({ statistic, batch }, records) => ofStatistic(statistic) * records(batch),
  localUpdate: ({ local, batch }, records) => local.epochs * records(batch),
  minimiser({ solver, batch }, records, registry) {
    const { plugin, params } = resolvePlugin<Solver>(registry, solver);
    return (plugin.evaluations?.(params) ?? notCounted(`solver '${plugin.name}'`)()) * records(batch);
  },
  descend: ({ batch }, records) => records(batch),
  choose: ({ statistic }) => (ofStatistic(statistic) === 0 ? 0 : notCounted('a choice by gradients')()),
  select: ({ base, score, batch, cap }, records) =>
    (cap ?? notCounted('a selection without a cap')()) *
    (base.plan.gradients + ofStatistic(score.statistic) * records(batch)),
  afford: none,
};

/** How many records batches have at most, and how many gradients queries about them take. */
export interface GradientCount {
  apply(effect: Effect): void;
  of(query: Query): number;
}

/** @param root - All records. */
export function gradientCount(root: StoredBatch, registry: Registry): GradientCount {
  const most = new Map<string, number>([[root.id, root.normaliser]]);
  const records = ({ id }: { readonly id: string }): number => most.get(id) ?? root.normaliser;
  return {
    apply({ batches = [], space }) {
      // A hidden size is at most that of the batch it was taken from.
      const parent = space === undefined ? root.normaliser : records({ id: space.parent });
      for (const { id, size, normaliser } of batches) most.set(id, size === 'exact' ? normaliser : parent);
    },
    of: <N extends QueryName>(query: QueryOf<N>) => counts[query.ask](query, records, registry),
  };
}
