import {
  seededRandom,
  type Adjacency,
  type Calibrate,
  type Fact,
  type Problem,
  type Validity,
} from '@lethe/core';

/** A least-squares problem on a ball, with the facts given by name. */
export function problem({
  dimension = 3,
  slots = 100,
  radius = 1,
  adjacency = 'replace-one',
  facts = {},
  scope = 'population',
}: {
  readonly dimension?: number;
  readonly slots?: number;
  readonly radius?: number;
  readonly adjacency?: Adjacency;
  readonly facts?: Readonly<Record<string, number>>;
  /** Of all facts. */
  readonly scope?: Validity;
} = {}): Problem<{ readonly convex: true; readonly smooth: true }> {
  const declared = Object.fromEntries(
    Object.entries(facts).map(([name, value]): [string, Fact] => [
      name,
      { value, scope, provenance: 'declared' },
    ]),
  );
  return {
    adjacency,
    dimension,
    slots: [slots],
    trust: { model: 'central' },
    facts: declared,
    domain: { kind: 'domain', name: 'l2-ball', params: { radius } },
    loss: { kind: 'loss', name: 'squared', params: {} },
    capabilities: { convex: true, smooth: true },
  };
}

/** Answers every request with one value and keeps the requests. */
export function fixedCalibration(value: number): {
  readonly calibrate: Calibrate;
  readonly requests: Parameters<Calibrate>[0][];
} {
  const requests: Parameters<Calibrate>[0][] = [];
  return {
    requests,
    calibrate(request) {
      requests.push(request);
      return {
        value,
        achieved: {
          lower: 0,
          upper: request.target.epsilon,
          certificate: 'certified',
          method: 'test',
          assumptions: [],
        },
      };
    },
  };
}

export const publicCoins = seededRandom('public coins');
export const budget = { epsilon: 1, delta: 1e-6 };
