import {
  composedEvent,
  filteredEvent,
  gaussianEvent,
  type PrivacyEvent,
  repeatedEvent,
  sampledEvent,
} from '@lethe/core';
import { describe, expect, it } from 'vitest';
import { pld } from '../../../index.js';

const noise = (sigma: number) => gaussianEvent(sigma, { 'replace-one': 1, 'zero-out': 1 });
const subset = (n: number, size: number, sigma: number) =>
  sampledEvent({ kind: 'core/fixed-size', n, size, replacement: false }, noise(sigma));
const epsilon = (event: PrivacyEvent) => pld.epsilon(event, { adjacency: 'replace-one', delta: 1e-5 });

describe('the witness of a batch', () => {
  // Lower ends computed for the pair itself, by an engine that knows no dominating pairs of samples.
  it.each([
    { n: 1000, size: 10, sigma: 1, steps: 1000, lower: 1.8282, upper: 2.199 },
    { n: 1000, size: 10, sigma: 1, steps: 100, lower: 0.718, upper: 0.7682 },
    { n: 100, size: 5, sigma: 2, steps: 100, lower: 1.0972, upper: 1.1983 },
    { n: 10, size: 2, sigma: 2, steps: 20, lower: 2.2197, upper: 2.2963 },
  ])(
    'is below the bound: $size of $n, noise $sigma, $steps steps',
    ({ n, size, sigma, steps, lower, upper }) => {
      const found = epsilon(repeatedEvent(subset(n, size, sigma), steps));
      expect([found.lower, found.upper]).toEqual([expect.closeTo(lower, 3), expect.closeTo(upper, 3)]);
    },
  );

  it('is the bound itself for one batch: both are attained above ε = 0', () => {
    const { lower, upper } = epsilon(subset(100, 10, 1));
    expect(upper - lower).toBeLessThan(1e-6);
  });

  it('is that of truncated Poisson samples whose other records contribute nothing', () => {
    const event = repeatedEvent(
      sampledEvent({ kind: 'core/truncated-poisson', n: 10_000, rate: 0.01, most: 120 }, noise(1)),
      1000,
    );
    const { lower, upper } = pld.epsilon(event, { adjacency: 'zero-out', delta: 1e-5 });
    expect([lower, upper]).toEqual([expect.closeTo(1.8262, 3), expect.closeTo(2.1215, 3)]);
  });

  it('is that of truncated samples under the other adjacencies too', () => {
    const truncated = { kind: 'core/truncated-poisson', n: 1000, rate: 0.1, most: 100 } as const;
    const noisy = gaussianEvent(2, { 'add-remove': 1, 'zero-out': 1, 'replace-one': 2 });
    // Without truncation a record is present more often.
    const free = { kind: 'core/poisson', rate: 0.1 } as const;
    for (const adjacency of ['add-remove', 'zero-out', 'replace-one'] as const) {
      const [cut, whole] = [truncated, free].map((sampler) =>
        pld.epsilon(repeatedEvent(sampledEvent(sampler, noisy), 20), { adjacency, delta: 1e-5 }),
      );
      expect(cut.lower).toBeLessThan(whole.lower);
      expect(cut.lower).toBeGreaterThan(0.9 * whole.lower);
      expect(cut.upper).toBeGreaterThan(cut.lower);
    }
  });

  it('is a mixture of shifts by every occurrence in draws with replacement', () => {
    const drawn = (n: number, size: number, sigma: number): PrivacyEvent =>
      sampledEvent({ kind: 'core/fixed-size', n, size, replacement: true }, noise(sigma));
    const { lower, upper } = epsilon(repeatedEvent(drawn(1000, 10, 1), 100));
    expect([lower, upper]).toEqual([expect.closeTo(0.7847, 3), expect.closeTo(2.6728, 3)]);
    // One data set of one record: all draws are of it.
    const alone = epsilon(drawn(1, 3, 6));
    expect([alone.lower, alone.upper]).toEqual([
      expect.closeTo(epsilon(noise(2)).upper, 5),
      expect.closeTo(epsilon(noise(2)).upper, 5),
    ]);
    // Many occurrences share shifts.
    const often = epsilon(drawn(10, 5000, 200));
    expect(often.lower).toBeGreaterThan(0.9 * often.upper);
  });

  it.each([
    { sigma: 1, steps: 100, epochs: 1, lower: 0.62057, upper: 0.62172 },
    { sigma: 2, steps: 1000, epochs: 10, lower: 0.17167, upper: 0.17173 },
  ])(
    'is the pair itself of random allocation: noise $sigma, 1 of $steps steps, $epochs times',
    ({ sigma, steps, epochs, lower, upper }) => {
      const event = repeatedEvent(
        sampledEvent({ kind: 'core/random-allocation', steps }, noise(sigma)),
        epochs,
      );
      const found = pld.epsilon(event, { adjacency: 'zero-out', delta: 1e-5 });
      expect([found.lower, found.upper]).toEqual([expect.closeTo(lower, 4), expect.closeTo(upper, 4)]);
    },
  );

  it('composes with parts that are attained, and with no others', () => {
    const together = epsilon(composedEvent([subset(100, 10, 2), noise(3)]));
    expect(together.lower).toBeGreaterThan(Math.max(epsilon(noise(3)).lower, 0));
    expect(together.lower).toBeLessThan(together.upper);
    const stated: PrivacyEvent = filteredEvent(subset(100, 10, 2));
    expect(epsilon(stated).lower).toBe(0);
    expect(epsilon(composedEvent([subset(100, 10, 2), stated])).lower).toBe(0);
  });
});
