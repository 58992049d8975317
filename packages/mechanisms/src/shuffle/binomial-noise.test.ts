import { Unsupported } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { noiseBitsPerUser, noiseBitsNeeded, shareOf } from './binomial-noise.js';

/** Probabilities of 0 … n heads, to 1e-12 of themselves. */
function heads(n: number): Float64Array {
  const middle = n >> 1;
  const weights = new Float64Array(n + 1);
  weights[middle] = 1;
  for (let k = middle; k < n; k++) weights[k + 1] = (weights[k] * (n - k)) / (k + 1);
  for (let k = middle; k > 0; k--) weights[k - 1] = (weights[k] * k) / (n - k + 1);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}

/**
 * The larger hockey-stick divergence, of both directions,
 * between `n` fair bits and as many with `shift` heads more.
 */
function hockeyStick(n: number, shift: number, epsilon: number): number {
  const law = heads(n);
  const at = (k: number): number => law[k] ?? 0;
  let up = 0;
  let down = 0;
  for (let k = -shift; k <= n + shift; k++) {
    up += Math.max(0, at(k) - Math.exp(epsilon) * at(k - shift));
    down += Math.max(0, at(k - shift) - Math.exp(epsilon) * at(k));
  }
  return Math.max(up, down);
}

const targets = fc
  .tuple(
    fc.integer({ min: 1, max: 150 }).map((k) => k / 10),
    fc.constantFrom(0.4, 0.05, 1e-3, 1e-6, 1e-12),
  )
  .map(([epsilon, delta]) => ({ epsilon, delta }));

describe('noiseBitsNeeded', () => {
  it('is 180 levels² ln(2/δ)/ε², rounded up', () => {
    expect(noiseBitsNeeded(4, { epsilon: 1, delta: 0.01 })).toBeCloseTo(180 * 16 * Math.log(200), 6);
    expect(noiseBitsPerUser(noiseBitsNeeded(4, { epsilon: 1, delta: 0.01 }), 16, 1)).toBe(954);
    fc.assert(
      fc.property(targets, fc.integer({ min: 2, max: 1000 }), ({ epsilon, delta }, levels) => {
        const exact = (180 * levels * levels * Math.log(2 / delta)) / epsilon ** 2;
        const noiseBits = noiseBitsNeeded(levels, { epsilon, delta });
        expect(noiseBits).toBeGreaterThanOrEqual(exact * (1 - 1e-15));
        expect(noiseBits).toBeLessThanOrEqual(exact * (1 + 1e-12));
      }),
    );
  });

  it('hides every shift, by enumeration of the binomial law', () => {
    for (const levels of [2, 3, 4, 16])
      for (const epsilon of [0.5, 2, 4, 15])
        for (const delta of [0.4, 0.01, 1e-6]) {
          if (epsilon > levels) continue;
          const noiseBits = Math.ceil(noiseBitsNeeded(levels, { epsilon, delta }));
          if (noiseBits > 200_000) continue;
          for (const shift of new Set([1, 2, levels - 1, levels]))
            expect(hockeyStick(noiseBits, shift, (shift * epsilon) / levels)).toBeLessThanOrEqual(delta);
        }
  });

  it('would not with a three-hundredth of the fair bits', () => {
    // At ε(2/g + 1) for z = 0 and z = τ, with s = 16, ε = 1, δ =
    // 0.01, g = 4; the rounding of others would help a little.
    const needed = noiseBitsNeeded(4, { epsilon: 1, delta: 0.01 });
    expect(hockeyStick(Math.round(needed / 300), 4, 1.5)).toBeGreaterThan(0.07);
    expect(hockeyStick(Math.round(needed / 100), 4, 1.5)).toBeLessThan(0.01);
  });
});

describe('shareOf', () => {
  const exposures = fc
    .tuple(fc.integer({ min: 1, max: 5000 }), fc.integer({ min: 2, max: 400 }))
    .map(([counts, levels]) => ({
      levels,
      exposure: {
        counts,
        sum: Math.sqrt(counts) + (2 * counts) / levels,
        root: 1 + (2 * Math.sqrt(counts)) / levels,
      },
    }));

  it('adds up to the target, one way or the other', () => {
    fc.assert(
      fc.property(targets, exposures, (target, { levels, exposure }) => {
        const share = shareOf(target, exposure, levels);
        const spent = (share.epsilon * exposure.root) ** 2;
        const plain =
          share.epsilon * exposure.sum <= target.epsilon && share.delta * exposure.counts <= target.delta;
        const advanced =
          spent / 2 + Math.sqrt(2 * Math.log(2 / target.delta) * spent) <= target.epsilon * (1 + 1e-12) &&
          share.delta * exposure.counts <= target.delta / 2;
        expect(plain || advanced).toBe(true);
        expect(share.epsilon).toBeLessThanOrEqual(Math.min(15, levels));
      }),
    );
  });

  it('needs no more fair bits than the closed choice of the specification', () => {
    fc.assert(
      fc.property(targets, exposures, (target, { exposure: { counts } }) => {
        const levels = Math.max(4, Math.ceil(2 * Math.sqrt(counts)));
        const exposure = {
          counts,
          sum: Math.sqrt(counts) + (2 * counts) / levels,
          root: 1 + (2 * Math.sqrt(counts)) / levels,
        };
        const closed = Math.min(
          target.epsilon / (4 * Math.sqrt(2 * Math.log(2 / target.delta))),
          Math.sqrt(target.epsilon) / 4,
          0.5,
        );
        expect(noiseBitsNeeded(levels, shareOf(target, exposure, levels))).toBeLessThanOrEqual(
          noiseBitsNeeded(levels, { epsilon: closed, delta: target.delta / (2 * counts) }) * (1 + 1e-12),
        );
      }),
    );
  });
});

describe('noiseBitsPerUser', () => {
  it('gives honest users alone all that is needed', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e9 }), fc.integer({ min: 1, max: 1e6 }), (needed, honest) => {
        expect(noiseBitsPerUser(needed, honest, 1) * honest).toBeGreaterThanOrEqual(needed);
      }),
    );
  });
  it('says how many honest users would do where messages are too many', () => {
    expect(() => noiseBitsPerUser(2 ** 40, 10, 4)).toThrow(Unsupported);
    expect(() => noiseBitsPerUser(2 ** 40, Math.ceil((2 ** 40 * 4) / 2 ** 31), 4)).not.toThrow();
  });
});
