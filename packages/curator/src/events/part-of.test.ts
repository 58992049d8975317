import {
  composedEvent,
  countedEvent,
  freeEvent,
  gaussianEvent,
  parallelEvent,
  repeatedEvent,
  sampledEvent,
  type PrivacyEvent,
  type SamplerSpec,
} from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isPartOf } from './part-of.js';

const noise = (sigma: number): PrivacyEvent => gaussianEvent(sigma, { 'replace-one': 1 });
const [a, b, c] = [noise(1), noise(2), noise(3)] as const;
const poisson = (rate: number): SamplerSpec => ({ kind: 'core/poisson', rate });

describe('a part of an event', () => {
  test('in a composition is compared by counts', () => {
    const whole = countedEvent([
      { event: a, count: 3 },
      { event: b, count: 1 },
    ]);
    expect(
      isPartOf(
        countedEvent([
          { event: a, count: 3 },
          { event: b, count: 1 },
        ]),
        whole,
      ),
    ).toBe(true);
    expect(
      isPartOf(
        countedEvent([
          { event: b, count: 1 },
          { event: a, count: 2 },
        ]),
        whole,
      ),
    ).toBe(true);
    expect(isPartOf(freeEvent, whole)).toBe(true);
    expect(isPartOf(repeatedEvent(a, 4), whole)).toBe(false);
    expect(isPartOf(repeatedEvent(b, 2), whole)).toBe(false);
    expect(isPartOf(c, whole)).toBe(false);
  });

  test('in parallel composition is one of the alternatives, not two', () => {
    const whole = parallelEvent([repeatedEvent(a, 2), b]);
    expect(isPartOf(a, whole)).toBe(true);
    expect(isPartOf(parallelEvent([a, b]), whole)).toBe(true);
    expect(isPartOf(composedEvent([a, b]), whole)).toBe(false);
    expect(isPartOf(parallelEvent([repeatedEvent(a, 3), b]), whole)).toBe(false);
  });

  test('of a sampled event has the same sampler and is a part of the inner event', () => {
    const whole = repeatedEvent(sampledEvent(poisson(0.1), repeatedEvent(a, 2)), 5);
    const begun = composedEvent([
      repeatedEvent(sampledEvent(poisson(0.1), repeatedEvent(a, 2)), 4),
      sampledEvent(poisson(0.1), a),
    ]);
    expect(isPartOf(begun, whole)).toBe(true);
    expect(isPartOf(composedEvent([begun, sampledEvent(poisson(0.1), a)]), whole)).toBe(false);
    expect(isPartOf(sampledEvent(poisson(0.2), a), whole)).toBe(false);
    expect(isPartOf(a, whole)).toBe(false);
  });

  test('uses each alternative of a composition once', () => {
    const whole = composedEvent([parallelEvent([a, b]), c]);
    expect(isPartOf(composedEvent([a, c]), whole)).toBe(true);
    expect(isPartOf(composedEvent([a, b]), whole)).toBe(false);
    expect(isPartOf(composedEvent([b, c, c]), whole)).toBe(false);
  });

  test('agrees with a model that compares counts', () => {
    const counts = fc.array(fc.nat({ max: 3 }), { minLength: 3, maxLength: 3 });
    const made = (numbers: readonly number[]): PrivacyEvent =>
      countedEvent([a, b, c].flatMap((event, i) => (numbers[i] > 0 ? [{ event, count: numbers[i] }] : [])));
    fc.assert(
      fc.property(counts, counts, (part, whole) => {
        expect(isPartOf(made(part), made(whole))).toBe(part.every((count, i) => count <= whole[i]));
      }),
    );
  });
});
