import { describe, expect, it } from 'vitest';
import { certifiedClip, differenceBound, literalClip } from './certified-clip.js';
import { likelyNorm, type NoiseOfSums } from '../common/noise-of-sums.js';
import { closingClip, neededClips } from './realizable-closure.js';
import {
  expectedRisk,
  likelyRisk,
  likelySamplingError,
  riskAfter,
  type LikelyErrors,
} from './risk-bounds.js';
import {
  privacyConstant,
  riskOf,
  scheduleOf,
  type RiskSetting,
  type Schedule,
  type ScheduleChoice,
  type ScheduleFacts,
} from './schedules.js';

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

describe('planned numbers are those of the formulas', () => {
  const facts: ScheduleFacts = {
    slots: 6e6,
    dimension: 3,
    lipschitz: 1.5,
    smoothness: 0.7,
    diameter: 2,
    startDistance: 1.1,
    epsilon: 0.5,
    delta: 1e-4,
    noiseAt: treeNoise(1e-4),
  };
  const { slots: n, dimension: d, lipschitz: L, smoothness: M, diameter: D, startDistance: R } = facts;
  const half = (T: number, beta: number) => ({ rounds: T, batchSize: n / T, beta, zScale: 0.5 as const });
  type Unclipped = Omit<Schedule, 'clipNorm'>;

  /** `κ`: the noise of iterates over the clip norm. */
  const kappa = ({ rounds: T, batchSize: B, beta }: Unclipped): number =>
    (facts.noiseAt(T).worst * (Math.sqrt(d) + Math.sqrt(2 * Math.log(T * n)))) / (B * beta);
  const likelyErrors = (at: Schedule) => ({
    sampling: 2 * at.clipNorm * Math.sqrt((2 * Math.log(2 * at.rounds * n)) / at.batchSize),
    noise: kappa(at) * at.clipNorm,
  });
  /** The risk after a run with errors `e_t`. */
  const risk = ({ rounds: T, beta, zScale: s }: Unclipped, error: (t: number) => number): number => {
    let sum = (beta * R ** 2) / (2 * s);
    for (let t = 0; t < T; t++) {
      const drop = s === 1 ? (2 * beta) / (t + 2) - M : beta - M;
      sum += ((t + 1) * (t + 2) * error(t) ** 2) / (4 * drop) + (t + 1) * error(t) * D;
    }
    return (2 * sum) / (T * (T + 1));
  };
  const expected = (at: Schedule): number =>
    risk(at, (t) =>
      Math.sqrt(
        at.clipNorm ** 2 / (at.batchSize * (t + 1)) +
          d * ((facts.noiseAt(at.rounds).deviations[t] * at.clipNorm) / (at.batchSize * (t + 1))) ** 2,
      ),
    );
  const likely = (at: Schedule): number => {
    const { sampling, noise } = likelyErrors(at);
    return risk(at, (t) => sampling / Math.sqrt(t + 1) + (at.beta * noise) / (t + 1));
  };
  const certified = (at: Unclipped): number => {
    const room = 1 - (M * (at.rounds - 1) ** 2) / ((at.rounds + 1) * at.beta) - M * kappa(at);
    return room > 0 ? (2 * M * D + L) / room : Infinity;
  };
  /** Differences are no longer than that, if errors are no larger. */
  const needs = ({ rounds: T, beta }: Unclipped, { sampling: rho, noise: b }: LikelyErrors): number[] => {
    let gradient = Math.min(L, M * D);
    return Array.from({ length: T }, (_, t) => {
      if (t === 0) return L;
      const moved = (t * (gradient + rho / Math.sqrt(t))) / ((t + 2) * beta) + (b + 2 * D) / (t + 2);
      const harmonic = Array.from({ length: t }, (__, i) => 1 / (i + 1)).reduce((sum, one) => sum + one);
      const atLeast =
        (rho ** 2 * (t + 3)) / ((t + 1) * beta) +
        (2 * beta * b ** 2 * (1 + harmonic / t)) / (t + 1) +
        ((4 / 3) * rho * D * Math.sqrt(t + 1)) / t +
        (2 * beta * b * D) / (t + 1) +
        (2 * beta * D ** 2) / (t * (t + 1));
      gradient = Math.min(L, Math.sqrt(2 * M * atLeast) + (2 * M * D) / (t + 2));
      return L + (t + 1) * M * moved;
    });
  };

  it.each([0.25, 0.5, 1] as const)('where the clip is certified, at mirror scale %d', (zScale) => {
    const whole = { ...half(6, 9), zScale };
    const at = { ...whole, clipNorm: 1.01 * certified(whole) };
    for (const setting of ['any', 'realizable'] as const) {
      const found = riskOf(facts, setting, at);
      expect(found?.bound).toBeCloseTo(expected(at) + (L * D) / n, 11);
      expect(found?.likely.bound).toBeCloseTo(likely(at), 11);
      expect(found?.likely.failure).toBe(2 / n);
    }
    expect(riskOf(facts, 'any', { ...at, clipNorm: 0.99 * certified(whole) })).toBeNull();
  });

  it('of differences, where errors are bounded', () => {
    for (const errors of [
      { sampling: 0, noise: 0 },
      { sampling: 0.01, noise: 0.002 },
      { sampling: 0.3, noise: 0.05 },
    ])
      for (const beta of [1.5, 40]) {
        const found = neededClips({ ...facts, ...half(300, beta) }, errors);
        needs(half(300, beta), errors).forEach((one, t) => expect(found[t]).toBeCloseTo(one, 11));
      }
  });

  it('where the induction closes and nothing else certifies the clip', () => {
    const whole = half(6, 2.5);
    expect(certified(whole)).toBe(Infinity);
    const chosen = scheduleOf(facts, {
      setting: 'realizable',
      choice: 'corrected',
      literal: false,
      given: { rounds: 6, beta: 2.5 },
    });
    const clipNorm = chosen?.clipNorm ?? NaN;
    const needed = Math.max(...needs(whole, likelyErrors({ ...whole, clipNorm })));
    expect(clipNorm / needed).toBeGreaterThanOrEqual(1);
    expect(clipNorm / needed).toBeLessThan(1 + 1e-8);
    const at = { ...whole, clipNorm };
    expect(riskOf(facts, 'realizable', at)?.bound).toBeCloseTo(likely(at) + (2 * L * D) / n, 11);
    expect(riskOf(facts, 'realizable', { ...at, clipNorm: 0.999 * clipNorm })).toBeNull();
    expect(riskOf(facts, 'any', at)).toBeNull();
    expect(riskOf(facts, 'realizable', { ...at, zScale: 0.25 })).toBeNull();
    // The closed form is for β ≥ 2M.
    expect(riskOf(facts, 'realizable', { ...at, beta: 1.3, clipNorm: 1e3 })).toBeNull();
    expect(closingClip({ ...facts, ...whole }, () => ({ sampling: 0, noise: 0 }), 1.6)).toBeNull();
  });

  const found = (choice: ScheduleChoice, setting: RiskSetting, given = {}, literal = false, known = facts) =>
    scheduleOf(known, { choice, setting, literal, given });

  it('of the corrected schedules', () => {
    const rounds = Math.floor(n / Math.floor(Math.sqrt(n)));
    expect(found('corrected', 'any')).toMatchObject({ rounds, beta: 2 * rounds * (L / D), zScale: 1 });
    // As much noise leaves no clip norm: the step is so small that one is left.
    const noisy = { ...facts, noiseAt: treeNoise(1e-8) };
    const needed = noisy.noiseAt(6).worst * (Math.sqrt(d) + Math.sqrt(2 * Math.log(6 * n)));
    expect(found('corrected', 'any', { rounds: 6 }, false, noisy)?.beta).toBeCloseTo(
      2 * M * (6 + needed / (n / 6)),
      6,
    );
    expect(found('corrected', 'any', { rounds: 6, beta: 11 })).toMatchObject({
      beta: 11,
      clipNorm: expect.closeTo(certified({ ...half(6, 11), zScale: 1 }), 11),
    });
  });

  it('of batches that are there, and of the least clip norm', () => {
    expect(found('corrected', 'any', { rounds: 7 })?.batchSize).toBe(Math.floor(n / 7));
    expect(found('printed', 'any', { rounds: 7 })?.batchSize).toBe(Math.floor(n / 7));
    // The induction closes below the clip norm that is certified everywhere.
    const clipNorm = found('corrected', 'realizable', { rounds: 6, beta: 4 })?.clipNorm;
    expect(clipNorm).toBeLessThan(certified(half(6, 4)));
    expect(certified(half(6, 4))).toBeLessThan(Infinity);
  });

  it('with the printed clip norms', () => {
    const constant =
      4 * Math.SQRT2 * Math.log2(n) ** 1.5 * Math.sqrt(Math.log((2 * n) / 1e-4)) * Math.log(2.5e4);
    const given = { rounds: 6, beta: 9 };
    for (const choice of ['corrected', 'least-bound'] as const) {
      expect(found(choice, 'any', given, true)?.clipNorm).toBe(8 * M * D + 4 * L);
      expect(found(choice, 'realizable', given, true)?.clipNorm).toBeCloseTo(constant * L, 8);
    }
    const wide = { ...facts, dimension: 1e8 };
    for (const [known, factor] of [
      [facts, 1],
      [wide, 1e4 / (0.5 * Math.sqrt(n))],
    ] as const)
      expect(found('printed', 'realizable', {}, false, known)).toMatchObject({
        rounds: Math.ceil(constant * n ** 0.25),
        beta: expect.closeTo((constant ** 2 * L * factor) / D, 3),
      });
  });

  it('of a search, in what is given', () => {
    for (const zScale of [0.25, 1] as const)
      expect(found('least-bound', 'any', { rounds: 6, zScale })?.zScale).toBe(zScale);
  });
});
