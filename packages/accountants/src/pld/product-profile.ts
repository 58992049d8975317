import { discretise } from './discretise.js';
import type { GridDistribution, SpreadGridDistribution } from './grid-distribution.js';
import { logPeak } from './growth.js';
import type { Plan, Tilings } from './plan.js';
import { type Cost, spectraOf } from './spectrum.js';
import { type Tail, tailOf } from './tail.js';
import { tiltedSpreads } from './tilted-spread.js';
import { massBeyond, type Reach, reachOf } from '../fourier/reach.js';
import { tilted, type TiltedDistribution } from './tilted-distribution.js';

/** Bounds on `log δ(ε)` of a product of distributions, for every real ε. */
export interface ProductProfile {
  logUpper(epsilon: number): number;
  logLower(epsilon: number): number;
  /** Probability of an infinite loss: no ε gives a smaller δ. */
  readonly infiniteUpper: number;
}

const factorsOf = (
  distributions: readonly (GridDistribution | SpreadGridDistribution)[],
  plan: Plan,
): readonly {
  readonly distribution: GridDistribution | SpreadGridDistribution;
  readonly count: number;
}[] => distributions.map((distribution, i) => ({ distribution, count: plan.factors[i].count }));

/** Minus the logarithm of the mass that may be farther from the mean than a reach. */
const beyondReach = 26;

/**
 * Composes the distributions of a plan on the grid of its tilings; `undefined` if `accepts` refuses the cost.
 */
export function profileOf(
  plan: Plan,
  { step, tilings }: Tilings,
  accepts?: (cost: Cost) => boolean,
): ProductProfile | undefined {
  const { tilt } = plan;
  const distributions = factorsOf(
    plan.factors.map(({ distribution }, i) => discretise(distribution, tilings[i])),
    plan,
  );
  const { infiniteUpper, infiniteLower, scale, shift } = totalsOf(distributions);
  const present = (['upper', 'lower'] as const).map((side) => sideOf(distributions, side, tilt));
  const [above, below] = ([1, -1] as const).map((sign) => reachOf(present[0], step, sign, beyondReach)) as [
    Reach,
    Reach,
  ];
  const reach = above.distance + below.distance;
  if (!(reach >= 0 && reach < 2 ** 40)) return undefined;
  // The other side is as wide, up to the effect of the grid.
  const spectra = spectraOf(present, 2 * Math.ceil(reach * 0.51 + 8), accepts);
  if (spectra === undefined) return undefined;
  const tails = spectra.map((spectrum, side) => {
    const mine = present[side];
    if (mine.length === 0) return undefined;
    const mean = mine.reduce((sum, { count, mean: one }) => sum + count * one, 0);
    const before = Math.floor(below.distance + (spectrum.period - reach) / 2);
    const first = Math.floor(mean) - before;
    const outside =
      massBeyond(mine, step, above.theta, spectrum.period - before - 3) +
      massBeyond(mine, step, below.theta, before - 3);
    const origin = mine.reduce((sum, distribution) => sum + distribution.count * distribution.origin, 0);
    const slack =
      shift +
      mine.reduce((sum, distribution) => sum + Math.abs(distribution.count * distribution.origin), 0) *
        (mine.length + 4) *
        2 ** -52;
    const { logMoment, wrong } = momentOf(mine);
    return {
      read: tailOf(spectrum, first, step, tilt),
      origin,
      slack,
      outside: outside * Math.exp(logPeak(tilt)) * (1 + 1e-9),
      logMoment,
      wrong,
    };
  });
  const bound = (
    side: 0 | 1,
    sign: 1 | -1,
    epsilon: number,
    finish: (tail: Tail, outside: number) => number,
  ): number => {
    const read = tails[side];
    if (read === undefined) return -Infinity;
    const moved = epsilon - sign * read.slack;
    const logFactorOf = () => {
      if (sign > 0) return scale;
      return scale < 0.5 ? Math.log1p(-scale) : -Infinity;
    };
    const logFactor = read.logMoment + sign * read.wrong - tilt * moved + logFactorOf();
    const sum = finish(read.read((moved - read.origin) / step), read.outside);
    return sum > 0
      ? Math.log(sum) + logFactor + sign * (Math.abs(logFactor) + Math.abs(tilt * moved) + 8) * 2 ** -51
      : -Infinity;
  };
  return {
    infiniteUpper,
    logUpper: (epsilon) =>
      Math.min(
        0,
        logSum(
          infiniteUpper,
          bound(
            0,
            1,
            epsilon,
            ({ logScale, value, error }, outside) =>
              Math.max(0, value + error) * Math.exp(Math.max(-740, logScale)) + outside,
          ),
        ) +
          2 ** -50,
      ),
    logLower: (epsilon) =>
      logSum(
        infiniteLower,
        bound(
          1,
          -1,
          epsilon,
          ({ logScale, value, error }, outside) => (value - error) * Math.exp(logScale) - outside,
        ),
      ) -
      2 ** -50,
  };
}

/** Chernoff's bound at the tilt of a plan: an upper bound only, which needs no transform. */
export function chernoffOf(
  plan: Plan,
  { tilings }: Tilings,
): Pick<ProductProfile, 'logUpper' | 'logLower'> | undefined {
  const { tilt } = plan;
  const distributions = factorsOf(
    plan.factors.map(({ distribution }, i) => discretise(distribution, tilings[i])),
    plan,
  );
  const { infiniteUpper, scale, shift } = totalsOf(distributions);
  const parts = sideOf(distributions, 'upper', tilt);
  if (parts.length === 0) return undefined;
  const { logMoment, wrong } = momentOf(parts);
  return {
    logUpper(epsilon) {
      const log = logMoment + wrong + logPeak(tilt) - tilt * (epsilon - shift) + scale;
      const most =
        logSum(infiniteUpper, log + (Math.abs(logMoment) + Math.abs(tilt * epsilon) + 8) * 2 ** -50) +
        2 ** -50;
      // A tilt may be too large for doubles.
      return most < 0 ? most : 0;
    },
    logLower: () => -Infinity,
  };
}

/** The factors of one bound, tilted; none for a side without mass, which has no finite losses. */
function sideOf(
  distributions: ReturnType<typeof factorsOf>,
  side: 'upper' | 'lower',
  tilt: number,
): readonly TiltedDistribution[] {
  const parts = distributions.flatMap(({ distribution, count }) =>
    'spread' in distribution
      ? tiltedSpreads(distribution.spread[side], distribution, tilt)
      : [tilted(distribution[side], distribution.nodes, distribution, tilt, count)],
  );
  return parts.includes(undefined) ? [] : (parts as readonly TiltedDistribution[]);
}

/** The probability that a product's loss is infinite, and bounds on the rounding errors. */
function totalsOf(
  distributions: readonly { readonly distribution: GridDistribution; readonly count: number }[],
): {
  readonly infiniteUpper: number;
  readonly infiniteLower: number;
  readonly scale: number;
  readonly shift: number;
} {
  const anyInfinite = (of: (distribution: GridDistribution) => number): number =>
    -Math.expm1(
      distributions.reduce(
        (sum, { distribution, count }) => sum + count * Math.log1p(-Math.min(1, of(distribution))),
        0,
      ),
    );
  return {
    infiniteUpper: Math.min(1, anyInfinite(({ infiniteUpper: mass }) => mass) * (1 + 2 ** -40)),
    infiniteLower: anyInfinite(({ infiniteLower: mass }) => mass) * (1 - 2 ** -40),
    scale: distributions.reduce((sum, { distribution, count }) => sum + count * distribution.scale, 0) * 1.01,
    shift: distributions.reduce((sum, { distribution, count }) => sum + count * distribution.shift, 0),
  };
}

/** The logarithm of the moment by which a product was divided, and a bound on its error. */
const momentOf = (
  distributions: readonly TiltedDistribution[],
): { readonly logMoment: number; readonly wrong: number } => ({
  logMoment: distributions.reduce(
    (sum, distribution) => sum + distribution.count * distribution.logMoment,
    0,
  ),
  wrong:
    distributions.reduce(
      (sum, distribution) =>
        sum + distribution.count * (distribution.error + Math.abs(distribution.logMoment) * 2 ** -50),
      0,
    ) +
    2 ** -40,
});

/** `log(mass + e^logMass)`. */
function logSum(mass: number, logMass: number): number {
  if (mass === 0) return logMass;
  const log = Math.log(mass);
  return Math.max(log, logMass) + Math.log1p(Math.exp(-Math.abs(log - logMass)));
}
