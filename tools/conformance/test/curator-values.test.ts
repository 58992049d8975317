import {
  defineMechanism,
  IncompatiblePlugins,
  InvalidParameter,
  seededRandom,
  type Query,
} from '@lethe/core';
import { centralCurator } from '@lethe/curator';
import { gaussian } from '@lethe/mechanisms';
import { describe, expect, test } from 'vitest';
import { asker, within, zero } from './queries.js';
import { noise, registry, world } from './world.js';

describe('the fraction of gradients beyond a radius', () => {
  const share = (radius: number, multiplier = 1e-6): Query => ({
    ask: 'value',
    statistic: { of: 'gradient-norm-beyond', radius },
    at: zero,
    batch: world().curator.allRecords,
    noise: noise(multiplier),
  });

  test('divides by the public number of slots, and does not count null records', () => {
    const here = world({ nulls: Uint8Array.from({ length: 12 }, (_, k) => Number(k === 11)) });
    // At zero the gradient of record k is −k (k, 1, −k)/8, of norm
    // k √(2k² + 1)/8; the last record is null, and is never beyond.
    const beyond = (radius: number): number =>
      Array.from({ length: 12 }, (_, k) => (k * Math.sqrt(2 * k * k + 1)) / 8).filter(
        (norm, k) => k < 11 && norm > radius,
      ).length / 12;
    const ask = asker(here);
    for (const radius of [0, 0.3, 1, 5, 1e9])
      expect(ask<number>(share(radius))).toBeCloseTo(beyond(radius), 4);
  });

  test('needs no fact about the data, and moves by one record', () => {
    const here = world();
    asker(here)<number>(share(1, 2));
    expect(here.curator.spent()).toEqual({
      kind: 'core/gaussian',
      v: 1,
      sigma: 2,
      sensitivity: { 'replace-one': 1, 'add-remove': 1, 'zero-out': 1 },
    });
  });

  test.each([-1, NaN, Infinity])('is refused for a radius of %s', (radius) => {
    const here = world();
    expect(() => here.curator.answer(0, share(radius))).toThrow(InvalidParameter);
    expect(here.curator.recorded()).toBe(0);
  });
});

describe('noise that does not cover the value', () => {
  const whole = defineMechanism({ ...gaussian, name: 'whole', numerics: 'exact' });
  const single = defineMechanism({ ...gaussian, name: 'single', scalar: true });
  const here = world();
  const curator = centralCurator({
    data: here.data,
    registry: [...registry, whole, single],
    run: 'others',
    random: seededRandom('others'),
  });
  const mean = (mechanism: typeof whole): Query => ({
    ask: 'mean',
    of: { terms: [{ weight: 1, at: zero }] },
    batch: curator.allRecords,
    ...within(1, { mechanism: mechanism({}), target: { noiseMultiplier: 1 } }),
  });

  test('is refused without a charge: integer noise on a real mean, scalar noise on a vector', () => {
    expect(() => curator.answer(0, mean(whole))).toThrow(IncompatiblePlugins);
    expect(() => curator.answer(0, mean(whole))).toThrow(/whole numbers/u);
    expect(() => curator.answer(0, mean(single))).toThrow(/single numbers/u);
    expect(curator.recorded()).toBe(0);
  });

  test('scalar noise is accepted on a single number', () => {
    curator.answer(0, {
      ask: 'value',
      statistic: { of: 'gradient-norm-beyond', radius: 1 },
      at: zero,
      batch: curator.allRecords,
      noise: { mechanism: single({}), target: { noiseMultiplier: 1 } },
    });
    expect(curator.recorded()).toBe(1);
  });
});
