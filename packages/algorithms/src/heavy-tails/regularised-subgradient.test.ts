import { InvalidParameter, seededRandom, type Program, type Vector } from '@lethe/core';
import { l2Ball } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { play } from '../../test/support/scripted-curator.js';
import { ontoBall } from '../../test/support/vectors.js';
import { regularisedSubgradient } from './regularised-subgradient.js';

const exact = (answer: (point: Vector, t: number) => Vector) =>
  function* oracle(point: Vector, t: number): Program<Vector> {
    yield* [];
    return answer(point, t);
  };
const finish = (run: Program<Vector>): Vector =>
  play(run, 1, () => {
    throw new Error('asked');
  }).result;
const gaussians = (seed: number, label: string): Float64Array =>
  seededRandom(seed).fork(label).gaussianInto(new Float64Array(3));
const domain = l2Ball({ radius: 1, dimension: 3 });

describe('regularisedSubgradient', () => {
  it('is the listing, the regulariser added to what the oracle says', () => {
    fc.assert(
      fc.property(
        fc.integer(),
        fc.integer({ min: 1, max: 20 }),
        fc.constantFrom(0, 0.5, 4),
        fc.constantFrom(0.05, 0.5),
        (seed, rounds, strength, stepSize) => {
          const start = ontoBall([...gaussians(seed, 'start')], 1);
          const centre = ontoBall([...gaussians(seed, 'centre')], 1);
          const seen: number[][] = [];
          const result = finish(
            regularisedSubgradient({
              rounds,
              stepSize,
              strength,
              domain,
              centre: Float64Array.from(centre),
              start: Float64Array.from(start),
              oracle: exact((point, t) => {
                seen.push([...point]);
                return gaussians(seed, `g${t}`);
              }),
            }),
          );
          let w = start;
          for (let t = 1; t <= rounds; t++) {
            w.forEach((entry, j) => expect(Math.abs(seen[t - 1][j] - entry)).toBeLessThan(1e-12));
            const g = gaussians(seed, `g${t}`);
            w = ontoBall(
              w.map((entry, j) => entry - stepSize * (g[j] + strength * (entry - centre[j]))),
              1,
            );
          }
          w.forEach((entry, j) => expect(Math.abs(result[j] - entry)).toBeLessThan(1e-12));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('refuses steps that the regulariser throws apart', () => {
    const options = {
      rounds: 1,
      domain,
      centre: new Float64Array(3),
      start: new Float64Array(3),
      oracle: exact(() => new Float64Array(3)),
    };
    expect(finish(regularisedSubgradient({ ...options, stepSize: 0.5, strength: 4 }))).toEqual(
      new Float64Array(3),
    );
    for (const [stepSize, strength] of [
      [0.51, 4],
      [0, 1],
      [-1, 1],
      [Number.NaN, 1],
      [Infinity, 0],
      [1, -1],
      [1, Number.NaN],
      [1, Infinity],
    ] as const) {
      expect(() => finish(regularisedSubgradient({ ...options, stepSize, strength }))).toThrow(
        InvalidParameter,
      );
    }
  });
});
