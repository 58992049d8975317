import { InvalidParameter, Unsupported, type Batch, type Query, type Vector } from '@lethe/core';
import {
  acceleratedGradient,
  acceleratedGradientIterations,
  exponential,
  l2BallDomain,
  wholeSpaceDomain,
} from '@lethe/mechanisms';
import { describe, expect, test } from 'vitest';
import { asker, zero } from './queries.js';
import { noise, records, world } from './world.js';

describe('streams, values, minimisers, choices', () => {
  test('a value needs a certified range, and is accurate under little noise', () => {
    const bare = world();
    const risk = (batch: Batch): Query => ({
      ask: 'value',
      statistic: { of: 'risk' },
      at: zero,
      batch,
      noise: noise(1e-6),
    });
    expect(() => bare.curator.answer(0, risk(bare.curator.allRecords))).toThrow(Unsupported);
    const here = world({ domain: { featureNorm: 3, labelBound: 11, iterateNorm: 1 } });
    const truth = records(12).labels.reduce((sum, y) => sum + 0.5 * y * y, 0) / 12;
    expect(asker(here)<number>(risk(here.curator.allRecords))).toBeCloseTo(truth, 2);
  });

  test('a minimiser: certified sensitivity, and near the ridge solution under little noise', () => {
    // The domain's norm bound, its diameter, is 25.
    const here = world({ domain: { featureNorm: 3, labelBound: 11, iterateNorm: 25 } });
    const lambda = 1;
    const tolerance = 1e-6;
    const { lipschitz, smoothness } = here.data.facts as Record<string, { value: number }>;
    const iterations = acceleratedGradientIterations(
      (smoothness.value + lambda) / lambda,
      lipschitz.value / lambda / tolerance,
    );
    const query = (count: number): Query => ({
      ask: 'minimiser',
      lambda,
      centre: zero,
      domain: l2BallDomain({ radius: 12.5 }),
      batch: here.curator.allRecords,
      solver: acceleratedGradient({ iterations: count }),
      tolerance,
      bound: { by: 'certificate', fact: 'lipschitz' },
      norm: 2,
      noise: noise(1e-9),
    });
    expect(() => here.curator.answer(0, query(1))).toThrow(/promises a distance/);
    const w = asker(here)<Vector>(query(iterations));
    const { features, labels } = records(12);
    for (let j = 0; j < 3; j++) {
      let gradient = lambda * w[j];
      for (let i = 0; i < 12; i++) {
        const x = features.subarray(3 * i, 3 * i + 3);
        gradient += ((x[0] * w[0] + x[1] * w[1] + x[2] * w[2] - labels[i]) * x[j]) / 12;
      }
      expect(Math.abs(gradient)).toBeLessThan(1e-4);
    }
  });

  test('a choice favours the smallest statistic, from a list and from a lattice', () => {
    const here = world({ domain: { featureNorm: 3, labelBound: 11, iterateNorm: 8 } });
    const ask = asker(here);
    const good = Float64Array.of(3, 0, -3);
    const list: Query = {
      ask: 'choose',
      candidates: { by: 'list', points: [zero, good] },
      statistic: { of: 'risk' },
      batch: here.curator.allRecords,
      selector: exponential({}),
      target: { epsilon: 1e4 },
    };
    expect([...ask<Vector>(list)]).toEqual([...good]);
    const lattice = ask<Vector>({
      ...list,
      candidates: { by: 'lattice', domain: l2BallDomain({ radius: 3 }), spacing: 1, sparsity: 2 },
    } as Query);
    expect([...lattice]).toEqual([2, 0, -2]);
    expect(() =>
      here.curator.answer(2, { ...list, candidates: { by: 'list', points: [] } } as Query),
    ).toThrow(InvalidParameter);
    expect(() =>
      here.curator.answer(2, {
        ...list,
        candidates: { by: 'lattice', domain: wholeSpaceDomain({}), spacing: 1, sparsity: 1 },
      } as Query),
    ).toThrow(Unsupported);
  });
});
