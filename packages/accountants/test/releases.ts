import { type PrivacyLossDistribution, type PrivacyEvent } from '@lethe/core';
import { resolveEvent } from '../src/events/index.js';
import fc from 'fast-check';

/** Numbers spread evenly on a logarithmic scale. */
export const tenTo = (low: number, high: number): fc.Arbitrary<number> =>
  fc.integer({ min: low * 100, max: high * 100 }).map((k) => 10 ** (k / 100));

const sensitivity = { 'replace-one': 2, 'add-remove': 1, 'zero-out': 1 };
export const gaussian = (sigma: number): PrivacyEvent =>
  ({ kind: 'core/gaussian', v: 1, sigma, sensitivity }) as PrivacyEvent;
export const laplace = (scale: number): PrivacyEvent =>
  ({ kind: 'core/laplace', v: 1, scale, sensitivity }) as PrivacyEvent;
export const pure = (epsilon: number): PrivacyEvent => ({ kind: 'core/pure', v: 1, epsilon }) as PrivacyEvent;
export const approximate = (epsilon: number, delta: number): PrivacyEvent =>
  ({ kind: 'core/approximate', v: 1, epsilon, delta }) as PrivacyEvent;
export const discreteLaplace = (scale: number, steps: number): PrivacyEvent =>
  ({
    kind: 'core/discrete-laplace',
    v: 1,
    scale: scale * steps,
    grid: 1,
    sensitivity: { 'replace-one': 2 * steps, 'add-remove': steps, 'zero-out': steps },
  }) as PrivacyEvent;
export const sampled = (rate: number, event: PrivacyEvent): PrivacyEvent =>
  ({ kind: 'core/sampled', v: 1, sampler: { kind: 'core/poisson', rate }, event }) as PrivacyEvent;

/** The laws of all directions of an event. */
export const lossDistributionsOf = (event: PrivacyEvent): readonly PrivacyLossDistribution[] =>
  resolveEvent(event, 'pair', { adjacency: 'add-remove' }).flatMap(({ factors }) =>
    factors.map(({ distribution }) => distribution),
  );

const scale = tenTo(-1, 2);
/**
 * Releases of every shape of loss: smooth, with atoms, all atoms, with an infinite part, bounded on one side.
 */
export const release: fc.Arbitrary<PrivacyEvent> = fc.oneof(
  scale.map(gaussian),
  scale.map(laplace),
  tenTo(-2, 0.7).map(pure),
  fc.tuple(tenTo(-2, 0.5), tenTo(-9, -2)).map(([e, d]) => approximate(e, d)),
  fc.tuple(scale, fc.integer({ min: 1, max: 4 })).map(([b, n]) => discreteLaplace(b, n)),
  fc.tuple(tenTo(-3, -0.1), tenTo(-0.3, 1).map(gaussian)).map(([q, e]) => sampled(q, e)),
  fc.tuple(tenTo(-3, -0.1), tenTo(-0.3, 1).map(laplace)).map(([q, e]) => sampled(q, e)),
);
