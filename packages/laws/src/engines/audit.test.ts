import { type RandomSource, seededRandom } from '@lethe/core';
import { describe, expect, it } from 'vitest';
import { audit } from './audit.js';
import { wholeOutputWitness } from './whole-output-witness.js';

/** Laplace noise of the given scale on 0 or 1: private with ε = 1/scale. */
const laplace =
  (scale: number) =>
  (neighbour: 0 | 1, randomness: RandomSource): Float64Array =>
    randomness.laplaceInto(new Float64Array(1)).map((z) => neighbour + scale * z);
const pure =
  (claimed: number) =>
  (epsilon: number): number =>
    Math.max(0, (Math.exp(claimed) - Math.exp(epsilon)) / (1 + Math.exp(claimed)));
const audited = (scale: number, seed: string, pairs = 12_000) =>
  audit({ draw: laplace(scale), profile: pure(1), pairs, alpha: 1e-10, random: seededRandom(seed) });

describe('an audit', () => {
  it('accepts tight claims, on many seeds', () => {
    for (let seed = 0; seed < 20; seed++) {
      const { verdict, samples } = audited(1, `null ${seed}`, 3000);
      expect(verdict).toBe('holds');
      expect(samples).toBeGreaterThan(2500);
    }
  });

  it('stops where the pairs that are left can reject nothing, and not before', () => {
    const tells = (pairs: number, most = pairs) =>
      audit({
        draw: (neighbour) => [neighbour],
        profile: () => 0.01,
        pairs,
        most,
        alpha: 1e-10,
        random: seededRandom('tells'),
      });
    const { verdict, samples } = tells(1000);
    expect(verdict).toBe('fails');
    expect(tells(samples)).toMatchObject({ verdict: 'fails', samples });
    expect(tells(samples - 1).verdict).toBe('holds');
    // Even if every bet won, the wealth would not reach 1/α, and the finding says so.
    expect(tells(20)).toMatchObject({
      verdict: 'skipped',
      why: expect.stringContaining('so weak') as string,
    });
    // With leave to take more it takes as many as can reject.
    expect(tells(20, 1000).verdict).toBe('fails');
  });

  it('detects too little noise, faster for less noise, and names the event', () => {
    const [half, tenth] = [audited(0.5, 'half'), audited(0.1, 'tenth')];
    expect(half).toMatchObject({
      verdict: 'fails',
      violation: { what: expect.stringContaining('than e^') as string },
    });
    expect(half.samples).toBeLessThan(5000);
    expect(tenth.samples).toBeLessThan(half.samples);
  });

  it('is faster with a known density ratio', () => {
    const known = audit({
      draw: laplace(0.5),
      profile: pure(1),
      logRatio: (y) => (Math.abs(y[0] - 1) - Math.abs(y[0])) / 0.5,
      pairs: 5000,
      alpha: 1e-10,
      random: seededRandom('known'),
    });
    expect(known.verdict).toBe('fails');
    expect(known.samples).toBeLessThan(audited(0.5, 'known').samples);
  });

  it('skips vacuous claims', () => {
    expect(
      audit({
        draw: laplace(0.01),
        profile: () => 1,
        pairs: 100,
        alpha: 1e-10,
        random: seededRandom('free'),
      }),
    ).toMatchObject({ verdict: 'skipped', why: expect.stringContaining('says nothing') as string });
  });

  it('learns a joint distribution: two bits, equal on one neighbour and opposite on the other', () => {
    const draw = (neighbour: 0 | 1, randomness: RandomSource): readonly number[] => {
      const first = randomness.integer(2);
      const chosenOf = () => {
        if (randomness.integer(10) === 0) return randomness.integer(2);
        return neighbour === 0 ? first : 1 - first;
      };
      return [first, chosenOf()];
    };
    const found = audit({
      draw,
      profile: pure(1),
      witnesses: () => [wholeOutputWitness()],
      pairs: 4000,
      alpha: 1e-10,
      random: seededRandom('coins'),
    });
    expect(found).toMatchObject({
      verdict: 'fails',
      violation: { witness: expect.stringContaining('whole outputs') as string },
    });
  });
});

describe('the witness of whole outputs', () => {
  it('gives score 0 before its warm-up, for new outputs, and for rare ones', () => {
    const witness = wholeOutputWitness({ warmUp: 20 });
    for (let i = 0; i < 19; i++) witness.learn([1, 2], [3, 4]);
    expect(witness.ready).toBe(false);
    witness.learn([1, 2], [3, 4]);
    expect(witness.ready).toBe(true);
    expect(witness.score([1, 2])).toBeGreaterThan(0);
    expect(witness.score([3, 4])).toBeLessThan(0);
    expect(witness.score([1, 4])).toBe(0);
    witness.learn([5, 5], [3, 4]);
    expect(witness.score([5, 5])).toBe(0);
  });

  it('stops storing outputs that never repeat', () => {
    const witness = wholeOutputWitness({ memory: 4, warmUp: 1 });
    for (let i = 0; i < 50; i++) witness.learn([i], [-1 - i]);
    expect(witness.ready).toBe(false);
  });
});
