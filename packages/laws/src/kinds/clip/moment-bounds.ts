import { LetheError, type Moment, type RandomSource } from '@lethe/core';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { along } from '../../arbitraries/vectors.js';
import { normOf } from '../../engines/norms.js';
import { fails, holds, type Finding, type Violation } from '../../law/finding.js';
import { defineLaw, type LawEnv } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { clipped, lengthsOf, named, unit } from './apply.js';
import { directions } from './directions.js';
import {
  extremalDistributions,
  scatteredDistribution,
  twoSidedDistribution,
  twoSidedSizes,
} from './extremal-distributions.js';
import {
  expectation,
  discreteDistributions,
  meanOf,
  momentIn,
  orders,
  searchedOrders,
  varianceOf,
  type DiscreteDistribution,
} from './discrete-distribution.js';
import { alsoElsewhere } from '../../law/other-params.js';
import { directionsOfEveryLength, scaleOf } from './vectors.js';

/** The two moment bounds that a clip declares. */
type Bounded = 'bias' | 'variance';

const boundOf = ({ plugin, params }: Subject<'clip'>, which: Bounded, moment: Moment): number =>
  which === 'bias' ? plugin.biasBound(params, moment) : plugin.varianceBound(params, moment);

/** The bias or variance itself, exact up to rounding, and a bound on that rounding. */
function truthOf(
  subject: Subject<'clip'>,
  which: Bounded,
  distribution: DiscreteDistribution,
): { readonly value: number; readonly rounding: number } {
  const { norm } = subject.plugin;
  const images = distribution.points.map((point) => clipped(subject, point));
  if (which === 'variance')
    return {
      value: varianceOf(images, distribution.weights, norm),
      rounding: 256 * unit * Math.max(...images.map((image) => normOf(norm, image))) ** 2,
    };
  const bias = meanOf(images, distribution.weights, distribution.points);
  return {
    value: normOf(norm, bias),
    rounding: 256 * unit * expectation(distribution, (point) => normOf(norm, point)),
  };
}

/** Whether a moment neither overflowed nor vanished. */
export const usable = ({ value }: Moment): boolean => value < 1e280 && value > 1e-280;

function aboveBound(
  subject: Subject<'clip'>,
  which: Bounded,
  distribution: DiscreteDistribution,
  moment: Moment,
): Violation | undefined {
  if (!usable(moment)) return undefined;
  const { value: measured, rounding } = truthOf(subject, which, distribution);
  const bound = boundOf(subject, which, moment);
  const allowed = bound * (1 + 1e-10) + rounding;
  if (measured <= allowed) return undefined;
  const of =
    which === 'bias'
      ? `‖E clip(z) − E z‖ in ${named(subject.plugin.norm)}`
      : `E‖clip(z) − E clip(z)‖² in ${named(subject.plugin.norm)}`;
  return {
    what:
      `${of} is ${measured}; ${which}Bound says at most ${bound} for ` +
      `E‖z‖^${moment.order} ≤ ${moment.value}`,
    measured,
    allowed,
    input: { distribution, moment },
  };
}

/** Roots of moments, in units of the radius. */
const roots = [1 / 64, 1 / 4, 1, 4, 64] as const;

/** An order above the usual ones. */
const high = 20;

/** Bias or variance of a distribution, and how it exceeds the bound. */
interface Seen {
  readonly value: number;
  readonly violation?: Violation | undefined;
}

interface Extremes {
  readonly samples: number;
  readonly violation?: Violation;
  readonly least: { readonly ratio: number; readonly moment: Moment };
}

/** Both laws of a bound that is claimed to be attained ask for them. */
const wholeExtremes = { bias: new WeakMap<object, Extremes>(), variance: new WeakMap<object, Extremes>() };

function extremes(subject: Subject<'clip'>, which: Bounded, effort = 1): Extremes {
  const known = effort === 1 ? wholeExtremes[which].get(subject) : undefined;
  const found = known ?? findExtremes(subject, which, effort);
  if (effort === 1) wholeExtremes[which].set(subject, found);
  return found;
}

function findExtremes(subject: Subject<'clip'>, which: Bounded, effort: number): Extremes {
  const scale = scaleOf(subject);
  const { norm } = subject.plugin;
  const shape = { directions: directions(subject, which), scale, norm };
  const longest = defined(lengthsOf(subject).at(-1));
  let samples = 0;
  let least = { ratio: Infinity, moment: { order: 2, value: 0 } };
  for (const order of effort === 1 ? [...orders, high] : [2, 4])
    for (const root of order === high ? [1, 4] : roots) {
      const { moment, distributions } = extremalDistributions(shape, order, root * scale);
      if (!usable(moment)) continue;
      const bound = boundOf(subject, which, moment);
      let most = 0;
      const look = (distribution: DiscreteDistribution): Seen => {
        samples++;
        const { value, rounding } = truthOf(subject, which, distribution);
        most = Math.max(most, value === 0 ? 0 : value / bound);
        return value <= bound * (1 + 1e-10) + rounding
          ? { value }
          : { value, violation: aboveBound(subject, which, distribution, moment) };
      };
      const scattered =
        which === 'variance' && norm !== 'l2' ? [scatteredDistribution(longest, norm, root * scale)] : [];
      for (const distribution of [...distributions, ...scattered]) {
        const { violation } = look(distribution);
        if (violation !== undefined) return { samples, least, violation };
      }
      // Distributions on two non-zero norms are needed only where one ray does not attain the bound.
      if (which === 'bias' && most < 0.99) {
        const violation = climbed(shape, order, root * scale, look);
        if (violation !== undefined) return { samples, least, violation };
      }
      if (most < least.ratio) least = { ratio: most, moment };
    }
  return { samples, least };
}

/** Hill climb over distributions on two norms, from the best point of a grid with decreasing steps. */
function climbed(
  shape: Parameters<typeof twoSidedSizes>[0],
  order: number,
  root: number,
  look: (distribution: DiscreteDistribution) => Seen,
): Violation | undefined {
  let best: { readonly value: number; readonly sizes: readonly [number, number] } = {
    value: -1,
    sizes: [0, root],
  };
  const tried = (sizes: readonly [number, number]): Violation | undefined => {
    if (!(Math.abs(sizes[0]) < root && sizes[1] >= root)) return undefined;
    const { value, violation } = look(twoSidedDistribution(shape, order, root, shape.directions[0], sizes));
    if (value > best.value) best = { value, sizes };
    return violation;
  };
  for (const sizes of twoSidedSizes(shape, root)) {
    const violation = tried(sizes);
    if (violation !== undefined) return violation;
  }
  for (let step = 2 ** (1 / 4); step > 1.01; step = Math.sqrt(step)) {
    const [short, long] = best.sizes;
    for (const sizes of [
      [short * step, long],
      [short / step, long],
      [short, long * step],
      [short, long / step],
    ] as const) {
      const violation = tried(sizes);
      if (violation !== undefined) return violation;
    }
  }
  return undefined;
}

/**
 * A vector alone, of every length: its bias is how far the clip moves it, and every moment of it is known.
 */
function movedTooFar(subject: Subject<'clip'>, random: RandomSource): Violation | undefined {
  const scale = scaleOf(subject);
  for (const direction of directionsOfEveryLength(subject, random, 1_025))
    for (const by of [0.5, 1.5]) {
      const point = along(direction, by * scale, subject.plugin.norm);
      const distribution = { points: [point], weights: [1] };
      const order = 4;
      const moment = { order, value: momentIn(distribution, order, subject.plugin.norm) };
      const violation = aboveBound(subject, 'bias', distribution, moment);
      if (violation !== undefined) return violation;
    }
  return undefined;
}

function soundness(subject: Subject<'clip'>, which: Bounded, env: LawEnv, effort: number): Finding {
  const found = extremes(subject, which, effort);
  if (found.violation !== undefined) return fails(found.samples, found.violation);
  const { norm } = subject.plugin;
  const scale = scaleOf(subject);
  const laws = fc
    .constantFrom(...lengthsOf(subject, 8))
    .chain((dimension) => discreteDistributions({ dimension, scale, norm }));
  const searched = env.forAll(
    fc.tuple(laws, fc.constantFrom(...searchedOrders), fc.constantFrom(1, 1, 1.5, 10), fc.boolean()),
    ([distribution, order, by, knowsSecond]) =>
      aboveBound(subject, which, distribution, {
        order,
        value: momentIn(distribution, order, norm) * by,
        ...(knowsSecond ? { second: momentIn(distribution, 2, norm) } : {}),
      }),
    { runs: 600 * effort },
  );
  if (searched.verdict === 'fails') return { ...searched, samples: searched.samples + found.samples };
  const violation =
    which === 'bias' && effort === 1 ? movedTooFar(subject, env.random('lengths')) : undefined;
  if (violation !== undefined) return fails(searched.samples + found.samples + 1, violation);
  return holds(
    searched.samples + found.samples,
    `smallest ratio to the bound: ${found.least.ratio.toPrecision(3)}`,
  );
}

const boundEverywhere = (given: Subject<'clip'>, which: Bounded, env: LawEnv): Finding =>
  alsoElsewhere(given, (subject, effort) => soundness(subject, which, env, effort), { isShared: true });

function attained(subject: Subject<'clip'>, which: Bounded): Finding {
  const { samples, least } = extremes(subject, which);
  if (least.ratio >= 0.98) return holds(samples);
  return fails(samples, {
    what:
      `no distribution found has a ${which} above ${least.ratio} of the ${which}Bound for ` +
      `E‖z‖^${least.moment.order} ≤ ${least.moment.value}, though the bound is claimed to be attained`,
    measured: least.ratio,
    allowed: 0.98,
    input: least.moment,
  });
}

/** ‖E clip(z) − E z‖ is within the declared bound. */
export const biasBound = defineLaw({
  id: 'clip/bias-bound',
  kind: 'clip',
  tier: 'exact',
  statement:
    'for every distribution with E‖z‖^order ≤ value, ‖E clip(z) − E z‖ is at most biasBound, ' +
    'in the declared norm; expectations are finite sums',
  power:
    'a bound 0.1 % too small at any order in 2, 2.5, 3, 4, 5, 8, 20 and any moment tried, ' +
    'where a distribution on one or two norms shows it',
  elsewhere: 0,
  check: (given, env) => boundEverywhere(given, 'bias', env),
});

/** E‖clip(z) − E clip(z)‖² is within the declared bound. */
export const varianceBound = defineLaw({
  id: 'clip/variance-bound',
  kind: 'clip',
  tier: 'exact',
  statement:
    'for every distribution with E‖z‖^order ≤ value, E‖clip(z) − E clip(z)‖² is at most varianceBound, ' +
    'in the declared norm; expectations are finite sums',
  power:
    'a bound 0.1 % too small at any order in 2, 2.5, 3, 4, 5, 8, ' +
    '20 and any moment tried, where a distribution on two or three points shows ' +
    'it, or in ℓ1 and ℓ∞ a distribution on as many points as entries',
  elsewhere: 0,
  check: (given, env) => boundEverywhere(given, 'variance', env),
});

/** The bias bound is tight. */
export const biasAttained = defineLaw({
  id: 'clip/bias-bound-attained',
  kind: 'clip',
  tier: 'exact',
  onClaim: true,
  elsewhere: 0,
  statement: 'for every moment tried some distribution has a bias of at least 0.98 of biasBound',
  power: 'a bound 2 % too large at any order and moment tried',
  check: (subject) => attained(subject, 'bias'),
});

/** The variance bound is tight. */
export const varianceAttained = defineLaw({
  id: 'clip/variance-bound-attained',
  kind: 'clip',
  tier: 'exact',
  onClaim: true,
  elsewhere: 0,
  statement: 'for every moment tried some distribution has a variance of at least 0.98 of varianceBound',
  power: 'a bound 2 % too large at any order and moment tried',
  check: (subject) => attained(subject, 'variance'),
});

/** Invalid moments are refused, and bounds are numbers. */
export const momentsChecked = defineLaw({
  id: 'clip/moments-checked',
  kind: 'clip',
  tier: 'exact',
  statement:
    'biasBound and varianceBound refuse an order below 2, a negative value and NaN with a typed error; ' +
    'for all other moments they are numbers from 0 to Infinity',
  power: 'any invalid moment that gets an answer, and any NaN or negative bound among 320 moments',
  check(subject) {
    let samples = 0;
    const scale = scaleOf(subject);
    const answer = (which: Bounded, moment: Moment): number | LetheError => {
      samples++;
      try {
        return boundOf(subject, which, moment);
      } catch (error) {
        if (error instanceof LetheError) return error;
        throw error;
      }
    };
    const bad: readonly Moment[] = [
      ...[NaN, 1.999, 1, 0, -2, -Infinity].map((order) => ({ order, value: 1 })),
      ...[NaN, -1e-300, -1, -Infinity].map((value) => ({ order: 2, value })),
    ];
    const extreme: readonly Moment[] = [Infinity].flatMap((infinite) => [
      { order: 2, value: infinite },
      { order: infinite, value: 1 },
    ]);
    const good: readonly Moment[] = [2, 2.5, 3, 10, 50, 400, 1e4].flatMap((order) =>
      [0, 5e-324, 1e-300, 1, 1e300, scale ** order, (2 * scale) ** order]
        .filter((value) => value < Infinity)
        .map((value) => ({ order, value })),
    );
    for (const which of ['bias', 'variance'] as const) {
      for (const moment of bad) {
        const result = answer(which, moment);
        if (!(result instanceof LetheError))
          return fails(samples, {
            what:
              `${which}Bound answers ${result} to a moment of order ${moment.order} and value ` +
              `${moment.value}; it must refuse an invalid moment with InvalidParameter`,
            input: moment,
          });
      }
      for (const moment of [...extreme, ...good]) {
        const result = answer(which, moment);
        if (result instanceof LetheError ? good.includes(moment) : !(result >= 0)) {
          return fails(samples, {
            what:
              result instanceof LetheError
                ? `${which}Bound refuses a moment of order ${moment.order} and ` +
                  `value ${moment.value}: ${result.message}`
                : `${which}Bound is ${result} for order ${moment.order} and value ${moment.value}`,
            input: moment,
          });
        }
      }
    }
    return holds(samples);
  },
});
