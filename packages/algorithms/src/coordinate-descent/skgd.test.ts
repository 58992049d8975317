import {
  InvalidParameter,
  sameEvent,
  Unsupported,
  unprotectedEvent,
  type MeanQuery,
  plainLoops,
} from '@lethe/core';
import { mechanisms } from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { describe, expect, it, test } from 'vitest';
import {
  carriedOut,
  context,
  curatorOf,
  dimension as d,
  problem,
  records,
} from '../../test/support/logistic.js';
import { publicCoins } from '../../test/support/problems.js';
import { batchOf, play } from '../../test/support/scripted-curator.js';
import { skgd } from './skgd.js';

type Params = Parameters<typeof skgd.prepare>[0]['params'];
const prepare = (params: Params, given: Parameters<typeof problem>[0] = {}) =>
  skgd.prepare({ registry: mechanisms, ...context, problem: problem(given), params });
const stepSizeOf = (params: Params, given: Parameters<typeof problem>[0] = {}): number =>
  (prepare(params, given).plan as unknown as { stepSize: number }).stepSize;
const matrix = [
  [4, 1, 0, 0],
  [1, 3, 0, 0],
  [0, 0, 2, 1],
  [0, 0, 1, 2],
];

describe('skgd', () => {
  it('steps by the inverse of the largest eigenvalue of what sketching makes of the smoothness matrix', () => {
    const smoothness = [1, 2, 3, 4];
    expect(stepSizeOf({ steps: 1, smoothness })).toBe(1 / 4);
    expect(stepSizeOf({ steps: 1, smoothness, sketch: { name: 'single-coordinate' } })).toBe(1 / 16);
    expect(
      stepSizeOf({ steps: 1, smoothness, sketch: { name: 'single-coordinate', importance: true } }),
    ).toBeCloseTo(1 / 10, 15);
    expect(
      stepSizeOf({ steps: 1, smoothness }, { regulariser: { name: 'l2-squared', params: { strength: 1 } } }),
    ).toBe(1 / 5);
    const largest = 3.5 + Math.sqrt(1.25);
    expect(stepSizeOf({ steps: 1, matrix })).toBeCloseTo(1 / largest, 9);
    expect(stepSizeOf({ steps: 1, matrix, sketch: { name: 'single-coordinate' } })).toBeCloseTo(1 / 16, 9);
    expect(stepSizeOf({ steps: 1, matrix, sketch: { name: 'block', params: { blocks: 2 } } })).toBeCloseTo(
      1 / (2 * largest),
      9,
    );
    expect(
      stepSizeOf({ steps: 1, matrix }, { regulariser: { name: 'l2-squared', params: { strength: 1 } } }),
    ).toBeCloseTo(1 / (1 + largest), 9);
  });

  it('is the listing, with what was given scaled by inverse probabilities', () => {
    const run = prepare({
      steps: 12,
      smoothness: 2,
      sketch: {
        name: 'single-coordinate',
        params: { choice: { by: 'probabilities', probabilities: [0.5, 0.25, 0.125, 0.125] } },
      },
    });
    const step = stepSizeOf({ steps: 12, smoothness: 16 });
    const { queries } = play(
      run.steps({
        start: new Float64Array(d),
        allRecords: batchOf('all', records),
        random: publicCoins,
        ...plainLoops(),
      }),
      records,
      () => Float64Array.of(1),
    );
    for (const [k, query] of (queries as readonly MeanQuery[]).slice(0, -1).entries()) {
      const j = defined(query.of.coordinates)[0];
      const moved = (queries[k + 1] as MeanQuery).of.terms[0].at.map((x, i) => x - query.of.terms[0].at[i]);
      expect([...moved]).toEqual(
        [0, 1, 2, 3].map((i) => (i === j ? -step / [0.5, 0.25, 0.125, 0.125][j] : 0)),
      );
    }
  });

  it('lowers the risk where nothing is protected, and is refused where something is', () => {
    const run = prepare({ steps: 400, sketch: { name: 'tau-nice', params: { tau: 2 } } });
    const { output, spent, queries } = carriedOut(run, curatorOf('replace-one', { allowUnprotected: true }));
    expect(sameEvent(spent, run.plan.event)).toBe(true);
    expect(JSON.stringify(run.plan.event)).toContain(unprotectedEvent.kind);
    expect(queries).toHaveLength(400);
    const gradient = (at: Float64Array): number => {
      const probe = prepare({ steps: 1, smoothness: 1 });
      const { output: next } = carriedOut(probe, curatorOf('replace-one', { allowUnprotected: true }), at);
      return Math.hypot(...next.map((x, j) => x - at[j]));
    };
    expect(gradient(output)).toBeLessThan(gradient(new Float64Array(d).fill(0.5)) / 3);
    expect(() => carriedOut(prepare({ steps: 1 }))).toThrow(Unsupported);
  });
});

test('what does not fit is refused', () => {
  const bad: Params[] = [
    { steps: 0 },
    { steps: 1, matrix: [[1, 2], [3]] },
    { steps: 1, matrix: [[1]] },
    { steps: 1, matrix: matrix.map((row, i) => row.map((x, j) => (i === 0 && j === 3 ? 1 : x))) },
    { steps: 1, smoothness: [1] },
  ];
  for (const params of bad) expect(() => prepare(params)).toThrow(InvalidParameter);
  expect(() => prepare({ steps: 1, sketch: { name: 'none' } })).toThrow(Unsupported);
});
