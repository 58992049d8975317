import { describe, expect, it } from 'vitest';
import { certifiedClip, differenceBound, literalClip } from './certified-clip.js';
import { likelyNorm, type NoiseOfSums } from '../common/noise-of-sums.js';
import { closingClip, neededClips } from './realizable-closure.js';
import { expectedRisk, likelyRisk, likelySamplingError, riskAfter } from './risk-bounds.js';
import { privacyConstant, riskOf, scheduleOf, type ScheduleFacts } from './schedules.js';

/** Noise of the binary tree by its closed form. */
const treeNoise = (gdp: number) => {
  const known = new Map<number, NoiseOfSums>();
  return (rounds: number): NoiseOfSums => {
    const noise = known.get(rounds) ?? treeNoiseOf(gdp, rounds);
    known.set(rounds, noise);
    return noise;
  };
};
const treeNoiseOf = (gdp: number, rounds: number): NoiseOfSums => {
  const norm = Math.sqrt(1 + Math.floor(Math.log2(rounds))) / gdp;
  const bits = (i: number): number => i.toString(2).replaceAll('0', '').length;
  const deviations = Float64Array.from({ length: rounds }, (_, t) => norm * Math.sqrt(bits(t + 1)));
  return { deviations, worst: deviations.reduce((most, one) => Math.max(most, one), 0) };
};
const golden: ScheduleFacts = {
  slots: 1e6,
  dimension: 100,
  lipschitz: 1,
  smoothness: 1,
  diameter: 1,
  startDistance: 1,
  epsilon: 1,
  delta: 1e-6,
  noiseAt: treeNoise(0.236704380663),
};

describe('the printed schedules', () => {
  it('have the golden parameters of Theorem 14', () => {
    const found = scheduleOf(golden, { setting: 'any', choice: 'printed', literal: false, given: {} });
    expect(found).toEqual({ rounds: 1000, batchSize: 1000, beta: 24_000, zScale: 1, clipNorm: 12 });
  });

  it('have the constant of Equation 19, which leaves no batch of a million records', () => {
    expect(privacyConstant(1e6, 1e-6)).toBeCloseTo(39_465.87, 2);
    expect(privacyConstant(1e10, 1e-10)).toBeCloseTo(177_292.44, 2);
    const found = scheduleOf(golden, { setting: 'realizable', choice: 'printed', literal: false, given: {} });
    expect(found).toMatchObject({ rounds: 1e6, batchSize: 1, zScale: 1 });
  });
});

it('a bound that holds with probability 1 − 2/n says nothing of one record, and no more than that', () => {
  const facts = { ...golden, slots: 1 };
  const found = scheduleOf(facts, { setting: 'any', choice: 'few-rounds', literal: false, given: {} });
  expect(found && riskOf(facts, 'any', found)?.likely.failure).toBe(1);
});

it('what is known of the minimiser does not raise the least bound', () => {
  const facts = { ...golden, slots: 1e5, dimension: 20 };
  const least = (setting: 'any' | 'realizable'): number => {
    const found = scheduleOf(facts, {
      setting,
      choice: 'least-bound',
      literal: false,
      given: { rounds: 1024 },
    });
    return found === null ? Infinity : (riskOf(facts, setting, found)?.bound ?? Infinity);
  };
  expect(least('any')).toBeLessThan(Infinity);
  expect(least('realizable')).toBeLessThanOrEqual(least('any'));
});

describe('certifiedClip', () => {
  const setting = { rounds: 1000, beta: 24_000, lipschitz: 1, smoothness: 1, diameter: 1 };

  it('is 3.130 for the golden set, where the paper has 12', () => {
    const { worst } = golden.noiseAt(1000);
    const perClip = (worst * likelyNorm(100, 1000, 1e-6)) / (1000 * 24_000);
    expect(certifiedClip(setting, perClip)).toBeCloseTo(3.13, 3);
    expect(literalClip(setting)).toBe(12);
  });

  it('is the bound on differences at the noise that it brings', () => {
    const clip = certifiedClip(setting, 0.1) ?? Number.NaN;
    expect(differenceBound(setting, 0.1 * clip) / clip).toBeCloseTo(1, 12);
  });

  it('is none where steps or noise are too large', () => {
    expect(certifiedClip({ ...setting, beta: 990 }, 0)).toBeNull();
    expect(certifiedClip(setting, 1)).toBeNull();
    expect(differenceBound({ ...setting, beta: 990 }, 0)).toBe(Infinity);
  });
});

describe('risk bounds', () => {
  it.each([
    [1e8, 31_622, 3162, 1024, 3.42, 8.4e-3],
    [1e10, 1_778_279, 5623, 256, 3.92, 8.4e-4],
  ])('close for %d records in a realizable problem', (slots, batchSize, rounds, beta, need, risk) => {
    // Clip norm 4, δ = 1e-8, which is halved for the failure; noise of the tree for (1, 1e-8).
    const run = { rounds, batchSize, beta, smoothness: 1, lipschitz: 1, diameter: 1, startDistance: 1 };
    const { worst } = treeNoise(0.1998)(rounds);
    const errorsAt = (clipNorm: number) => ({
      sampling: likelySamplingError({ ...run, clipNorm }, 1e-8 / 2),
      noise: (clipNorm * worst * likelyNorm(10, rounds, 1e-8 / 2)) / (batchSize * beta),
    });
    const most = Math.max(...neededClips(run, errorsAt(4)));
    expect(most / need).toBeGreaterThan(0.97);
    expect(most / need).toBeLessThan(1.03);
    const bound = likelyRisk(run, errorsAt(4), rounds);
    expect(bound / risk).toBeGreaterThan(0.9);
    expect(bound / risk).toBeLessThan(1.1);
    const least = closingClip(run, errorsAt, 1e6) ?? Number.NaN;
    expect(least).toBeLessThan(most);
    expect(Math.max(...neededClips(run, errorsAt(least)))).toBeLessThanOrEqual(least);
  });

  it('in closed form are above the sum that they bound', () => {
    const run = {
      rounds: 40,
      batchSize: 10,
      beta: 7,
      zScale: 0.5 as const,
      clipNorm: 1,
      smoothness: 3,
      diameter: 2,
      startDistance: 2,
    } as const;
    for (const errors of [
      { sampling: 0.3, noise: 0 },
      { sampling: 0, noise: 0.02 },
      { sampling: 0.1, noise: 0.05 },
    ]) {
      const sum = riskAfter(
        run,
        (t) => errors.sampling / Math.sqrt(t + 1) + (run.beta * errors.noise) / (t + 1),
      );
      expect(likelyRisk(run, errors, 40)).toBeGreaterThanOrEqual(sum);
    }
  });

  it('without errors are 2βD²/(T(T + 1)), half of it for the printed scale', () => {
    const run = {
      rounds: 9,
      batchSize: 1,
      beta: 20,
      zScale: 0.5 as const,
      clipNorm: 1,
      smoothness: 1,
      diameter: 2,
      startDistance: 1,
    } as const;
    expect(riskAfter(run, () => 0)).toBeCloseTo(40 / 90, 12);
    expect(riskAfter({ ...run, zScale: 1 }, () => 0)).toBeCloseTo(20 / 90, 12);
    expect(riskAfter({ ...run, beta: 4, zScale: 1 }, () => 0)).toBe(Infinity);
  });

  it('of few rounds are the least ones where those are quick', () => {
    const facts = { ...golden, slots: 1e5, dimension: 5, smoothness: 0.25 };
    const [few, least] = (['few-rounds', 'least-bound'] as const).map((choice) =>
      scheduleOf(facts, { setting: 'any', choice, literal: false, given: {} }),
    );
    expect(few).toEqual(least);
    expect(few?.rounds).toBeGreaterThan(1024);
  });

  it('of the least-bound schedule are below those in √n rounds, and these below those of the others', () => {
    const bounds = (['least-bound', 'few-rounds', 'corrected'] as const).map((choice) => {
      const found = scheduleOf(golden, { setting: 'any', choice, literal: false, given: {} });
      if (found === null) throw new Error('no schedule');
      if (choice !== 'least-bound')
        expect(found.rounds).toBeLessThanOrEqual(Math.max(1024, Math.sqrt(golden.slots)));
      const { deviations } = golden.noiseAt(found.rounds);
      return expectedRisk(
        { ...golden, ...found },
        { deviations: deviations.map((one) => (one * found.clipNorm) / found.batchSize), dimension: 100 },
      );
    });
    expect(bounds[0]).toBeLessThan(bounds[1]);
    expect(bounds[1]).toBeLessThan(bounds[2]);
    expect(bounds[1]).toBeLessThan(1.7 * bounds[0]);
    expect(bounds[0]).toBeLessThan(0.1);
  });
});
