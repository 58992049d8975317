import { InvalidParameter, Unsupported } from '@lethe/core';
import { logGamma } from '@lethe/numerics';
import type { EntryDistribution } from '../data/distribution.js';
import type { MultivariateT } from '../data/multivariate-t.js';

/** A law of features: independent entries, or a spherical row. */
export type FeatureDistributionSpec = EntryDistribution | MultivariateT;

/**
 * The law of a size `‖x‖` on a grid on which sums converge like integrals of analytic functions do:
 * logarithms of sizes and of their probabilities.
 */
export interface Magnitude {
  readonly logs: Float64Array;
  readonly logWeights: Float64Array;
}

/** Moments of at least this order are infinite. */
function tailOf(law: FeatureDistributionSpec): number {
  if (law.law === 'student-t' || law.law === 'multivariate-t') return law.degreesOfFreedom;
  return law.law === 'pareto' ? law.tail : Infinity;
}

const logRootTwoPi = Math.log(2 * Math.PI) / 2;
const logNormalDensity = (z: number): number => -(z * z) / 2 - logRootTwoPi;
/** Trapezium rule in `u`: `value(u)` and its density with respect to `u`, as logarithms. */
type Curve = readonly [
  low: number,
  high: number,
  step: number,
  at: (u: number) => readonly [log: number, logDensity: number],
];
/**
 * `t = log(1 + e^u) > 0`: like `e^u` near 0, where powers have a
 * branch, and like `u` far out, where normals decay.
 */
const softplus = (u: number): readonly [t: number, logDerivative: number] => {
  const t = Math.max(u, 0) + Math.log1p(Math.exp(-Math.abs(u)));
  return [t, u - t];
};

function curvesOf(law: FeatureDistributionSpec, columns: number, order: number): readonly Curve[] {
  const logScale = Math.log(law.scale);
  switch (law.law) {
    case 'gaussian': {
      const constant = -(columns / 2 - 1) * Math.LN2 - logGamma(columns / 2);
      return [
        [
          -40,
          4 + Math.log(columns) / 2,
          Math.min(1 / 16, 0.5 / Math.sqrt(columns)),
          (v) => [v + logScale, constant + columns * v - Math.exp(2 * v) / 2],
        ],
      ];
    }
    case 'student-t':
    case 'multivariate-t': {
      const nu = law.degreesOfFreedom;
      const constant =
        Math.LN2 +
        logGamma((nu + columns) / 2) -
        logGamma(columns / 2) -
        logGamma(nu / 2) -
        (columns / 2) * Math.log(nu);
      return [
        [
          -40,
          650,
          Math.min(1 / 8, 0.5 / Math.sqrt(columns)),
          (v) => [
            v + logScale,
            constant + columns * v - ((nu + columns) / 2) * softplus(2 * v - Math.log(nu))[0],
          ],
        ],
      ];
    }
    case 'log-normal': {
      const { sigma } = law;
      const centre = sigma / 2;
      if (!law.centred) return [[-40, 240, 1 / 8, (z) => [sigma * z + logScale, logNormalDensity(z)]]];
      // From the normal where the variate is 0, both ways.
      return [1, -1].map((side): Curve => [
        -40,
        240,
        1 / 8,
        (u) => {
          const [t, logDerivative] = softplus(u);
          return [
            logScale + (sigma * sigma) / 2 + Math.log(Math.abs(Math.expm1(side * sigma * t))),
            logNormalDensity(centre + side * t) + logDerivative,
          ];
        },
      ]);
    }
    case 'truncated-normal': {
      const bound = Math.min(law.bound, 40);
      return [
        [
          -40,
          40,
          1 / 8,
          (u) => {
            const log = Math.log(bound) - softplus(-u)[0];
            return [log + logScale, logNormalDensity(Math.exp(log)) + log - softplus(u)[0]];
          },
        ],
      ];
    }
    // The density falls like `e^{−t}`, the powers grow like `e^{order·t/tail}`.
    case 'pareto':
      return [
        [
          -40,
          80 + (45 * law.tail) / (law.tail - order),
          1 / 8,
          (u) => {
            const [t, logDerivative] = softplus(u);
            return [logScale + t / law.tail, logDerivative - t];
          },
        ],
      ];
    case 'two-point':
      return [];
  }
}

/**
 * The law of `‖x‖₂`, good for moments up to an order.
 *
 * @returns `null` where the moment of that order is infinite.
 * @throws {Unsupported} for independent entries that are not Gaussian in more
 * than one dimension, and within 0.05 of the order where moments end.
 */
export function magnitudeOf(law: FeatureDistributionSpec, columns: number, order: number): Magnitude | null {
  if (!(Number.isInteger(columns) && columns > 0))
    throw new InvalidParameter(`columns is ${columns}; it must be a positive integer`, { columns });
  if (columns > 1 && law.law !== 'gaussian' && law.law !== 'multivariate-t') {
    throw new Unsupported(
      `the norm of ${columns} independent '${law.law}' entries has no law in ` +
        "closed form; take 'gaussian' or 'multivariate-t' features, " +
        'a single column, or bound the moment by squaredGradientMoment',
      { law: law.law, columns },
    );
  }
  const beyond = order - tailOf(law);
  if (beyond >= 0) return null;
  if (beyond > -0.05)
    throw new Unsupported(
      `moments of '${law.law}' end at order ${tailOf(law)}; order ${order} is too near for quadrature`,
      { order, tail: tailOf(law) },
    );
  if (law.law === 'two-point')
    return {
      logs: Float64Array.of(Math.log(law.scale), -Infinity),
      logWeights: Float64Array.of(Math.log(law.probability), Math.log1p(-law.probability)),
    };
  const [logs, logWeights]: [number[], number[]] = [[], []];
  for (const [low, high, step, at] of curvesOf(law, columns, order)) {
    const nodes = Array.from({ length: Math.ceil((high - low) / step) }, (_, k) => at(low + k * step)).filter(
      ([log, density]) => Number.isFinite(log) && density > -Infinity,
    );
    const relevant = [0, order].map((power) => {
      const heights = nodes.map(([log, density]) => density + power * log);
      const top = heights.reduce((most, height) => Math.max(most, height), -Infinity);
      return heights.map((height) => height > top - 60);
    });
    const isKept = (k: number): boolean => relevant.some((kept) => kept[k]);
    const indices = nodes.map((_, k) => k).filter(isKept);
    for (let k = indices[0]; k <= indices[indices.length - 1]; k++) {
      logs.push(nodes[k][0]);
      logWeights.push(nodes[k][1] + Math.log(step));
    }
  }
  const mass = logSumOf(logWeights);
  return {
    logs: Float64Array.from(logs),
    logWeights: Float64Array.from(logWeights, (weight) => weight - mass),
  };
}

/** `log Σ exp`. */
export function logSumOf(terms: ArrayLike<number>): number {
  let [top, sum] = [-Infinity, 0];
  for (let i = 0; i < terms.length; i++) top = Math.max(top, terms[i]);
  if (top === -Infinity) return top;
  for (let i = 0; i < terms.length; i++) sum += Math.exp(terms[i] - top);
  return top + Math.log(sum);
}
