import {
  defineLoss,
  InvalidParameter,
  memoryStore,
  seededRandom,
  type Answer,
  type Program,
  type Batch,
  type MeanQuery,
  type Query,
  type Vector,
} from '@lethe/core';
import { attachData, centralCurator, openLedger } from '@lethe/curator';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { mechanisms } from '../mechanisms.js';
import { biasReducedBounds, biasReducedEstimate } from './bias-reduced.js';
import { l2Clip } from '../clips/l2-clip.js';
import { gaussian } from '../noise/gaussian.js';
import { clippedMean } from './clipped-mean.js';
import { levelsFor } from './truncated-geometric.js';

type Set = readonly number[];
const range = (n: number): Set => Array.from({ length: n }, (_, i) => i);
const subsets = (of: Set, size: number): readonly Set[] =>
  size === 0
    ? [[]]
    : of.flatMap((first, i) => subsets(of.slice(i + 1), size - 1).map((rest) => [first, ...rest]));
const within = (radius: number): MeanQuery['mean'] =>
  clippedMean({ clip: l2Clip({ radius }), mechanism: gaussian({}) });
const release = (slots: number): Pick<MeanQuery, 'mean' | 'target'> => ({
  mean: within(slots),
  target: { unprotected: true },
});
const batchOf = (id: string, slots: number): Batch =>
  ({ id, normaliser: slots, size: 'exact', scope: null }) as unknown as Batch;
/** Nothing about it is linear, and it depends on the size: any bias there can be. */
const functional = (set: Set): number =>
  Math.cos(set.reduce((sum, i) => sum + (i + 1) ** 1.5, 0)) +
  set.length ** 0.7 * Math.max(...set.map((i) => Math.sin(3 * i)));

interface Choices {
  readonly whole: Set;
  readonly odd: Set;
  readonly single: Set;
}

/** Runs the estimator on sets that were chosen, and hands every mean to `of`. */
function run(
  steps: Program<Vector>,
  { whole, odd, single }: Choices,
  of = functional,
): { readonly value: number; readonly asked: readonly Query[] } {
  const sets = new Map<string, Set>();
  const asked: Query[] = [];
  const answer = (query: Query): Answer => {
    asked.push(query);
    const named = (set: Set): Batch => {
      const id = `batch ${sets.size}`;
      sets.set(id, set);
      return batchOf(id, set.length);
    };
    switch (query.ask) {
      case 'draw':
        return named(sets.size === 0 ? whole : single);
      case 'split':
        return [named(odd), named(whole.filter((i) => !odd.includes(i)))];
      case 'mean': {
        expect(query.mean).toEqual(within(defined(sets.get(query.batch.id)).length));
        return Float64Array.of(of(defined(sets.get(query.batch.id))));
      }
      default:
        return null;
    }
  };
  let next = steps.next();
  while (next.done !== true) next = steps.next(answer(next.value as Query));
  return { value: next.value[0], asked };
}

const estimate = (slots: number, level: number): Program<Vector> =>
  biasReducedEstimate({ at: Float64Array.of(0), from: batchOf('everyone', slots), level, release });
const average = (values: readonly number[]): number => values.reduce((sum, x) => sum + x, 0) / values.length;

/**
 * The expectation over levels, subsets, halves and single slots,
 * all listed; `halves` says which parts of a subset are O.
 */
const expected = (slots: number, halves: (whole: Set) => readonly Set[]): number => {
  const levels = levelsFor(slots);
  return range(levels.most + 1).reduce(
    (sum, level) =>
      sum +
      levels.probability(level) *
        average(
          subsets(range(slots), 2 ** (level + 1)).flatMap((whole) =>
            halves(whole).flatMap((odd) =>
              range(slots).map((i) => run(estimate(slots, level), { whole, odd, single: [i] }).value),
            ),
          ),
        ),
    0,
  );
};

describe('biasReducedEstimate', () => {
  it.each([2, 3, 4, 5, 6, 7, 8])(
    'has the expectation of one mean over the largest batch of %d slots, whatever that mean is',
    (slots) => {
      const largest = average(subsets(range(slots), 2 ** (levelsFor(slots).most + 1)).map(functional));
      expect(Math.abs(expected(slots, (whole) => subsets(whole, whole.length / 2)) - largest)).toBeLessThan(
        1e-12,
      );
    },
  );

  it('would not telescope over halves of a sorted batch', () => {
    const largest = average(subsets(range(6), 4).map(functional));
    expect(Math.abs(expected(6, (whole) => [whole.slice(0, whole.length / 2)]) - largest)).toBeGreaterThan(
      1e-3,
    );
  });

  it('asks in one scope what is amplified together, and closes both', () => {
    const { asked } = run(estimate(8, 1), { whole: [0, 2, 4, 6], odd: [0, 6], single: [6] });
    expect(asked.map((query) => query.ask)).toEqual([
      'draw',
      'split',
      'mean',
      'mean',
      'mean',
      'close',
      'draw',
      'mean',
      'close',
    ]);
    expect(asked[1]).toMatchObject({ order: 'shuffled', parts: { by: 'size', sizes: [2, 2] } });
  });

  it('is answered by a curator, which charges two samples and what they are worth', () => {
    const loss = defineLoss({
      name: 'test/record',
      summary: 'Gradient = features.',
      source: { id: 'lethe', item: 'test' },
      params: z.strictObject({}),
      claims: [],
      capabilities: { convex: true },
      linear: null,
      labels: { rule: 'any number', accepts: () => true },
      value: () => 0,
      gradientInto: (_params, out, _at, { features }) => {
        out.set(features);
      },
      facts: () => ({}),
    });
    const values = Float64Array.from(range(8), (i) => (i - 2) / 8);
    const registry = [...mechanisms, loss];
    const data = attachData({
      features: { data: values, rows: 8, columns: 1, offset: 0, rowStride: 1, columnStride: 1 },
      loss: loss({}),
      registry,
      ledger: openLedger({ adjacency: 'replace-one', store: memoryStore() }),
    });
    const curator = centralCurator({ data, registry, run: 'test', random: seededRandom('curator') });
    const target = { noiseMultiplier: 1e-9 } as const;
    const steps = biasReducedEstimate({
      at: Float64Array.of(0),
      from: curator.allRecords,
      level: 1,
      release: () => ({ mean: within(1), target }),
    });
    let next = steps.next();
    let index = 0;
    while (next.done !== true) next = steps.next(curator.answer(index++, next.value as Query).answer);
    // An exact mean has no bias to reduce: what is left is one record.
    expect(Math.min(...values.map((x) => Math.abs(x - (next.value as Vector)[0])))).toBeLessThan(1e-7);
    const spent = JSON.stringify(curator.spent());
    expect(spent.match(/core\/sampled/gu)).toHaveLength(2);
    expect(spent).toContain('"n":8,"size":4,"replacement":false');
    expect(spent).toContain('"n":8,"size":1,"replacement":false');
    // B, and the halves side by side: twice one release, not three times.
    expect(spent.match(/"count":2/gu)).toHaveLength(1);
  });

  it('refuses levels and batches that are none', () => {
    for (const level of [-1, 3, 0.5, Number.NaN])
      expect(() => estimate(8, level).next()).toThrow(InvalidParameter);
    expect(() => estimate(1, 0).next()).toThrow(InvalidParameter);
  });
});

describe('biasReducedBounds', () => {
  it('bounds bias and second moment of estimates from means with independent noise, listed', () => {
    // Every mean is off by a two-valued error of its own: E‖error‖²
    // = (1/slots)², its mean is a third of that root.
    const slots = 8;
    const error = (size: number, sign: number): number => (sign + 1 / 3) / size / Math.sqrt(1 + 1 / 9);
    const gradients = range(slots).map((i) => Math.sin(i));
    const truth = average(gradients);
    const levels = levelsFor(slots);
    let [mean, square] = [0, 0];
    for (const level of range(levels.most + 1)) {
      const values: number[] = [];
      for (const whole of subsets(range(slots), 2 ** (level + 1))) {
        for (let signs = 0; signs < 16; signs++) {
          let call = 0;
          const noisy = (set: Set): number =>
            average(set.map((i) => gradients[i])) + error(set.length, (signs >> call++) % 2 === 0 ? 1 : -1);
          for (const single of [0, 3, 7])
            values.push(
              run(
                estimate(slots, level),
                { whole, odd: whole.slice(0, whole.length / 2), single: [single] },
                noisy,
              ).value,
            );
        }
      }
      mean += levels.probability(level) * average(values);
      square += levels.probability(level) * average(values.map((x) => x * x));
    }
    const single = Math.max(
      ...[-1, 1].map((sign) => average([0, 3, 7].map((i) => (gradients[i] + error(1, sign)) ** 2))),
    );
    const { bias, meanSquare } = biasReducedBounds({
      slots,
      meanSquaredError: (size) => size ** -2,
      singleMeanSquare: single,
    });
    const drawn = average([0, 3, 7].map((i) => gradients[i])) - truth;
    expect(Math.abs(mean - drawn - truth)).toBeLessThanOrEqual(bias);
    expect(square).toBeLessThanOrEqual(meanSquare);
  });

  it('is the closed form of errors that fall with the size', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 10_000 }),
        fc.integer({ min: 1, max: 999 }),
        (slots, thousandths) => {
          const v = thousandths / 1000;
          const { most, probability } = levelsFor(slots);
          const { bias, meanSquare } = biasReducedBounds({
            slots,
            meanSquaredError: (size) => v / size,
            singleMeanSquare: 2 + 2 * v,
          });
          expect(bias).toBeCloseTo(Math.sqrt(v / 2 ** (most + 1)), 12);
          expect(meanSquare / (4 + 4 * v + (6 * v * (most + 1)) / probability(0))).toBeCloseTo(1, 12);
        },
      ),
    );
  });

  it('refuses errors that are none', () => {
    for (const bad of [-1, Number.NaN]) {
      expect(() => biasReducedBounds({ slots: 8, meanSquaredError: () => bad, singleMeanSquare: 1 })).toThrow(
        InvalidParameter,
      );
      expect(() => biasReducedBounds({ slots: 8, meanSquaredError: () => 1, singleMeanSquare: bad })).toThrow(
        InvalidParameter,
      );
    }
  });
});
