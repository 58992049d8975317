import { sameEvent } from '@lethe/core';
import { squaredDistance } from '@lethe/losses';
import { boxDomain, l2BallDomain, mechanisms } from '@lethe/mechanisms';
import { expect, it, test } from 'vitest';
import { carriedOut, context, declared, problem } from '../../test/support/logistic.js';
import { gradientOf, played, shortened } from '../../test/support/played-sums.js';
import { onlineToBatch } from '../standard/online-to-batch.js';
import { acceleratedDpSgd } from './accelerated-dp-sgd.js';
import { recursiveDpSgd } from './recursive-dp-sgd.js';

const batches = [
  [1, 0],
  [1, 2],
  [2, 1],
  [0, 2],
  [1, 1],
];
const noise = [
  [0.1, -0.05],
  [-0.02, 0.03],
  [0, 0.04],
  [0.05, 0.05],
  [-0.03, 0],
];
const [beta, clipNorm] = [3, 0.7];
const domain = boxDomain({ lower: [-0.25, -0.5], upper: [0.5, 0.5] });
const project = ([a, b]: readonly number[]): number[] => [
  Math.max(-0.25, Math.min(0.5, a)),
  Math.max(-0.5, Math.min(0.5, b)),
];
const posed = { registry: mechanisms, ...context, problem: problem({ dimension: 2, slots: [10], domain }) };
const start = [0.2, 0.1];
/** Average over a batch of clipped weighted gradients, plus the noise of its round. */
const answer = (t: number, terms: readonly (readonly [number, readonly number[]])[]): number[] => {
  const each = batches[t].map((record) =>
    shortened(
      terms.reduce(
        (sum, [weight, at]) => sum.map((one, j) => one + weight * gradientOf(record, at)[j]),
        [0, 0],
      ),
      clipNorm,
    ),
  );
  return [0, 1].map((j) => noise[t][j] + each.reduce((sum, one) => sum + one[j] / each.length, 0));
};
const plus = (a: readonly number[], factor: number, b: readonly number[]): number[] =>
  a.map((one, j) => one + factor * b[j]);
const expectClose = (given: readonly number[], wanted: readonly number[]): void =>
  given.forEach((one, j) => expect(one).toBeCloseTo(wanted[j], 13));

it.each([1, 0.5] as const)('acceleratedDpSgd is its listing at scale %d', (zScale) => {
  const params = { rounds: 5, beta, zScale, clipNorm, noiseMultiplier: 1 };
  const run = acceleratedDpSgd.prepare({ ...posed, params });
  let [x, y, z] = [start, start, start];
  for (let t = 0; t < 5; t++) {
    const g = answer(t, [[1, x]]);
    z = project(plus(z, (-zScale * (t + 1)) / beta, g));
    y = project(plus(x, -1 / beta, g));
    const tau = 2 / (t + 3);
    x = plus(plus(y, -tau, y), tau, z);
  }
  expectClose(played(run, { batches, noise, clipNorm, start }), y);
});

it.each([0.5, 1] as const)(
  'acceleratedDpSgd has the step and the rounds of least bound, at scale %d',
  (zScale) => {
    const at = (params: object) => {
      const { plan } = acceleratedDpSgd.prepare({
        ...posed,
        problem: problem({ slots: [4e4], domain: l2BallDomain({ radius: 1 }) }),
        params: { zScale, noiseMultiplier: 0.01, ...params },
      });
      return { beta: NaN, ...plan, bound: plan.utility?.bound ?? Infinity };
    };
    const chosen = at({ rounds: 10 });
    for (const factor of [0.5, 0.9, 0.99, 1.01, 1.1, 2])
      expect(at({ rounds: 10, beta: factor * chosen.beta }).bound).toBeGreaterThan(chosen.bound * (1 - 1e-6));
    for (const rounds of [1, 10, 50])
      expect(at({}).bound).toBeLessThanOrEqual(at({ rounds }).bound * (1 + 1e-6));
  },
);

test('acceleratedDpSgd has no bound where gradients that are unbounded are cut', () => {
  const facts = {
    ...problem().facts,
    lipschitz: { ...declared(1), scope: 'every-record' },
    diameter: declared(1),
  } as const;
  const loss = { loss: squaredDistance({}), capabilities: squaredDistance.capabilities };
  const { plan } = acceleratedDpSgd.prepare({
    ...posed,
    registry: [...mechanisms, squaredDistance],
    problem: { ...problem(), ...loss, facts } as never,
    params: { rounds: 4 },
  });
  expect(plan.utility).toBeNull();
  expect(plan).toMatchObject({ uncovered: expect.stringContaining('bounded sets only') });
});

it.each(['last', 'suffix'] as const)('recursiveDpSgd is its listing, with the average %s', (average) => {
  const run = recursiveDpSgd.prepare({
    ...posed,
    params: { rounds: 5, beta, clipNorm, average, noiseMultiplier: 1 },
  });
  let [x, before, S] = [start, start, [0, 0]];
  const points: number[][] = [];
  for (let t = 0; t < 5; t++) {
    S = plus(
      S,
      1,
      answer(
        t,
        t === 0
          ? [[1, x]]
          : [
              [t + 1, x],
              [-t, before],
            ],
      ),
    );
    before = x;
    x = project(plus(x, -1 / (beta * (t + 1)), S));
    points.push(x);
  }
  const later = points.slice(2);
  const mean = [0, 1].map((j) => later.reduce((sum, one) => sum + one[j] / later.length, 0));
  expectClose(played(run, { batches, noise, clipNorm, start }), average === 'last' ? x : mean);
});

test('onlineToBatch is its listing', () => {
  const run = onlineToBatch.prepare({ ...posed, params: { rounds: 5, clipNorm, noiseMultiplier: 1 } });
  const D = Math.hypot(0.75, 1);
  let [x, before, w, g] = [start, start, start, [0, 0]];
  let squares = 0;
  for (let t = 1; t <= 5; t++) {
    before = x;
    x = plus(x, 2 / (t + 1), plus(w, -1, x));
    g = plus(
      g,
      1,
      answer(
        t - 1,
        t === 1
          ? [[1, x]]
          : [
              [t, x],
              [1 - t, before],
            ],
      ),
    );
    squares += g[0] ** 2 + g[1] ** 2;
    w = project(plus(w, -D / Math.sqrt(2 * squares), g));
  }
  expectClose(played(run, { batches, noise, clipNorm, start }), x);
});

test.each([acceleratedDpSgd, recursiveDpSgd, onlineToBatch])(
  '$name costs what its plan says',
  (optimizer) => {
    const run = optimizer.prepare({
      registry: mechanisms,
      ...context,
      problem: problem({ domain: boxDomain({ lower: -1, upper: 1 }) }),
      params: { rounds: 6, clipNorm: 0.5, ...(optimizer === onlineToBatch ? {} : { beta: 4 }) } as never,
    });
    const { spent, queries } = carriedOut(run);
    expect(sameEvent(spent, run.plan.event)).toBe(true);
    // Records are read in the order in which they are stored.
    expect(queries.find((query) => query.ask === 'split')).toMatchObject({ order: 'stored' });
    expect(run.plan.gradients).toBe(optimizer === acceleratedDpSgd ? 36 : 66);
  },
);

test('what nothing tells is asked for', () => {
  const bare = { ...problem({ domain, dimension: 2 }), facts: { smoothness: declared(1) } };
  const given = { registry: mechanisms, ...context, problem: bare };
  expect(() => acceleratedDpSgd.prepare({ ...given, params: {} })).toThrow(/'lipschitz' of every record/);
  expect(() => recursiveDpSgd.prepare({ ...given, params: { rounds: 4 } })).toThrow(/give beta and clipNorm/);
  // A smoothness of the population says nothing of the differences of a record.
  const found = {
    rounds: 4,
    beta: 20,
    clipNorm: { by: 'private-quantile', share: 0.2, largest: 2 },
  } as const;
  expect(() => recursiveDpSgd.prepare({ ...given, params: found })).toThrow(
    /'smoothness' holds for every record/u,
  );
  expect(() => onlineToBatch.prepare({ ...given, params: {} })).toThrow(/or give clipNorm/);
});
