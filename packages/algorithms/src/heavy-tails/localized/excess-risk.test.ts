import { InvalidParameter } from '@lethe/core';
import { defined } from '@lethe/numerics';
import { describe, expect, it } from 'vitest';
import { localizedExcessRisk, type LocalizedRun } from './excess-risk.js';
import { localizedPhases, type LocalizedFacts, type LocalizedPhase } from './phases.js';

/** `|w − x|` on `[−1, 1]` for a law of `x` on a few points; the slope is a sign, so all its moments are 1. */
interface Law {
  readonly points: readonly number[];
  readonly weights: readonly number[];
}
const riskOf =
  ({ points, weights }: Law) =>
  (w: number): number =>
    points.reduce((sum, x, i) => sum + weights[i] * Math.abs(w - x), 0);
const facts: LocalizedFacts = {
  records: 4,
  dimension: 1,
  epsilon: 1,
  distance: 2,
  order: 2,
  uniformMoment: 1,
  uniformDoubleMoment: 1,
  secondMoment: 1,
  lipschitz: 1,
};

/** Every outcome of records and randomness, one after the other: `E F(w_l)`. */
function expectedRisk(distribution: Law, phases: LocalizedRun['phases'], start: number): number {
  const F = riskOf(distribution);
  const phaseFrom = (at: number, w: number): number => {
    if (at === phases.length) return F(w);
    const phase = phases[at];
    let sum = 0;
    for (let choice = 0; choice < distribution.points.length ** phase.records; choice++) {
      const drawn = Array.from(
        { length: phase.records },
        (_, j) => Math.floor(choice / distribution.points.length ** j) % distribution.points.length,
      );
      sum +=
        drawn.reduce((product, i) => product * distribution.weights[i], 1) *
        walk(
          phase,
          drawn.map((i) => distribution.points[i]),
          at,
          w,
        );
    }
    return sum;
  };
  const walk = (
    { rounds, stepSize, strength, radius, clipNorm, noise, samplingRate = 1 }: LocalizedRun['phases'][number],
    records: readonly number[],
    at: number,
    centre: number,
  ): number => {
    const draws =
      samplingRate === 1
        ? [records.map(() => true)]
        : Array.from({ length: 2 ** records.length }, (_, subset) =>
            records.map((_x, j) => ((subset >> j) & 1) === 1),
          );
    const step = (w: number, left: number): number => {
      if (left === 0) return phaseFrom(at + 1, w);
      return draws.reduce(
        (sum, drawn) =>
          sum +
          drawn.reduce(
            (product, isIn) => product * (samplingRate === 1 || isIn ? samplingRate : 1 - samplingRate),
            1,
          ) *
            after(w, left, drawn),
        0,
      );
    };
    const after = (w: number, left: number, drawn: readonly boolean[]): number => {
      const slope =
        records.reduce(
          (sum, x, j) =>
            sum + (drawn[j] === true ? Math.max(-clipNorm, Math.min(clipNorm, Math.sign(w - x))) : 0),
          0,
        ) /
        (samplingRate * records.length);
      return [-noise, noise].reduce((sum, z) => {
        const moved = w - stepSize * (slope + z + strength * (w - centre));
        return sum + step(Math.max(-1, centre - radius, Math.min(1, centre + radius, moved)), left - 1) / 2;
      }, 0);
    };
    return step(centre, rounds);
  };
  return phaseFrom(0, start);
}

describe('localizedExcessRisk', () => {
  it('bounds the exact expectation over records and noise, all outcomes listed', () => {
    let closest = 0;
    for (const distribution of [
      { points: [0.4], weights: [1] },
      { points: [-1, 0.9], weights: [0.4, 0.6] },
    ])
      for (const epsilon of [1, 30])
        for (const stepSize of [0.1, 3, 40])
          for (const clipNorm of [0.5, 1])
            for (const start of [-1, 0.2]) {
              const { phases } = localizedPhases({ ...facts, epsilon }, 'corrected', {
                stepSize,
                clipNorm,
                mostRounds: 4,
              });
              const F = riskOf(distribution);
              const least = Math.min(...distribution.points.map(F));
              const minimiser = defined(distribution.points.find((x) => F(x) === least));
              const excess = expectedRisk(distribution, phases, start) - least;
              const bound = localizedExcessRisk({
                phases,
                dimension: 1,
                distance: Math.abs(start - minimiser),
                extent: 2,
                lipschitz: 1,
                secondMoment: 1,
                uniformSecondMoment: 1,
              });
              expect(
                excess,
                JSON.stringify({ distribution, epsilon, stepSize, clipNorm, start }),
              ).toBeLessThanOrEqual(bound);
              closest = Math.max(closest, excess / bound);
            }
    expect(closest).toBeGreaterThan(0.1);
  });

  it('bounds it where each round draws its records, too, and is no smaller then', () => {
    const distribution = { points: [-1, 0.9], weights: [0.5, 0.5] };
    const F = riskOf(distribution);
    const least = Math.min(...distribution.points.map(F));
    for (const samplingRate of [0.1, 0.5])
      for (const stepSize of [0.5, 10])
        for (const start of [-1, 0.2]) {
          const phases = localizedPhases({ ...facts, epsilon: 100 }, 'corrected', {
            stepSize,
            clipNorm: 1,
            mostRounds: 3,
          }).phases.map((phase) => ({ ...phase, samplingRate: phase.records === 1 ? 1 : samplingRate }));
          const run: LocalizedRun = {
            phases,
            dimension: 1,
            distance: 2,
            extent: 2,
            lipschitz: 1,
            secondMoment: 1,
            uniformSecondMoment: 1,
          };
          const bound = localizedExcessRisk(run);
          expect(expectedRisk(distribution, phases, start) - least).toBeLessThanOrEqual(bound);
          expect(bound).toBeGreaterThanOrEqual(
            localizedExcessRisk({ ...run, phases: phases.map((phase) => ({ ...phase, samplingRate: 1 })) }),
          );
        }
  });

  const setting = {
    dimension: 4,
    distance: 2,
    extent: 2,
    lipschitz: 1,
    secondMoment: 1.5,
    uniformSecondMoment: 1.5,
  };
  const phasesAt = (records: number, epsilon = 1) =>
    localizedPhases(
      {
        records,
        dimension: 4,
        epsilon,
        distance: 2,
        order: 2,
        uniformMoment: 2,
        uniformDoubleMoment: 3,
        secondMoment: 1.5,
        lipschitz: 1,
      },
      'corrected',
    ).phases;
  it('is the sum it says, for one phase', () => {
    const phase: LocalizedPhase = {
      records: 10,
      stepSize: 0.1,
      strength: 2,
      radius: 0.5,
      rounds: 10,
      clipNorm: 1,
      noise: 0.5,
      bias: 0.2,
    };
    const one: LocalizedRun = {
      phases: [phase],
      dimension: 1,
      distance: 1,
      extent: 2,
      lipschitz: 3,
      secondMoment: 0.5,
      uniformSecondMoment: 0.75,
    };
    const distance = (sampled: number): number =>
      0.8 ** 10 * 0.375 ** 2 +
      0.05 * ((0.75 + Math.min(1, Math.hypot(0.75, 0.5, sampled))) ** 2 + 0.25 + sampled ** 2) +
      0.01;
    expect(localizedExcessRisk(one)).toBeCloseTo(0.5 / 20 + 1 + 3 * 0.5 + 3 * Math.sqrt(distance(0)), 12);
    expect(localizedExcessRisk({ ...one, phases: [{ ...phase, radius: 2 }] })).toBeCloseTo(
      0.5 / 20 +
        1 +
        3 * Math.sqrt(0.8 ** 10 * 0.375 ** 2 + 0.05 * ((0.75 + Math.hypot(0.75, 0.5)) ** 2 + 0.25) + 0.01),
      12,
    );
    expect(localizedExcessRisk({ ...one, phases: [{ ...phase, samplingRate: 0.2 }] })).toBeCloseTo(
      0.5 / 20 + 1 + 3 * 0.5 + 3 * Math.sqrt(Math.min(0.25, distance(Math.sqrt(0.4) * 0.75))),
      12,
    );
  });

  it('falls as records and ε grow, like the rate it is of', () => {
    const at = (l: number): number => localizedExcessRisk({ ...setting, phases: phasesAt(2 ** l, 1e6) });
    for (let l = 6; l < 26; l += 4) expect(at(l + 4)).toBeLessThan(at(l));
    const slope = Math.log2(at(30) / at(22)) / 8;
    expect(slope).toBeGreaterThan(-0.55);
    expect(slope).toBeLessThan(-0.4);
    expect(localizedExcessRisk({ ...setting, phases: phasesAt(1024, 10) })).toBeLessThan(
      localizedExcessRisk({ ...setting, phases: phasesAt(1024, 0.1) }),
    );
  });

  it('has the units of a length times a slope, and counts the noise of all coordinates', () => {
    for (const epsilon of [0.01, 1]) {
      const run: LocalizedRun = { ...setting, phases: phasesAt(16, epsilon) };
      const bound = localizedExcessRisk(run);
      const [length, slope] = [8, 4];
      const inOtherUnits = {
        ...run,
        distance: length * run.distance,
        extent: length * run.extent,
        lipschitz: slope * run.lipschitz,
        secondMoment: slope * run.secondMoment,
        uniformSecondMoment: slope * run.uniformSecondMoment,
        phases: run.phases.map(({ stepSize, strength, radius, clipNorm, noise, bias, ...rest }) => ({
          ...rest,
          stepSize: (length / slope) * stepSize,
          strength: (slope / length) * strength,
          radius: length * radius,
          clipNorm: slope * clipNorm,
          noise: slope * noise,
          bias: slope * bias,
        })),
      };
      expect(localizedExcessRisk(inOtherUnits) / (length * slope * bound)).toBeCloseTo(1, 12);
      const inOneCoordinate = run.phases.map((phase) => ({ ...phase, noise: 2 * phase.noise }));
      expect(localizedExcessRisk({ ...run, dimension: 1, phases: inOneCoordinate }) / bound).toBeCloseTo(
        1,
        12,
      );
    }
  });

  it('refuses what is no run', () => {
    const phases = phasesAt(16);
    for (const bad of [
      { phases: [] },
      { dimension: 0 },
      { distance: -1 },
      { extent: 0 },
      { extent: Number.NaN },
      { lipschitz: 0 },
      { secondMoment: Number.NaN },
      { uniformSecondMoment: 0 },
    ])
      expect(() => localizedExcessRisk({ ...setting, phases, ...bad })).toThrow(InvalidParameter);
    expect(localizedExcessRisk({ ...setting, phases, extent: Infinity })).toBeGreaterThan(0);
  });
});
