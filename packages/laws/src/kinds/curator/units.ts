import { resolveEvent } from '@lethe/accountants';
import type { Adjacency, Batch, FilterMaker, PrivacyEvent, PrivacyFilter, ValueQuery } from '@lethe/core';
import type { Limit } from '@lethe/curator';
import { defined } from '@lethe/numerics';
import type { Data } from '../../arbitraries/vectors.js';
import type { Subject } from '../../law/subject.js';
import { mechanismNamed } from './stand-ins/index.js';
import { openFixture, type FixtureOptions } from './fixture.js';

export const dimension = 2;
export const rows: Data = [
  [1, 0],
  [0, 1],
  [3, 3],
  [0, 0],
];
/**
 * A fraction of gradients with Laplace noise: its ε adds up and has
 * a known amplification. Scale 1 costs one unit, scale 2 half of it.
 */
export const release = (batch: Batch, scale = 1): ValueQuery => ({
  ask: 'value',
  statistic: { of: 'gradient-norm-beyond', radius: 0.5 },
  at: new Float64Array(dimension),
  batch,
  noise: { mechanism: mechanismNamed('laplace'), target: { noiseMultiplier: scale } },
});

/** Sums of ε in units of one {@link release}, with limits and filters by these sums. */
export interface Units {
  /** The cost of a release. */
  readonly event: (scale?: number) => PrivacyEvent;
  /** The cost of an event. */
  readonly of: (event: PrivacyEvent) => number;
  readonly filter: (rule?: string) => FilterMaker;
  readonly held: (units: number, rule?: string) => PrivacyFilter;
  readonly limit: (units: number) => Limit;
}

export function unitsUnder(subject: Subject<'curator'>, adjacency: Adjacency): Units {
  const cost = (scale: number): PrivacyEvent => {
    const fixture = openFixture(subject, { rows, adjacency });
    fixture.ask(release(fixture.allRecords, scale));
    return fixture.curator.spent();
  };
  const costs = new Map<number, PrivacyEvent>();
  const event = (scale = 1): PrivacyEvent => {
    if (!costs.has(scale)) costs.set(scale, cost(scale));
    return defined(costs.get(scale));
  };
  const pure = (of: PrivacyEvent): number => resolveEvent(of, 'pure', { adjacency });
  const unit = pure(event());
  const units = (of: PrivacyEvent): number => pure(of) / unit;
  const filter =
    (rule = 'laws/units'): FilterMaker =>
    ({ epsilon, delta }) => ({
      rule,
      spec: { rule, epsilon, delta },
      limit: { kind: 'core/filtered', v: 1, limit: { kind: 'core/pure', v: 1, epsilon } } as PrivacyEvent,
      admits: (of) => pure(of) <= epsilon * (1 + 1e-12),
      share: (of) => pure(of) / epsilon,
    });
  return {
    event,
    of: units,
    filter,
    held: (size, rule) => filter(rule)({ epsilon: size * unit, delta: 0, adjacency }),
    limit: (size) => ({
      epsilon: size * unit,
      delta: 0,
      accountant: {
        epsilon: (of) => ({
          lower: 0,
          upper: pure(of),
          certificate: 'certified',
          method: 'sums',
          assumptions: [],
        }),
        filter: filter(),
      },
    }),
  };
}

/** Records for fixtures of {@link release}. */
export const unitFixture = (adjacency: Adjacency, change: Partial<FixtureOptions> = {}): FixtureOptions => ({
  rows,
  adjacency,
  ...change,
});
