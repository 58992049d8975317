import { describe, expect, it } from 'vitest';
import {
  atomicLossDistribution,
  discreteGaussianLossDistribution,
  gaussianLossDistribution,
  gaussianMixtureLossDistribution,
  laplaceLossDistribution,
  presentInPoisson,
  replacedInPoisson,
} from './loss-distributions.js';

/** Noise ∝ e^(−x²/2σ²) on −bound … bound, sampled, against the same moved by `shift`. */
function truncated(sigma: number, shift: number, bound: number): ReturnType<typeof atomicLossDistribution> {
  const weight = (x: number): number => (Math.abs(x) > bound ? 0 : Math.exp(-(x * x) / (2 * sigma * sigma)));
  let total = 0;
  for (let x = -bound; x <= bound; x++) total += weight(x);
  return atomicLossDistribution(
    Array.from({ length: 2 * bound + shift + 1 }, (_, i) => ({
      p: weight(i - bound - shift) / total,
      q: weight(i - bound) / total,
    })),
  );
}

describe('profiles that other systems publish', () => {
  it.each([
    [1, 1, 1, 'add', 1, 0.126_936_737_506_643_92],
    [6, 2, 0.4, 'add', 1, 0],
    [3, 1, 1, 'add', 1, 0.787_600_741_360_384_6],
    [1, 1, 0.8, 'remove', 1, 0.081_695_178_658_535_6],
    [5, 5, 0.2, 'remove', -0.25, 0.221_199_216_928_595_12],
    [1, 1, 1, 'add', 2, 0.020_923_635_821_113_756],
    [1, 1, 0.3, 'remove', 2, 0.000_334_110_292_886_934_4],
    [3, 1, 0.7, 'remove', 1, 0.535_629_879_326_240_5],
  ] as const)(
    'Gaussian noise: shift %d, σ %d, rate %d, %s, ε %d',
    (shift, sigma, rate, direction, epsilon, expected) => {
      const { lower, upper } = presentInPoisson(
        gaussianLossDistribution(shift / sigma),
        rate,
        direction,
      ).hockeyStick(epsilon);
      expect(lower).toBeCloseTo(expected, 13);
      expect(upper).toBeCloseTo(expected, 13);
    },
  );

  it.each([
    [6 / 3, 0.4, 1, 0.207_528_852_741_833_3],
    [0.5, 0.3, 2, 2.477_038_014_894_196e-9],
    [0.5, 0.8, 1, 0.058_086_656_544_842_66],
  ])('Gaussian noise, a record replaced: shift %dσ, rate %d, ε %d', (mu, rate, epsilon, expected) => {
    const { lower, upper } = replacedInPoisson(rate, mu).hockeyStick(epsilon);
    expect(lower / expected).toBeCloseTo(1, 11);
    expect(upper / expected).toBeCloseTo(1, 11);
  });

  it.each([
    [1, 0.6, 'add', 0.2, 0.140_113_452_135_421_7],
    [1, 1, 'add', 0, 0.393_469_340_287_366_63],
    [1, 0.3, 'add', 0, 0.118_040_802_086_210_04],
    [2, 0.8, 'remove', 0.5, 0.403_956_463_503_207_96],
    [1, 0.2, 'remove', -0.25, 0.221_199_216_928_595_12],
    [1, 1, 'add', -2, 0.864_664_716_763_387_3],
  ] as const)('Laplace noise: ε %d, rate %d, %s at %d', (epsilon, rate, direction, at, expected) => {
    const { lower, upper } = presentInPoisson(laplaceLossDistribution(epsilon), rate, direction).hockeyStick(
      at,
    );
    expect(lower).toBeCloseTo(expected, 14);
    expect(upper).toBeCloseTo(expected, 14);
  });

  it.each([
    [1, 1, 2, 0.8, 'remove', 1, 0.101_734_157_084_298_06],
    [5, 3, 5, 0.4, 'remove', 0.1, 0.104_486_937_455_930_85],
    [5, 3, 5, 0.4, 'add', 0.1, 0.085_584_979_626_291_14],
    [10, 3, 5, 1, 'add', 1, 0.263_672_394_473_545_2],
  ] as const)(
    'truncated discrete Gaussian noise: σ %d, shift %d, up to %d, rate %d, %s, ε %d',
    (sigma, shift, bound, rate, direction, epsilon, expected) => {
      const { lower, upper } = presentInPoisson(truncated(sigma, shift, bound), rate, direction).hockeyStick(
        epsilon,
      );
      expect(lower).toBeCloseTo(expected, 13);
      expect(upper).toBeCloseTo(expected, 13);
    },
  );

  it.each([
    [[1, 2], [0.2, 0.8], 'remove', 0.433_276_675_545_065],
    [[0, 1, 2], [0.2, 0.6, 0.2], 'add', 0.036_691_263_832_032_806],
    [[1, 2], [0.2, 0.8], 'add', 0.389_496_435_658_076_7],
  ] as const)('mixtures: shifts %j, probabilities %j, %s', (shifts, probabilities, direction, expected) => {
    const { lower, upper } = gaussianMixtureLossDistribution(shifts, probabilities, direction).hockeyStick(1);
    expect(lower).toBeCloseTo(expected, 12);
    expect(upper).toBeCloseTo(expected, 12);
  });

  it('discrete Gaussian noise: (3, 4.00902e-10) needs σ = 2', () => {
    expect(discreteGaussianLossDistribution(2, 1).hockeyStick(3).upper).toBeCloseTo(4.009_02e-10, 14);
  });
});

/** Computed with 80 digits. */
describe('profiles in the tails', () => {
  it.each([
    [0.01, 1, 'remove', 1, 2.732_009_261_546_131_6e-9],
    [0.01, 1, 'remove', 12, 6.812_258_952_205_343e-62],
    [1e-9, 1, 'remove', 0.5, 8.601_898_176_981_107e-98],
    [1e-9, 1, 'add', -1e-10, 4.537_473_531_268_820_4e-10],
    [0.3, 0.5, 'remove', -0.2, 0.182_416_330_613_691_75],
    [0.3, 0.5, 'add', 0.2, 0.001_401_051_184_850_703_3],
    [0.999, 2, 'remove', -6, 0.997_528_649_789_349_3],
    [0.999, 2, 'add', 6.5, 0.000_328_490_926_338_870_43],
    [0.01, 0.05, 'remove', 0.003, 7.564_052_452_195_427e-12],
    [0.01, 5, 'remove', 60, 3.189_938_013_627_065e-28],
    [0.5, 1, 'add', 0.69, 3.444_401_930_424_188e-11],
    [1e-3, 30, 'remove', 500, 2.685_177_105_172_943_7e-5],
  ] as const)('a sampled Gaussian: rate %d, μ %d, %s, ε %d', (rate, mu, direction, epsilon, expected) => {
    const sampled = presentInPoisson(gaussianLossDistribution(mu), rate, direction).hockeyStick(epsilon);
    const mixed = gaussianMixtureLossDistribution([0, mu], [1 - rate, rate], direction).hockeyStick(epsilon);
    for (const { lower, upper } of [sampled, mixed]) {
      expect(lower).toBeLessThanOrEqual(expected * (1 + 1e-15) + 1e-22);
      expect(upper).toBeGreaterThanOrEqual(expected * (1 - 1e-15) - 1e-22);
      expect(upper - lower).toBeLessThan(2e-10 * expected);
    }
  });

  it.each([
    [0.2, 1.1, 0, 0.145_733_575_621_446_95],
    [0.2, 1.1, 2.5, 8.944_810_586_112_137e-5],
    [0.01, 9, 3, 0.009_997_860_894_762_466],
    [0.01, 60, 700, 0.01],
    [1e-7, 0.4, 1e-8, 2.635_397_653_854_336_4e-8],
    [0.9, 2, 14, 1.185_767_465_912_124_9e-7],
    [0.9, 0.1, 0.3, 0.004_119_554_601_238_006_5],
  ])('a sampled Gaussian, a record replaced: rate %d, μ %d, ε %d', (rate, mu, epsilon, expected) => {
    const { lower, upper } = replacedInPoisson(rate, mu).hockeyStick(epsilon);
    expect(lower).toBeLessThanOrEqual(expected * (1 + 1e-15));
    expect(upper).toBeGreaterThanOrEqual(expected * (1 - 1e-15));
    expect(upper - lower).toBeLessThan(1e-11 * expected);
  });
});
