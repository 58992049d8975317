import { accountants, bestOf } from '@lethe/accountants';
import {
  seededRandom,
  Unsupported,
  type CoreEvent,
  type PrivacyEvent,
  type Ref,
  type SampledStream,
} from '@lethe/core';
import { exaggerationFor, streamSampler } from '@lethe/curator';
import { sumsOfStreamLosses } from '@lethe/curator/testing';
import { logNormalCdfBounds, normalQuantileOfLog } from '@lethe/numerics';
import { describe, expect, test } from 'vitest';
import {
  cyclicPoisson,
  minimumSeparation,
  randomAllocation,
  repeatedPoisson,
  samplers,
  truncatedCyclicPoisson,
} from '../index.js';
import { binMeans, binProducts } from './bin-means.js';
import { binsRenyi } from './bins-renyi.js';
import { conditionalComposition } from './conditional-composition.js';

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

test('a replaced record in one of many bins costs less than in a public one, with independent noise', () => {
  const stream = toeplitz([1], 16, 2);
  const { params, stream: draws } = streamSampler(samplers, randomAllocation({ steps: 16 }));
  const [replaced, absent] = (['replace-one', 'zero-out'] as const).map((adjacency) => {
    const event = draws.event(params, stream)[adjacency];
    if (event === undefined) throw new Error('no event');
    return accountant.epsilon(event, { delta: 1e-5, adjacency, kinds: [] }).upper;
  });
  const whole: CoreEvent = { kind: 'core/gaussian', v: 1, sigma: 2, sensitivity: { 'zero-out': 2 } };
  expect(replaced).toBeLessThan(0.6 * accountant.epsilon(whole, { delta: 1e-5, ...under }).upper);
  expect(replaced).toBeGreaterThan(1.5 * (absent ?? 0));
});

describe('two steps, C = [[1, 0], [½, 1]], σ = 1: goldens by quadrature', () => {
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
      const exaggeration = exaggerationFor(streamSampler(samplers, ref), stream, epsilon, 'zero-out');
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

  /**
   * `E (p − e^ε q)₊` over both sums, by the trapezoidal rule; `q` at minus the sums where a record is
   * replaced.
   */
  const quadrature = (
    means: readonly (readonly [number, number])[],
    of: (p: number, opposite: number) => number,
  ): number => {
    const [points, reach] = [360, 9];
    const width = (2 * reach) / points;
    let total = 0;
    for (let i = 0; i < points; i++)
      for (let j = 0; j < points; j++) {
        const [a, b] = [-reach + (i + 0.5) * width, -reach + (j + 0.5) * width];
        const at = (sign: number): number =>
          means.reduce(
            (sum, [x, y]) => sum + Math.exp(sign * (a * x + b * y) - (x * x + y * y) / 2) / means.length,
            0,
          );
        total += (Math.exp(-(a * a + b * b) / 2) / (2 * Math.PI)) * width ** 2 * of(at(1), at(-1));
      }
    return total;
  };
  const bins = [
    [1, 0.5],
    [0, 1],
  ] as const;

  test('the cost of balls in bins is never below the truth, and within a third of it', () => {
    const event = eventOf(randomAllocation({ steps: 2 }), stream);
    for (const [epsilon, present, absent] of [
      [0, 0.35473852, 0.35473852],
      [0.5, 0.20789347, 0.20592635],
      [1, 0.10187758, 0.09856582],
      [2, 0.01353654, 0.011497874],
    ] as const) {
      const { lower, upper } = accountant.delta(event, { epsilon, ...under });
      expect(upper).toBeGreaterThanOrEqual(Math.max(present, absent));
      expect(upper).toBeLessThan((present * 4) / 3);
      expect(lower).toBe(0);
    }
  });

  test.each([0.5, 1, 2, 4])('losses of a replaced record in bins, at ε = %d', (epsilon) => {
    const truth = quadrature(bins, (p, opposite) => Math.max(0, p - Math.exp(epsilon) * opposite));
    const { params, stream: draws } = streamSampler(samplers, randomAllocation({ steps: 2 }));
    const event = draws.event(params, stream)['replace-one'];
    const accounted = { epsilon, adjacency: 'replace-one', kinds: [] } as const;
    expect(event && accountant.delta(event, accounted).upper).toBeGreaterThanOrEqual(truth);
    const samples = 40_000;
    for (const exaggeration of [
      undefined,
      exaggerationFor(
        streamSampler(samplers, randomAllocation({ steps: 2 })),
        stream,
        epsilon,
        'replace-one',
      ),
    ]) {
      const { present, absent } = sumsOfStreamLosses({
        sampler: streamSampler(samplers, randomAllocation({ steps: 2 })),
        stream,
        epsilon,
        samples,
        random: seededRandom('replaced'),
        isReplaced: true,
        ...(exaggeration !== undefined && { exaggeration }),
      });
      const largest = exaggeration?.largest ?? 1;
      expect(absent).toBe(0);
      expect(Math.abs(present / samples - truth)).toBeLessThan(
        6 * Math.sqrt((truth * largest) / samples) + (36 * largest) / samples,
      );
    }
  });

  test('Rényi divergences of balls in bins, of a removed record', () => {
    const products = binProducts(binMeans(stream, 2, 'bins'));
    const known = [0.86563589966, 1.32502068963, 1.819368324052];
    const found = binsRenyi({ products, sigma: 1, largest: Infinity });
    known.forEach((divergence, i) => {
      expect(found[i]?.removed).toBeCloseTo(divergence, 9);
      // ‖m‖² is 1.125 on average, and that of the average 0.8125.
      expect(found[i]?.added).toBeCloseTo((1.125 + (i + 1) * 0.8125) / 2, 9);
    });
    const many = binProducts(binMeans(toeplitz([1], 10, 1), 10, 'bins'));
    expect(binsRenyi({ products: many, sigma: 1, largest: 9 })[0]?.removed).toBeCloseTo(
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
  const independent = toeplitz([1, 1e-4], 40, 2);
  const apart = epsilonOf(eventOf(repeatedPoisson({ rate: 0.05, failure: 1e-7 }), independent));
  const sgd = epsilonOf(eventOf(cyclicPoisson({ groups: 1, rate: 0.05 }), toeplitz([1], 40, 2)));
  expect(apart).toBeGreaterThan(sgd);
  expect(apart).toBeLessThan(1.1 * sgd);
});

test('an earlier draw is as likely, given the sums so far, as the posterior bound says', () => {
  const [rate, failure, sigma, next] = [0.05, 1e-6, 2, 1e-3];
  for (const steps of [2, 24]) {
    const stream = toeplitz([1, next], steps, sigma);
    const event = conditionalComposition(stream, rate, failure, 'a sampler') as CoreEvent<'core/failing'>;
    const { parts } = event.event as CoreEvent<'core/compose'>;
    const { probabilities } = parts[parts.length - 1].event as CoreEvent<'core/gaussian-mixture'>;
    // Of one noisy 1, or with one more entry; for δ₁ and half as much, in every pair of steps.
    const apart = stream.columnNorm({ times: steps, gap: 1 }) / sigma;
    const logDelta =
      Math.log((failure * 2) / (steps * (steps - 1))) + Math.LN2 + logNormalCdfBounds(-apart / 2).lower;
    const [least, most] = [0, 1].map((k) => {
      const z = -normalQuantileOfLog(logDelta - (k + 1) * Math.LN2);
      const loss = z / sigma + (2 * (1 + k * next) - 1) / (2 * sigma * sigma);
      return 1 / (1 + ((1 - rate) / rate) * Math.exp(-loss));
    });
    const posterior = 1 - probabilities[0] / (1 - rate);
    expect(posterior).toBeGreaterThanOrEqual(least * (1 - 1e-9));
    expect(posterior).toBeLessThanOrEqual(most * (1 + 1e-6));
  }
});

describe('a stream in secret batches costs less than the same participations in public ones', () => {
  const banded = toeplitz([1, 0.5, 0.3, 0.2], 8, 4);
  const dense = toeplitz(squareRoot(8), 8, 4);
  const schemes: readonly (readonly [string, Ref<'sampler'>, SampledStream])[] = [
    ['cyclic Poisson', cyclicPoisson({ groups: 4, rate: 0.2 }), banded],
    ['truncated', truncatedCyclicPoisson({ groups: 4, rate: 0.2, most: 40 }), { ...banded, slots: 400 }],
    ['balls in bins', randomAllocation({ steps: 4 }), dense],
  ];
  test.each(schemes)('%s', (_name, ref, stream) => {
    const { params, stream: draws } = streamSampler(samplers, ref);
    const epsilonOf = (event: PrivacyEvent): number =>
      accountant.epsilon(event, { delta: 1e-5, ...under }).upper;
    const most = stream.columnNorm(draws.participation(params, stream.steps));
    const inPublic: CoreEvent = {
      kind: 'core/gaussian',
      v: 1,
      sigma: stream.sigma,
      sensitivity: { 'zero-out': most },
    };
    expect(epsilonOf(eventOf(ref, stream))).toBeLessThan(epsilonOf(inPublic));
  });
});

test('truncated cyclic Poisson has both ends: by enumeration of the records drawn', () => {
  // Three slots of one group; one of them is nothing or 1, and the others 0.
  const [rate, most, sigma] = [0.7, 2, 0.8];
  const stream = { ...toeplitz([1], 1, sigma), slots: 3 };
  const event = eventOf(truncatedCyclicPoisson({ groups: 1, rate, most }), stream);
  const taken = rate * ((1 - rate) ** 2 + 2 * rate * (1 - rate) + (rate * rate * most) / 3);
  for (const epsilon of [0, 0.5, 1, 2]) {
    const deltaOf = (a: (y: number) => number, b: (y: number) => number): number => {
      let sum = 0;
      for (let y = -8; y < 9; y += 1e-3) sum += Math.max(0, a(y) - Math.exp(epsilon) * b(y)) * 1e-3;
      return sum;
    };
    const normal = (mean: number) => (y: number) =>
      Math.exp(-((y - mean) ** 2) / (2 * sigma * sigma)) / (sigma * Math.sqrt(2 * Math.PI));
    const [present, absent] = [(y: number) => taken * normal(1)(y) + (1 - taken) * normal(0)(y), normal(0)];
    const truth = Math.max(deltaOf(present, absent), deltaOf(absent, present));
    const { lower, upper } = accountant.delta(event, { epsilon, ...under });
    expect(Math.abs(lower - truth)).toBeLessThan(1e-5);
    expect(upper).toBeGreaterThanOrEqual(truth - 1e-6);
    expect(upper).toBeLessThan(2 * truth);
  }
});

test('truncated cyclic Poisson needs a public number of slots, and covers groups of both sizes', () => {
  const ref = truncatedCyclicPoisson({ groups: 4, rate: 0.2, most: 30 });
  const stream = toeplitz([1, 0.5], 16, 2);
  expect(() => eventOf(ref, stream)).toThrow(/number of slots is public; use zero-out or replace-one/);
  const { params, stream: draws } = streamSampler(samplers, ref);
  expect(draws.event(params, { ...stream, slots: 401 })['add-remove']).toBeUndefined();
  const epsilonAt = (slots: number): number =>
    accountant.epsilon(eventOf(ref, { ...stream, slots }), { delta: 1e-5, ...under }).upper;
  const [even, odd, larger] = [epsilonAt(400), epsilonAt(401), epsilonAt(404)];
  expect(odd).toBeCloseTo(Math.max(even, larger), 6);
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
