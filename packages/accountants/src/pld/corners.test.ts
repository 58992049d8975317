import { gaussianEvent, type PrivacyEvent, repeatedEvent, sampledEvent } from '@lethe/core';
import { normalCdf } from '@lethe/numerics';
import { describe, expect, it } from 'vitest';
import { saddlePoint } from '../saddle-point/saddle-point.js';
import { pld } from './pld.js';

const adjacency = 'zero-out';
const sensitivity = { 'zero-out': 1 } as const;
const laplace = (scale: number): PrivacyEvent =>
  ({ kind: 'core/laplace', v: 1, scale, sensitivity }) as PrivacyEvent;
const widthOf = ({ lower, upper }: { readonly lower: number; readonly upper: number }): number =>
  (upper - lower) / upper;

describe('pld in its corners', () => {
  // Truths are contour integrals at 30 digits (docs/guide/accounting/sampled_gaussian.py).
  it.each([
    { rate: 0.01, sigma: 2, steps: 100, delta: 1e-200, truth: [12.66917, 12.66924], width: 1e-4 },
    { rate: 1e-4, sigma: 1, steps: 1e5, delta: 1e-10, truth: [0.23543, 0.23547], width: 5e-4 },
    { rate: 1e-4, sigma: 1, steps: 1e5, delta: 1e-300, truth: [39.538, 39.559], width: 1e-3 },
    // Two thresholds between losses; the truth is a limit of grids of positive masses.
    { rate: 1e-4, sigma: 2, steps: 100, delta: 1e-20, truth: [0.00789112, 0.00789113], width: 1e-4 },
  ])(
    'finds ε at δ = $delta of $steps samples with rate $rate and noise $sigma',
    ({ rate, sigma, steps, delta, truth: [least, most], width }) => {
      const event = repeatedEvent(
        sampledEvent({ kind: 'core/poisson', rate }, gaussianEvent(sigma, sensitivity)),
        steps,
      );
      const found = pld.epsilon(event, { adjacency, delta });
      expect(widthOf(found)).toBeLessThan(width);
      expect(found.upper).toBeGreaterThan(least);
      expect(found.lower).toBeLessThan(most);
    },
  );

  it.each([
    { rate: 1e-4, sigma: 1, steps: 1000, delta: 1e-6 },
    { rate: 1e-4, sigma: 1, steps: 1e4, delta: 1e-12 },
    { rate: 1e-4, sigma: 1, steps: 1e5, delta: 1e-12 },
    { rate: 0.001, sigma: 2, steps: 1000, delta: 1e-20 },
  ])(
    'is as narrow as the saddle point, and both meet, where few large losses decide: %o',
    ({ rate, sigma, steps, delta }) => {
      const event = repeatedEvent(
        sampledEvent({ kind: 'core/poisson', rate }, gaussianEvent(sigma, sensitivity)),
        steps,
      );
      const [grid, contour] = [pld, saddlePoint].map((accountant) => {
        const found = accountant.epsilon(event, { adjacency, delta });
        expect(widthOf(found)).toBeLessThan(1e-3);
        return found;
      });
      expect(grid.lower).toBeLessThan(contour.upper);
      expect(contour.lower).toBeLessThan(grid.upper);
      // δ at ε is the same curve.
      const there = saddlePoint.delta(event, { adjacency, epsilon: grid.upper });
      expect(there.lower).toBeLessThan(delta);
      expect(there.upper).toBeGreaterThan(0.9 * delta);
      expect(widthOf(there)).toBeLessThan(0.05);
    },
  );

  it('finds ε from where it is expected, right or wrong, and refuses where it cannot be', () => {
    const event = repeatedEvent(
      sampledEvent({ kind: 'core/poisson', rate: 0.01 }, gaussianEvent(0.9, sensitivity)),
      100,
    );
    const query = { adjacency, delta: 1e-5, width: 1e-5 } as const;
    const known = pld.epsilon(event, query);
    for (const near of [1, 0.9, 0.01, 30]) {
      const found = pld.epsilon(event, { ...query, near });
      expect(found.lower).toBeLessThan(known.upper);
      expect(found.upper).toBeGreaterThan(known.lower);
      expect(widthOf(found)).toBeLessThan(1e-3);
      // What was composed for ε is also what δ there is read from.
      const { lower, upper } = pld.delta(event, { adjacency, epsilon: found.upper, width: 1e-5 });
      expect(lower).toBeLessThan(1e-5);
      expect(upper).toBeGreaterThan(0.99e-5);
    }
    for (const near of [0, -1, Infinity, NaN])
      expect(() => pld.epsilon(event, { ...query, near })).toThrow(/near is .*positive and finite/);
  });

  it('keeps the losses between the atoms of many small Laplace releases', () => {
    // By sums over binomials of atoms and of uniforms at 30 digits, δ(0.9999233) = 1.000839e-4 and
    // δ(1.0000058) = 9.99905e-5.
    const found = pld.epsilon(repeatedEvent(laplace(70.96), 500), { adjacency, delta: 1e-4 });
    expect(found.upper).toBeGreaterThan(0.9999233);
    expect(found.lower).toBeLessThan(1.0000058);
    for (const scale of [70.96, 200, 1000])
      expect(
        widthOf(pld.epsilon(repeatedEvent(laplace(scale), 500), { adjacency, delta: 1e-5 })),
        String(scale),
      ).toBeLessThan(1e-3);
  });

  it.each([
    [1e3, 1e7],
    [1e4, 1e9],
  ])('keeps them for Laplace noise of scale %d released %d times', (scale, times) => {
    // The sum of so many small losses is normal: the third and fourth cumulants are below 1e-6. Under P an
    // atom ½ is at the largest loss, ½ e^(−largest) at the least, and between them the density is
    // ¼ e^((ℓ − largest)/2).
    const largest = 1 / scale;
    const one = largest + Math.expm1(-largest);
    const between = largest ** 3 / 6 - largest ** 4 / 12;
    const variance = times * ((largest ** 2 * (1 + Math.exp(-largest))) / 2 + between - one ** 2);
    const [mean, deviation] = [times * one, Math.sqrt(variance)];
    const delta = (epsilon: number): number =>
      normalCdf((mean - epsilon) / deviation) -
      Math.exp(epsilon - mean + variance / 2) * normalCdf((mean - variance - epsilon) / deviation);
    const found = pld.epsilon(repeatedEvent(laplace(scale), times), { adjacency, delta: 1e-5 });
    expect(widthOf(found)).toBeLessThan(5e-4);
    expect(delta(found.lower)).toBeGreaterThan(1e-5 * (1 - 1e-5));
    expect(delta(found.upper)).toBeLessThan(1e-5 * (1 + 1e-5));
  });
});
