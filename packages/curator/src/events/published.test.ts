import { composedEvent, gaussianEvent, parallelEvent, sampledEvent } from '@lethe/core';
import { describe, expect, it } from 'vitest';
import { publishedEvent } from './published.js';

const gaussian = gaussianEvent(2, { 'replace-one': 1 });
const sigmaOf = (event: unknown): number => (event as { readonly sigma: number }).sigma;

describe('publishedEvent', () => {
  it('adds up the noise of the silos that keep silent', () => {
    for (const [silos, colluding] of [
      [1, 0],
      [4, 0],
      [4, 2],
      [16, 15],
    ]) {
      const shares = Array.from({ length: silos }, () => 0.3);
      const published = publishedEvent(gaussian, { shares, colluding });
      expect(sigmaOf(published)).toBeCloseTo(2 * Math.sqrt(silos - colluding), 12);
      expect(sigmaOf(published)).toBeLessThanOrEqual(2 * Math.sqrt(silos - colluding));
    }
  });

  it('is about the silo that is worst off, against the worst coalition', () => {
    const shares = [3, 4, 1];
    // Of 4 with 1 and 3 silent; of 4 with 1 alone.
    expect(sigmaOf(publishedEvent(gaussian, { shares, colluding: 0 }))).toBeCloseTo(
      (2 * Math.sqrt(26)) / 4,
      12,
    );
    expect(sigmaOf(publishedEvent(gaussian, { shares, colluding: 1 }))).toBeCloseTo(
      (2 * Math.sqrt(17)) / 4,
      12,
    );
  });

  it('goes into compositions and samples, and refuses other noise', () => {
    const event = composedEvent([gaussian, parallelEvent([gaussian, gaussian])]);
    expect(JSON.stringify(publishedEvent(event, { shares: [1, 1], colluding: 1 }))).toBe(
      JSON.stringify(event).replaceAll('"sigma":2', `"sigma":${2 * (1 - 2 ** -50)}`),
    );
    const sampled = sampledEvent({ kind: 'core/poisson', rate: 0.1 }, gaussian);
    expect(publishedEvent(sampled, { shares: [1, 1, 1, 1], colluding: 0 })).toEqual({
      ...sampled,
      event: { ...gaussian, sigma: expect.closeTo(4, 12) as number },
    });
    expect(() => publishedEvent({ kind: 'core/laplace', v: 1 }, { shares: [1], colluding: 0 })).toThrow(
      /Gaussian/u,
    );
    expect(() => publishedEvent(gaussian, { shares: [1, 1], colluding: 2 })).toThrow(/at most 1/u);
  });
});
