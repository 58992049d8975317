import { InvalidParameter } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { localizedPhases, type LocalizedFacts } from './phases.js';

const example: LocalizedFacts = {
  records: 256,
  dimension: 4,
  epsilon: 1.5,
  distance: 2,
  order: 2,
  uniformMoment: 2,
  uniformDoubleMoment: 3,
  secondMoment: 1.5,
  lipschitz: 1,
};
const anyFacts = fc.record({
  records: fc.integer({ min: 1, max: 20 }).chain((l) => fc.integer({ min: 2 ** l, max: 2 ** (l + 1) })),
  dimension: fc.constantFrom(1, 5, 400),
  epsilon: fc.constantFrom(0.01, 1, 30),
  distance: fc.constantFrom(0.1, 2, 50),
  order: fc.constantFrom(2, 2.5, 4, 16),
  uniformMoment: fc.constantFrom(0.5, 3),
  secondMoment: fc.constantFrom(0.2, 0.5),
  lipschitz: fc.constantFrom(0.1, 0.4),
  uniformDoubleMoment: fc.constantFrom(3, 50),
});

describe('localizedPhases', () => {
  it('has the numbers of Theorem 41', () => {
    const { records: n, stepSize, phases } = localizedPhases(example, 'corrected');
    expect(n).toBe(256);
    const privacy = (Math.sqrt(4 * Math.log(256)) / (1.5 * 256)) ** 0.5;
    const averaged = 3 * Math.sqrt(1 - 1 / 256);
    const last =
      ((averaged * 2 * 256 ** 2) / 1) *
      Math.min(1 / (2 * 256 ** 0.75), (1.5 / 2) ** 0.5 / 3) *
      (1 / 16 + privacy);
    const first =
      (2 / 256 ** 0.75) *
      Math.min(1 / (1.5 * 256 ** 0.25), 1 / (2 * 256 ** 0.25), 1 / (averaged * 256 ** 0.75 * privacy));
    expect(stepSize / Math.min(last, first)).toBeCloseTo(1, 12);
    const { records, stepSize: eta, strength, radius, rounds, clipNorm, noise, bias } = phases[2];
    expect([records, eta]).toEqual([32, stepSize / 64]);
    expect(strength * eta * 32 ** 1.5).toBeCloseTo(1, 12);
    expect((radius * strength) / (4 * 2 * Math.sqrt(16 * 8))).toBeCloseTo(1, 12);
    expect(clipNorm / (3 * ((1.5 * 32) / Math.sqrt(4 * Math.log(256))) ** 0.5)).toBeCloseTo(1, 12);
    const once = (2 * clipNorm) / (32 * 1.5);
    expect(rounds).toBe(Math.ceil(2 * 32 ** 1.5 * Math.log((4 * strength) / (4 * once ** 2 * eta))));
    expect(noise / (once * Math.sqrt(rounds))).toBeCloseTo(1, 12);
    expect(bias / (9 / (4 * clipNorm))).toBeCloseTo(1, 12);
  });

  it('prints half the rounds, another last clip norm and four times the bias', () => {
    const [corrected, printed] = (['corrected', 'printed'] as const).map(
      (schedule) => localizedPhases(example, schedule).phases,
    );
    printed.forEach((phase, i) =>
      expect(Math.abs(2 * phase.rounds - corrected[i].rounds)).toBeLessThanOrEqual(i === 7 ? 4 : 1),
    );
    expect(printed[7].clipNorm / (3 * Math.sqrt(1.5 / 2))).toBeCloseTo(1, 12);
    expect(corrected[7].clipNorm / (3 * Math.sqrt(1.5 / (2 * Math.sqrt(Math.log(256)))))).toBeCloseTo(1, 12);
    expect(printed[0].bias / corrected[0].bias).toBeCloseTo(4, 12);
  });

  it('halves records, divides steps by four, and counts to n − 1', () => {
    fc.assert(
      fc.property(anyFacts, fc.constantFrom('corrected', 'printed'), (facts, schedule) => {
        const { records: n, phases } = localizedPhases(facts, schedule);
        const p = 1 + 1 / facts.order;
        expect(Math.log2(n) % 1).toBe(0);
        expect(n <= facts.records && facts.records < 2 * n).toBe(true);
        expect(phases.reduce((sum, { records }) => sum + records, 0)).toBe(n - 1);
        phases.forEach(({ records, stepSize, strength, rounds }, i) => {
          expect(records).toBe(n / 2 ** (i + 1));
          if (i > 0) expect(phases[i - 1].stepSize).toBe(4 * stepSize);
          expect(stepSize * strength * records ** p).toBeCloseTo(1, 10);
          expect(Number.isSafeInteger(rounds) && rounds >= 1).toBe(true);
        });
        for (const phase of phases)
          for (const value of Object.values(phase)) expect(value > 0 && value < Infinity).toBe(true);
      }),
    );
  });

  it('costs at most a logarithm over n^(2 + 1/k) gradients', () => {
    for (let l = 1; l <= 20; l++) {
      const { records: n, phases } = localizedPhases({ ...example, records: 2 ** l }, 'corrected');
      expect(phases.reduce((sum, { records, rounds }) => sum + records * rounds, 0)).toBeLessThanOrEqual(
        12 * Math.log(2 * n) * n ** 2.5,
      );
    }
  });

  it('takes empirical moments where they are known, and numbers that are given', () => {
    const { phases } = localizedPhases({ ...example, doubleMomentOf: (m) => 3 / m ** 0.1 }, 'corrected');
    expect(phases[0].clipNorm / localizedPhases(example, 'corrected').phases[0].clipNorm).toBeCloseTo(
      128 ** -0.1,
      10,
    );
    const given = localizedPhases(example, 'corrected', { stepSize: 0.25, clipNorm: 7, mostRounds: 9 });
    expect(given.stepSize).toBe(0.25);
    for (const [i, phase] of given.phases.entries())
      expect(phase).toMatchObject({
        stepSize: 0.25 * 4 ** -(i + 1),
        clipNorm: 7,
        rounds: expect.toSatisfy((T: number) => T <= 9) as number,
      });
  });

  it('refuses what is no setting', () => {
    for (const bad of [
      { records: 1 },
      { records: 2.5 },
      { dimension: 0 },
      { epsilon: 0 },
      { distance: Infinity },
      { order: 1.9 },
      { uniformMoment: 0 },
      { uniformDoubleMoment: Number.NaN },
      { secondMoment: -1 },
      { lipschitz: 0 },
    ]) {
      expect(() => localizedPhases({ ...example, ...bad }, 'corrected')).toThrow(InvalidParameter);
    }
  });
});
