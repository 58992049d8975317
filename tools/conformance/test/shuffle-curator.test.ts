import { accountants, basic, bestOf } from '@lethe/accountants';
import {
  composedEvent,
  driveSync,
  InvalidParameter,
  parallelEvent,
  sameEvent,
  seededRandom,
  Unsupported,
  type Adjacency,
  type Batch,
  type CoreEvent,
  type Curator,
  type Answered,
  type MeanQuery,
  type PrivacyEvent,
  type Problem,
  type Query,
  type Ref,
  type Run,
  type Vector,
} from '@lethe/core';
import { attachData, centralCurator, openLedger, shuffleCurator } from '@lethe/curator';
import { squared } from '@lethe/losses';
import {
  randomisedResponse,
  shuffledMean,
  shuffledMedianOfMeans,
  shuffledVectorSum,
} from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { describe, expect, test } from 'vitest';
import { dimension, registry } from './world.js';

const n = 1000;
const target = { epsilon: 2, delta: 1e-6 } as const;
type Randomiser = Ref<'localRandomiser'>;

/** Residuals whose gradients at zero are −y·x = −(1, 2, −2)/4 on average, of norm 3/4. */
function world({
  honestUsers,
  adjacency = 'replace-one',
}: { readonly honestUsers?: number; readonly adjacency?: Adjacency } = {}) {
  const ledger = openLedger({ adjacency });
  const features = Float64Array.from({ length: n * dimension }, (_, k) => [1 / 4, 1 / 2, -1 / 2][k % 3]);
  const data = attachData({
    features: {
      data: features,
      rows: n,
      columns: dimension,
      offset: 0,
      rowStride: dimension,
      columnStride: 1,
    },
    labels: new Float64Array(n).fill(1),
    loss: squared({}),
    registry,
    ledger,
  });
  const curator = shuffleCurator({
    data,
    registry,
    run: 'run',
    random: seededRandom('coins'),
    ...(honestUsers === undefined ? {} : { honestUsers }),
  });
  let asked = 0;
  const ask = <A>(query: Query): A => {
    const { answer } = curator.answer(asked, query);
    asked++;
    return answer as A;
  };
  return { ledger, data, curator, ask };
}
const mean = (batch: Batch, randomiser: Randomiser = shuffledVectorSum({ radius: 1 })): MeanQuery => ({
  ask: 'mean',
  of: { terms: [{ weight: 1, at: new Float64Array(dimension) }] },
  batch,
  mean: shuffledMean({ randomiser }),
  target,
});
const shuffled = (honestUsers: number): PrivacyEvent =>
  ({
    kind: 'core/shuffled',
    v: 1,
    ...target,
    honestUsers,
  }) satisfies CoreEvent<'core/shuffled'> as PrivacyEvent;

describe('means by shuffling', () => {
  test('are close to the mean of clipped gradients, and meet the target', () => {
    for (const randomiser of [
      shuffledVectorSum({ radius: 1 }),
      shuffledMedianOfMeans({ bound: 1, groups: 3 }),
    ] as readonly Randomiser[]) {
      const { ask, curator } = world();
      const answer = ask<Vector>(mean(curator.allRecords, randomiser));
      // Squared loss has the gradient (⟨w, x⟩ − y)x. Noise: 7 deviations of shuffledVectorSum, as declared,
      // are below 0.8; medians have some more.
      [-1 / 4, -1 / 2, 1 / 2].forEach((x, j) => expect(Math.abs(answer[j] - x)).toBeLessThan(2));
      expect(sameEvent(curator.spent(), shuffled(n))).toBe(true);
    }
    const deviation =
      Math.sqrt(
        defined(shuffledVectorSum.varianceBound)(
          { radius: 1 },
          { dimension, users: n, honestUsers: n, target },
        ),
      ) / n;
    expect(7 * deviation).toBeLessThan(0.8);
  });

  test('rely on honest users alone', () => {
    const { ask, curator } = world({ honestUsers: 900 });
    const parts = ask<readonly Batch[]>({
      ask: 'split',
      of: curator.allRecords,
      order: 'shuffled',
      parts: { by: 'size', sizes: [500, 400, 100] },
    });
    ask(mean(parts[0]));
    expect(sameEvent(curator.spent(), shuffled(400))).toBe(true);
    ask(mean(parts[1]));
    expect(sameEvent(curator.spent(), parallelEvent([shuffled(400), shuffled(300)]))).toBe(true);
    expect(() => ask(mean(parts[2]))).toThrow(/none of its users certainly adds noise/);
  });

  test('with randomised response need no fast simulation; the messages are sent', () => {
    const { ask, curator } = world();
    expect(ask<Vector>(mean(curator.allRecords, randomisedResponse({}))).every(Number.isFinite)).toBe(true);
    expect(curator.spent().kind).toBe('core/randomized-response');
  });

  test('are refused without a proof', () => {
    const { ask, curator } = world();
    for (const epsilon of [15.01, 1e-9])
      expect(() => ask({ ...mean(curator.allRecords), target: { epsilon, delta: 1e-6 } })).toThrow(
        Unsupported,
      );
    expect(curator.recorded()).toBe(0);
  });
});

describe('accountants', () => {
  const release = shuffled(500);
  const once = parallelEvent([release, release, release]);
  test.each(['replace-one', 'zero-out'] as const)(
    'charge a pass over disjoint batches as one release, under %s',
    (adjacency) => {
      const best = bestOf(accountants).epsilon(once, { adjacency, delta: target.delta });
      expect(best.upper).toBe(target.epsilon);
      expect(best.assumptions).toContain('honest-users');
      const counted = accountants.flatMap((accountant) => {
        try {
          return [accountant.epsilon(once, { adjacency, delta: target.delta }).upper];
        } catch (error) {
          expect(error).toBeInstanceOf(Unsupported);
          return [];
        }
      });
      expect(counted.length).toBeGreaterThanOrEqual(3);
      for (const upper of counted) expect(upper).toBeGreaterThanOrEqual(target.epsilon);
    },
  );

  test('compose sequential releases', () => {
    const twice = composedEvent([once, once]);
    expect(basic.epsilon(twice, { adjacency: 'replace-one', delta: 2 * target.delta }).upper).toBeCloseTo(
      2 * target.epsilon,
      12,
    );
    expect(() => basic.epsilon(once, { adjacency: 'add-remove', delta: target.delta })).toThrow(Unsupported);
  });

  test('derive the target from the ledger', () => {
    const { ask, curator, ledger } = world();
    for (const part of ask<readonly Batch[]>({
      ask: 'split',
      of: curator.allRecords,
      order: 'stored',
      parts: { by: 'size', sizes: [500, 500] },
    }))
      ask(mean(part));
    expect(ledger.total() as CoreEvent<'core/shuffled'>).toEqual(shuffled(500));
    expect(
      bestOf(accountants).epsilon(ledger.total(), { adjacency: 'replace-one', delta: target.delta }).upper,
    ).toBe(target.epsilon);
  });
});

describe('a driver', () => {
  const problem = (trust: Problem['trust'], slots = n): Problem =>
    ({ trust, slots: [slots], adjacency: 'replace-one', dimension }) as unknown as Problem;
  const run = (trust: Problem['trust'], slots?: number): Run => ({
    name: 'idle',
    problem: problem(trust, slots),
    plan: { event: shuffled(n), utility: null, gradients: n },
    *steps({ allRecords }) {
      return (yield mean(allRecords)) as Vector;
    },
  });
  const drive = (given: Run, curator: Curator<Answered>): Vector =>
    driveSync(given, curator, { start: new Float64Array(dimension), random: seededRandom('public') }).output;

  test('requires a curator of the trust model of the plan', () => {
    const { curator, data } = world({ honestUsers: 900 });
    expect(drive(run({ model: 'shuffle', honestUsers: 900 }), curator)).toHaveLength(dimension);
    const central = centralCurator({ data, registry, run: 'central', random: seededRandom('other') });
    for (const [trust, to, message] of [
      [{ model: 'central' }, curator, /planned for trust \{"model":"central"\}.*make a centralCurator/],
      [{ model: 'shuffle', honestUsers: 901 }, curator, /make a shuffleCurator with these honestUsers/],
      [{ model: 'shuffle', honestUsers: 900 }, central, /curator of run 'central' has \{"model":"central"\}/],
      [{ model: 'federated', silos: 1, server: 'trusted' }, central, InvalidParameter],
    ] as const)
      expect(() => drive(run(trust), to)).toThrow(message);
    expect(() => drive(run({ model: 'shuffle', honestUsers: 900 }, n + 1), curator)).toThrow(
      /planned for slots \[1001\]/,
    );
    expect(central.recorded()).toBe(0);
  });
});
