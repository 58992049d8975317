import fc from 'fast-check';
import { ask, InvalidParameter, seededRandom, type MeanQuery, type Program, type Vector } from '@lethe/core';
import { defined } from '@lethe/numerics';
import { describe, expect, it, test } from 'vitest';
import { batchOf, play } from '../../test/support/scripted-curator.js';
import { gaussianMean } from '../common/problem-facts.js';
import { emptyAverage, lazyAverage, sketchedDescent, type SketchedDescent } from './descent.js';

const batch = batchOf('all', 10);
const d = 3;
const M = [2, 0.5, 3];
const release = { mean: gaussianMean(null), target: { noiseMultiplier: 1 } } as const;
const gradient = (at: Vector, coordinates: Uint32Array): Program<Vector> =>
  ask.mean({ at, coordinates, batch, ...release });
const subsets = [[0], [1], [2], [0, 2], [0, 1, 2], []].map((set) => Uint32Array.from(set));
const setting: SketchedDescent = {
  start: Float64Array.of(1, -2, 0.5),
  rounds: 2,
  innerSteps: 5,
  draw: (step) => subsets[(7 * step + 2) % subsets.length],
  stepSizes: Float64Array.from(M, (m) => 1 / m),
  gradient,
};
/** `g_j(θ)` of a fixed smooth function, along the coordinates asked for. */
const slopes = ({ of: { terms, coordinates } }: MeanQuery): Vector =>
  Float64Array.from(defined(coordinates), (j) => terms[0].at[j] + Math.sin(3 * terms[0].at[(j + 1) % d]));

/** The listing, as slowly as possible. */
function listing({ start, rounds, innerSteps, draw, shrink }: SketchedDescent): number[] {
  let w = [...(start as Vector)];
  for (let t = 0; t < rounds; t++) {
    let theta = w;
    const iterates: number[][] = [];
    for (let k = 0; k < innerSteps; k++) {
      const now = theta;
      const S = new Set(draw(t * innerSteps + k));
      theta = now.map((x, j) => {
        if (!S.has(j)) return x;
        const moved = x - (now[j] + Math.sin(3 * now[(j + 1) % d])) / M[j];
        return shrink === undefined ? moved : shrink(j, moved, 1 / M[j]);
      });
      iterates.push(theta);
    }
    w = w.map((_, j) => iterates.reduce((sum, iterate) => sum + iterate[j], 0) / innerSteps);
  }
  return w;
}

describe('sketchedDescent', () => {
  test.each([
    [1, 1],
    [1, 3],
    [2, 5],
    [4, 2],
  ])('is the listing: %i rounds of %i steps', (rounds, innerSteps) => {
    for (const extra of [
      {},
      { shrink: (j: number, value: number, eta: number) => value / (1 + eta * (j + 1)) },
    ]) {
      const options = { ...setting, rounds, innerSteps, ...extra };
      const { result, queries } = play(sketchedDescent(options), 10, slopes);
      const want = listing(options);
      expect(queries).toHaveLength(rounds * innerSteps);
      result.forEach((entry, j) => expect(Math.abs(entry - want[j])).toBeLessThan(1e-12));
    }
  });

  it('projects after every step, and averages what it projected', () => {
    const project = (theta: Vector): void => {
      theta.forEach((x, j) => {
        theta[j] = Math.max(-0.25, Math.min(0.25, x));
      });
    };
    const { result, queries } = play(
      sketchedDescent({ ...setting, start: new Float64Array(d), rounds: 1, innerSteps: 4, project }),
      10,
      () => Float64Array.of(9, 9, 9),
    );
    for (const query of queries.slice(1))
      expect((query as MeanQuery).of.terms[0].at.every((x) => x === 0 || x === -0.25)).toBe(true);
    expect(result.every((x) => x <= 0 && x >= -0.25)).toBe(true);
  });

  it('leaves its start alone', () => {
    const start = Float64Array.of(1, -2, 0.5);
    play(sketchedDescent({ ...setting, start }), 10, slopes);
    expect(start).toEqual(Float64Array.of(1, -2, 0.5));
  });
});

describe('lazyAverage', () => {
  it('is the mean of what was pushed, rounded once, however it is grouped', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 1, max: 60 }), (seed, count) => {
        const random = seededRandom(seed);
        const theta = random.gaussianInto(new Float64Array(d));
        const lazy = lazyAverage(theta);
        const naive = lazyAverage(theta);
        const sums = [0n, 0n, 0n];
        for (let k = 0; k < count; k++) {
          const coordinates = [0, 1, 2].filter(() => random.uniform() < 0.3);
          for (const j of coordinates) theta[j] = random.gaussianInto(new Float64Array(1))[0];
          lazy.push(theta, coordinates);
          naive.push(theta, [0, 1, 2]);
          theta.forEach((x, j) => {
            sums[j] += BigInt(Math.trunc(x * 2 ** 52));
          });
        }
        expect(lazy.value()).toEqual(naive.value());
        lazy
          .value()
          .forEach((mean, j) =>
            expect(Math.abs(mean - Number(sums[j]) / 2 ** 52 / count)).toBeLessThan(1e-14),
          );
      }),
    );
  });

  it('goes on from its state, which it keeps up to date, and is its start before anything is pushed', () => {
    const state = emptyAverage([1, 2]);
    const average = lazyAverage(state);
    expect(average.value()).toEqual(Float64Array.of(1, 2));
    average.push([1, 4], [1]);
    const later = lazyAverage(structuredClone(state));
    for (const each of [average, later]) {
      each.push([3, 4], [0]);
      each.push([3, 4], []);
    }
    expect(later.value()).toEqual(average.value());
    expect(average.value()).toEqual(Float64Array.of(7 / 3, 4));
    expect(() => average.push([1], [0])).toThrow(InvalidParameter);
  });

  it('does not overflow where its vectors do not', () => {
    const average = lazyAverage([1e300]);
    average.push([1e300], []);
    expect(average.value()).toEqual(Float64Array.of(1e300));
  });
});
