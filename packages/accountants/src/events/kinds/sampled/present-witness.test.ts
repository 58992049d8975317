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

  it('composes with parts that are attained, and with no others', () => {
    const together = epsilon(composedEvent([subset(100, 10, 2), noise(3)]));
    expect(together.lower).toBeGreaterThan(Math.max(epsilon(noise(3)).lower, 0));
    expect(together.lower).toBeLessThan(together.upper);
    const stated: PrivacyEvent = filteredEvent(subset(100, 10, 2));
    expect(epsilon(stated).lower).toBe(0);
    expect(epsilon(composedEvent([subset(100, 10, 2), stated])).lower).toBe(0);
  });
});
