import { InvalidParameter, meanShape, seededRandom, type Vector } from '@lethe/core';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { notPositive, positive, vectorOf } from '../../test/support/arbitraries.js';
import { minus, norm } from '../../test/support/discrete-distribution.js';
import { l2Clip } from '../clips/l2-clip.js';
import { laplace } from '../noise/laplace.js';
import { hullProjectionMechanism } from './hull-projection.js';
import { l1ProjectionMechanism } from './l1-projection.js';
import { projectionErrorWithin, projectionMeanSquaredError } from './projection-error.js';
import { laplaceProjectionMechanism, projectionMechanism } from './projection-mechanism.js';

const random = seededRandom('projection');
const dimension = 5;
const norm1 = (x: Vector): number => x.reduce((sum, y) => sum + Math.abs(y), 0);
const largest = (x: Vector): number => x.reduce((size, y) => Math.max(size, Math.abs(y)), 0);
const both = [
  projectionMechanism,
  laplaceProjectionMechanism,
  l1ProjectionMechanism,
  hullProjectionMechanism,
];
type Oracle = (typeof both)[number];

function released(
  oracle: Oracle,
  params: { readonly radius: number; readonly sparsity: number },
  records: readonly Vector[],
  noise: Vector,
): { readonly mean: Vector; readonly answer: Vector } {
  const run = oracle.begin(
    params,
    meanShape({ dimension: records[0].length, slots: records.length }),
    random,
  );
  records.forEach((record, slot) => run.add(slot, record));
  const mean = run.value();
  return { mean, answer: run.finish(mean.map((x, j) => x + noise[j])) };
}

const settings = fc.record({ radius: positive(-1, 1), sparsity: fc.integer({ min: 1, max: dimension + 2 }) });
const records = fc.array(vectorOf(dimension, -2, 2), { minLength: 1, maxLength: 4 });

describe.each(both.map((oracle) => [oracle.name, oracle] as const))('%s', (_name, oracle) => {
  it('is within the bound of the lemma and the length of the noise, for every noise', () => {
    fc.assert(
      fc.property(settings, records, vectorOf(dimension, -3, 3), (params, data, noise) => {
        const { mean, answer } = released(oracle, params, data, noise);
        const l1Radius = params.radius * Math.sqrt(Math.min(params.sparsity, dimension));
        const slack = 1e-9 * (params.radius + largest(noise)) * params.radius;
        expect(norm(minus(answer, mean)) ** 2).toBeLessThanOrEqual(2 * l1Radius * largest(noise) + slack);
        expect(norm(minus(answer, mean))).toBeLessThanOrEqual(
          norm(noise) * (1 + 1e-9) + 1e-12 * params.radius,
        );
      }),
    );
  });

  it('attains the lemma at a mean on an axis with noise against it', () => {
    const { mean, answer } = released(
      oracle,
      { radius: 3, sparsity: 1 },
      [Float64Array.of(-9, 0, 0)],
      Float64Array.of(6, 0, 0),
    );
    expect(mean).toEqual(Float64Array.of(-3, 0, 0));
    expect(norm(minus(answer, mean)) ** 2).toBeCloseTo(2 * 3 * 6, 10);
  });

  it('leaves sparse records as they are and turns dense ones in no direction', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: dimension }),
        vectorOf(dimension, -2, 2),
        positive(-1, 1),
        (sparsity, z, radius) => {
          const sparse = z.map((x, j) => (j < sparsity ? x : 0));
          const size = norm(sparse);
          const none = new Float64Array(dimension);
          const within = size === 0 ? sparse : sparse.map((x) => (x / size) * radius * (1 - 1e-12));
          expect(released(oracle, { radius, sparsity }, [within], none).mean).toEqual(within);
          const { mean } = released(oracle, { radius, sparsity }, [z.map((x) => x * 1e9)], none);
          expect(norm1(mean)).toBeLessThanOrEqual(radius * Math.sqrt(sparsity) * (1 + 1e-12));
          const cosine = mean.reduce((sum, x, j) => sum + x * z[j], 0) / (norm(mean) * norm(z) || 1);
          expect(norm(z) === 0 || cosine > 1 - 1e-12).toBe(true);
        },
      ),
    );
  });

  it('has a bias of at most the norm of the mean under symmetric noise, listed', () => {
    fc.assert(
      fc.property(
        settings,
        records,
        fc.array(vectorOf(dimension, -2, 2), { minLength: 1, maxLength: 4 }),
        (params, data, noises) => {
          const answers = noises
            .flatMap((noise) => [noise, noise.map((x) => -x)])
            .map((noise) => released(oracle, params, data, noise));
          const { mean } = answers[0];
          const average = mean.map(
            (_, j) => answers.reduce((sum, { answer }) => sum + answer[j], 0) / answers.length,
          );
          expect(norm(minus(average, mean))).toBeLessThanOrEqual(
            norm(mean) * (1 + 1e-9) + 1e-9 * params.radius,
          );
        },
      ),
    );
    const far = [1e6, -1e6].map(
      (x) =>
        released(oracle, { radius: 1, sparsity: 1 }, [Float64Array.of(1, 0)], Float64Array.of(0, x))
          .answer[0],
    );
    expect((far[0] + far[1]) / 2).toBeCloseTo(0, 5);
  });

  it('refuses parameters that bound nothing', () => {
    fc.assert(
      fc.property(notPositive, (bad) => {
        expect(() => oracle({ radius: bad, sparsity: 1 })).toThrow(InvalidParameter);
        expect(() => oracle({ radius: 1, sparsity: bad })).toThrow(InvalidParameter);
        expect(() =>
          oracle.sensitivity({ radius: 1, sparsity: 1 }, meanShape({ dimension, slots: bad })),
        ).toThrow(InvalidParameter);
      }),
    );
    expect(() => oracle({ radius: 1, sparsity: 1.5 })).toThrow(InvalidParameter);
  });
});

describe('the projection onto the hull', () => {
  it('errs by the product of the radius and the largest entries of the noise at most', () => {
    fc.assert(
      fc.property(settings, records, vectorOf(dimension, -2, 2), (params, data, noise) => {
        const { mean, answer } = released(hullProjectionMechanism, params, data, noise);
        const most = norm(noise.map(Math.abs).toSorted().subarray(-params.sparsity));
        expect(norm(minus(answer, mean)) ** 2).toBeLessThanOrEqual(
          2 * params.radius * most * (1 + 1e-9) + 1e-9 * params.radius ** 2,
        );
      }),
    );
  });
});

describe('the printed projection', () => {
  it('has answers beyond the ℓ2 ball, which a clip brings nearer to the mean', () => {
    const params = { radius: 1, sparsity: 4 };
    const far = released(
      l1ProjectionMechanism,
      params,
      [new Float64Array(dimension)],
      Float64Array.of(9, 0, 0, 0, 0),
    );
    expect(far.answer).toEqual(Float64Array.of(2, 0, 0, 0, 0));
    fc.assert(
      fc.property(settings, records, vectorOf(dimension, -2, 2), (given, data, noise) => {
        const { mean, answer } = released(l1ProjectionMechanism, given, data, noise);
        const clipped = answer.slice();
        l2Clip.clipInPlace({ radius: given.radius }, clipped);
        expect(norm(minus(clipped, mean))).toBeLessThanOrEqual(
          norm(minus(answer, mean)) * (1 + 1e-9) + 1e-9 * given.radius,
        );
      }),
    );
  });

  it('names the textbook calibration', () => {
    expect(l1ProjectionMechanism.mechanism({ radius: 1, sparsity: 1 }).name).toBe('classical-gaussian');
  });
});

describe('the published noise', () => {
  it('is that of the declared sensitivities', () => {
    const params = { radius: 1, sparsity: 4 };
    const context = meanShape({ dimension: 10, slots: 100 });
    const inL1 = defined(laplaceProjectionMechanism.sensitivity(params, context)['replace-one']);
    expect(inL1 * laplace.multiplierFor({}, { epsilon: 0.5, delta: 0 })).toBeCloseTo(0.08, 14);
    const classical = (2 * Math.log(1.25 / 1e-6)) / 0.5 ** 2;
    expect(
      defined(projectionMechanism.sensitivity(params, context)['replace-one']) ** 2 * classical,
    ).toBeCloseTo(0.04492369314969115, 14);
    // Fewer dimensions than entries a record may have: what counts are those there are.
    expect(
      laplaceProjectionMechanism.sensitivity(params, meanShape({ dimension: 1, slots: 1 }))['zero-out'],
    ).toBe(1);
  });
});

describe('projectionMeanSquaredError and projectionErrorWithin', () => {
  const printed = {
    radius: 2,
    sparsity: 3,
    epsilon: 0.5,
    delta: 1e-4,
    dimension: 40,
    failure: 0.01,
  };
  const l1Radius = printed.radius * Math.sqrt(printed.sparsity);
  const { dimension: d, radius: L, sparsity: s, failure } = printed;

  // By turns the noise and the radius of the ball bound the error.
  it.each([2, 50, 5000])(
    'are the explicit forms of the theorems at the noise they print, of %i slots',
    (slots) => {
      const per = slots * printed.epsilon;
      const b = (2 * l1Radius) / per;
      const sigma = (2 * L * Math.sqrt(2 * Math.log(1.25 / printed.delta))) / per;
      const laplaceNoise = { noise: 'laplace', scale: b, dimension: d, l1Radius } as const;
      const gaussianNoise = { noise: 'gaussian', scale: sigma, dimension: d, l1Radius } as const;
      const log = Math.log(1.25 / printed.delta);
      expect(projectionMeanSquaredError(laplaceNoise)).toBeCloseTo(
        Math.min((8 * L ** 2 * s * d) / per ** 2, (4 * L ** 2 * s * (1 + Math.log(d))) / per),
        10,
      );
      expect(projectionMeanSquaredError(gaussianNoise)).toBeCloseTo(
        Math.min(
          (8 * d * L ** 2 * log) / per ** 2,
          (8 * L ** 2 * Math.sqrt(s * log * Math.log(2 * d))) / per,
        ),
        10,
      );
      expect(projectionErrorWithin(laplaceNoise, failure)).toBeCloseTo(
        Math.min(
          (2 * L * Math.sqrt(s * d) * Math.log(d / failure)) / per,
          2 * L * Math.sqrt((s * Math.log(d / failure)) / per),
        ),
        10,
      );
      expect(projectionErrorWithin(gaussianNoise, failure)).toBeCloseTo(
        Math.min(
          (2 * Math.SQRT2 * L * Math.sqrt(log) * (Math.sqrt(d) + Math.sqrt(2 * Math.log(1 / failure)))) / per,
          (2 * Math.SQRT2 * L * (s * log * Math.log((2 * d) / failure)) ** 0.25) / Math.sqrt(per),
        ),
        10,
      );
    },
  );

  it.each(['gaussian', 'laplace'] as const)('hold for %s noise on a sparse mean', (noise) => {
    const oracle = noise === 'gaussian' ? projectionMechanism : laplaceProjectionMechanism;
    const draws = 1000;
    const source = seededRandom(`error ${noise}`);
    const record = Float64Array.from({ length: d }, (_, j) => (j < s ? L / (2 * Math.sqrt(s)) : 0));
    for (const scale of [0.001, 0.05, 2]) {
      const at = { noise, scale, dimension: d, l1Radius } as const;
      const xi = new Float64Array(d);
      let [square, beyond] = [0, 0];
      for (let i = 0; i < draws; i++) {
        if (noise === 'gaussian') source.gaussianInto(xi);
        else source.laplaceInto(xi);
        const { mean, answer } = released(
          oracle,
          { radius: L, sparsity: s },
          [record],
          xi.map((x) => x * scale),
        );
        const error = norm(minus(answer, mean));
        square += error ** 2 / draws;
        if (error > projectionErrorWithin(at, 0.1)) beyond++;
      }
      // With little noise nothing is projected and the bound is what is measured.
      expect(square).toBeLessThanOrEqual(projectionMeanSquaredError(at) * 1.2);
      expect(beyond / draws).toBeLessThan(0.1 + 0.08);
      if (scale === 0.001) expect(square / projectionMeanSquaredError(at)).toBeGreaterThan(0.8);
    }
  });

  it('refuse what is no number of slots', () => {
    fc.assert(
      fc.property(
        notPositive,
        fc.constantFrom(projectionMechanism, laplaceProjectionMechanism),
        (slots, oracle) => {
          expect(() =>
            oracle.varianceBound(
              { radius: 1, sparsity: 1 },
              meanShape({ dimension, slots }),
              { order: 2, value: 1 },
              1,
            ),
          ).toThrow(InvalidParameter);
        },
      ),
    );
  });

  it('refuse what is no noise', () => {
    const sound = { noise: 'gaussian', scale: 1, dimension: 2, l1Radius: 1 } as const;
    fc.assert(
      fc.property(notPositive, fc.constantFrom('scale', 'dimension', 'l1Radius'), (bad, name) => {
        expect(() => projectionMeanSquaredError({ ...sound, [name]: bad })).toThrow(InvalidParameter);
        expect(() => projectionErrorWithin({ ...sound, [name]: bad }, 0.1)).toThrow(InvalidParameter);
      }),
    );
    expect(() => projectionMeanSquaredError({ ...sound, dimension: 1.5 })).toThrow(InvalidParameter);
    for (const bad of [0, 1, Number.NaN])
      expect(() => projectionErrorWithin(sound, bad)).toThrow(InvalidParameter);
    expect(projectionErrorWithin({ ...sound, dimension: 1000 }, 5e-324)).toBeLessThan(10);
  });
});
