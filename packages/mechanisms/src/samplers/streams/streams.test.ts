import { accountants, bestOf } from '@lethe/accountants';
import {
  exaggerationFor,
  seededRandom,
  streamSampler,
  Unsupported,
  type CoreEvent,
  type PrivacyEvent,
  type Ref,
  type SampledStream,
} from '@lethe/core';
import { sumsOfStreamLosses } from '@lethe/core/testing';
import { describe, expect, test } from 'vitest';
import { cyclicPoisson, minimumSeparation, randomAllocation, repeatedPoisson, samplers } from '../index.js';
import { binMeans, binProducts } from './bin-means.js';
import { binsRenyi } from './bins-renyi.js';

/** A Toeplitz matrix as a sampler sees it, of entries that are at least 0. */
function toeplitz(coefficients: readonly number[], steps: number, sigma: number): SampledStream {
  const entry = (row: number, column: number): number => coefficients[row - column] ?? 0;
  return {
    steps,
    sigma,
    bandwidth: Math.min(steps, coefficients.length),
    encoder: entry,
    columnNorm({ times, gap }) {
      let square = 0;
      for (let row = 0; row < steps; row++) {
        let sum = 0;
        for (let k = 0; k < times && k * gap <= row; k++) sum += entry(row, k * gap);
        square += sum * sum;
      }
      return Math.sqrt(square);
    },
  };
}
const squareRoot = (steps: number): number[] => {
  const found = [1];
  for (let k = 1; k < steps; k++) found.push(((found[k - 1] ?? 1) * (2 * k - 1)) / (2 * k));
  return found;
};
const eventOf = (ref: Ref<'sampler'>, stream: SampledStream): PrivacyEvent => {
  const { params, stream: draws } = streamSampler(samplers, ref);
  const event = draws.event(params, stream)['zero-out'];
  if (event === undefined) throw new Error('no event');
  return event;
};
const accountant = bestOf(accountants);
const under = { adjacency: 'zero-out', kinds: [] } as const;

describe('two steps, C = [[1, 0], [½, 1]], σ = 1: the spec, §10.8', () => {
  const stream = toeplitz([1, 0.5], 2, 1);
  const goldens: readonly (readonly [string, Ref<'sampler'>, number, number, number])[] = [
    ['balls in bins', randomAllocation({ steps: 2 }), 0.5, 0.20789347, 0.20592635],
    ['balls in bins', randomAllocation({ steps: 2 }), 2, 0.01353654, 0.011497874],
    ['a cold start', minimumSeparation({ gap: 2, rate: 0.5, start: 'cold' }), 0.5, 0.14390519, 0.09301631],
    ['a cold start', minimumSeparation({ gap: 2, rate: 0.5, start: 'cold' }), 1, 0.06434313, 0.00631506],
    ['a warm start', minimumSeparation({ gap: 2, rate: 0.5 }), 0, 0.23649235, 0.23649235],
    ['a warm start', minimumSeparation({ gap: 2, rate: 0.5 }), 1, 0.0422799, 5.3075e-5],
  ];
  test.each(goldens)('%s, %o at ε = %d', (_name, ref, epsilon, present, absent) => {
    const samples = 40_000;
    const sums = sumsOfStreamLosses({
      sampler: streamSampler(samplers, ref),
      stream,
      epsilon,
      samples,
      random: seededRandom('goldens'),
    });
    // Six standard deviations of values in [0, 1] with that mean.
    const error = (delta: number): number => 6 * Math.sqrt(delta / samples) + 36 / samples;
    expect(Math.abs(sums.present / samples - present)).toBeLessThan(error(present));
    expect(Math.abs(sums.absent / samples - absent)).toBeLessThan(error(absent));
  });

  test.each(goldens)(
    '%s, %o at ε = %d, drawn towards large losses',
    (_name, ref, epsilon, present, absent) => {
      const samples = 40_000;
      const exaggeration = exaggerationFor(streamSampler(samplers, ref), stream, epsilon);
      const sums = sumsOfStreamLosses({
        sampler: streamSampler(samplers, ref),
        stream,
        epsilon,
        samples,
        random: seededRandom('exaggerated'),
        exaggeration,
      });
      const { largest } = exaggeration;
      expect(largest).toBeLessThan(1);
      const error = (delta: number): number =>
        6 * Math.sqrt((delta * largest) / samples) + (36 * largest) / samples;
      expect(Math.abs(sums.present / samples - present)).toBeLessThan(error(present));
      expect(Math.abs(sums.absent / samples - absent)).toBeLessThan(error(absent));
    },
  );

  test('Rényi divergences of balls in bins, of a removed record', () => {
    const products = binProducts(binMeans(stream, 2, 'bins'), 1);
    const known = [0.86563589966, 1.32502068963, 1.819368324052];
    const found = binsRenyi({ products, largest: Infinity });
    known.forEach((divergence, i) => {
      expect(found[i]?.removed).toBeCloseTo(divergence, 9);
      // ‖m‖² is 1.125 on average, and that of the average 0.8125.
      expect(found[i]?.added).toBeCloseTo((1.125 + (i + 1) * 0.8125) / 2, 9);
    });
    const many = binProducts(binMeans(toeplitz([1], 10, 1), 10, 'bins'), 1);
    expect(binsRenyi({ products: many, largest: 9 })[0]?.removed).toBeCloseTo(
      Math.log(1 + (Math.E - 1) / 10),
      9,
    );
  });

  test('cyclic Poisson of one block is a sampled Gaussian of the column’s norm', () => {
    const event = eventOf(cyclicPoisson({ groups: 2, rate: 0.5 }), stream);
    const deltas = [0, 0.5, 1, 2].map((epsilon) => accountant.delta(event, { epsilon, ...under }).upper);
    [0.211925, 0.102707, 0.044863, 0.0058356].forEach((delta, i) => {
      expect(deltas[i]).toBeCloseTo(delta, 6);
    });
  });
});

test('with one group cyclic Poisson sampling is DP-SGD', () => {
  expect(eventOf(cyclicPoisson({ groups: 1, rate: 0.1 }), toeplitz([1], 50, 2))).toMatchObject({
    kind: 'core/compose',
    parts: [
      {
        count: 50,
        event: { kind: 'core/sampled', sampler: { kind: 'core/poisson', rate: 0.1 }, event: { sigma: 2 } },
      },
    ],
  });
});

test('a minimum separation of one is Poisson, and with rate 1 and a warm start it is balls in bins', () => {
  const outputs = Array.from({ length: 20 }, (_, i) =>
    seededRandom(i)
      .gaussianInto(new Float64Array(6))
      .map((z) => 3 * z),
  );
  const ratioOf = (ref: Ref<'sampler'>, stream: SampledStream): ((sums: Float64Array) => number) => {
    const { params, stream: draws } = streamSampler(samplers, ref);
    return draws.logRatio?.(params, stream) ?? (() => NaN);
  };
  const [plain, banded] = [toeplitz([1], 6, 1.5), toeplitz([1, 0.5, 0.25], 6, 1.5)];
  for (const sums of outputs) {
    expect(ratioOf(minimumSeparation({ gap: 1, rate: 0.3 }), plain)(sums)).toBeCloseTo(
      ratioOf(cyclicPoisson({ groups: 1, rate: 0.3 }), plain)(sums),
      10,
    );
    expect(ratioOf(minimumSeparation({ gap: 3, rate: 1 }), banded)(sums)).toBeCloseTo(
      ratioOf(randomAllocation({ steps: 3 }), banded)(sums),
      10,
    );
  }
});

test('conditional composition is below the unsampled cost, and close to DP-SGD where noise is independent', () => {
  const epsilonOf = (event: PrivacyEvent): number =>
    accountant.epsilon(event, { delta: 1e-5, ...under }).upper;
  const stream = toeplitz(squareRoot(24), 24, 6);
  const amplified = eventOf(repeatedPoisson({ rate: 0.05, failure: 1e-6 }), stream);
  const whole: CoreEvent = {
    kind: 'core/gaussian',
    v: 1,
    sigma: 6,
    sensitivity: { 'zero-out': stream.columnNorm({ times: 24, gap: 1 }) },
  };
  expect(epsilonOf(amplified)).toBeLessThan(0.6 * epsilonOf(whole));
  const independent = toeplitz([1], 40, 2);
  const apart = epsilonOf(eventOf(repeatedPoisson({ rate: 0.05, failure: 1e-7 }), independent));
  const sgd = epsilonOf(eventOf(cyclicPoisson({ groups: 1, rate: 0.05 }), independent));
  expect(apart).toBeGreaterThan(sgd);
  expect(apart).toBeLessThan(1.1 * sgd);
});

test.each([
  ['random-allocation', randomAllocation({ steps: 2 })],
  ['minimum-separation', minimumSeparation({ gap: 2, rate: 0.5 })],
  ['repeated-poisson', repeatedPoisson({ rate: 0.5 })],
  ['cyclic-poisson', cyclicPoisson({ groups: 2, rate: 0.5 })],
])('%s refuses a negative entry where its analysis needs them all positive', (name, ref) => {
  const { params, stream: draws } = streamSampler(samplers, ref);
  const negative = toeplitz([1, -0.5], 2, 1);
  const ask = (): unknown =>
    draws.logRatio === undefined ? draws.event(params, negative) : draws.logRatio(params, negative);
  expect(ask).toThrow(Unsupported);
  expect(ask).toThrow(new RegExp(`negative entry -0.5 in column 0; streams sampled by '${name}'`));
});

test('a band beyond the gap is refused, with a prefix sum that fits', () => {
  expect(() => eventOf(cyclicPoisson({ groups: 2, rate: 0.5 }), toeplitz(squareRoot(8), 8, 1))).toThrow(
    /a band of 8 rows, and a slot takes part every 2 steps of 'cyclic-poisson'; take .* at most 2 bands/,
  );
});
