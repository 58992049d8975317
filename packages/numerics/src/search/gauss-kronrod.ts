import { Unsupported } from '../errors.js';
import { probe, type RealFunction } from './bracket.js';

/** Nodes of the 15-point Kronrod rule on [0, 1), with its weight and the weight in the 7-point Gauss rule. */
const rule: readonly (readonly [node: number, kronrod: number, gauss: number])[] = [
  [0, 0.20948214108472782, 0.4179591836734694],
  [0.20778495500789848, 0.20443294007529889, 0],
  [0.4058451513773972, 0.19035057806478542, 0.3818300505051189],
  [0.5860872354676911, 0.1690047266392679, 0],
  [0.7415311855993945, 0.14065325971552592, 0.27970539148927664],
  [0.8648644233597691, 0.10479001032225019, 0],
  [0.9491079123427585, 0.06309209262997856, 0.1294849661688697],
  [0.9914553711208126, 0.022935322010529224, 0],
];

/** One interval's share of an integral. */
export interface Panel {
  readonly lower: number;
  readonly upper: number;
  readonly value: number;
  /** Estimate of the absolute error of `value`. */
  readonly error: number;
  /** Estimate of the integral of `|f|`. */
  readonly magnitude: number;
}

/**
 * The 15-point Kronrod estimate of `∫ f` over `[lower, upper]`. Its error is estimated from the difference to
 * the embedded Gauss rule, sharpened where that difference is small against the variation of `f`.
 *
 * @throws {Unsupported} if `f` is infinite at a node.
 */
export function gaussKronrod(f: RealFunction, lower: number, upper: number): Panel {
  const centre = lower + (upper - lower) / 2;
  const half = (upper - lower) / 2;
  let kronrod = 0;
  let gauss = 0;
  let magnitude = 0;
  const samples: [value: number, weight: number][] = [];
  for (const [node, kronrodWeight, gaussWeight] of rule) {
    for (const x of node === 0 ? [centre] : [centre - half * node, centre + half * node]) {
      const value = probe(f, x);
      kronrod += kronrodWeight * value;
      gauss += gaussWeight * value;
      magnitude += kronrodWeight * Math.abs(value);
      samples.push([value, kronrodWeight]);
    }
  }
  if (!Number.isFinite(magnitude)) {
    throw new Unsupported(
      `the integrand is too large between ${lower} and ${upper}: ` +
        'split the interval where it is infinite, or scale it',
      { lower, upper },
    );
  }
  const mean = kronrod / 2;
  const variation =
    samples.reduce((total, [value, weight]) => total + weight * Math.abs(value - mean), 0) * half;
  const difference = Math.abs(kronrod - gauss) * half;
  const sharpened =
    variation === 0 ? difference : variation * Math.min(1, (200 * difference) / variation) ** 1.5;
  const rounding = 50 * 2 ** -53 * magnitude * half;
  return {
    lower,
    upper,
    value: kronrod * half,
    error: Math.max(sharpened, rounding),
    magnitude: magnitude * half,
  };
}
