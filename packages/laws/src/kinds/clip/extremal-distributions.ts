import type { Moment, Norm } from '@lethe/core';
import { along, onAxis, type Row } from '../../arbitraries/vectors.js';
import type { DiscreteDistribution } from './discrete-distribution.js';

/** Distributions with the same moment. */
export interface Extremal {
  readonly moment: Moment;
  readonly distributions: readonly DiscreteDistribution[];
}

/** Directions, scale and norm of worst-case distributions on one or two rays. */
export interface ExtremalShape {
  readonly directions: readonly Row[];
  readonly scale: number;
  readonly norm: Norm;
}

/** `from · 2^(i · step)` up to `to`. */
const octaves = (from: number, to: number, step: number): readonly number[] =>
  Array.from(
    { length: 1 + Math.max(0, Math.floor(Math.log2(to / from) / step)) },
    (_, i) => from * 2 ** (i * step),
  );

const momentAt = (order: number, root: number): Moment => ({ order, value: root ** order * (1 + 2 ** -40) });

/**
 * Worst-case distributions for truncations: all mass on 0 and one more norm, or on 0 and two opposite points,
 * with `E‖z‖^order` exactly `root^order`, for every norm from `root` up to 2⁴ times the larger of root and
 * scale: in steps of a 32nd of an octave in the first direction, of half an octave in the others.
 */
export function extremalDistributions(
  { directions, scale, norm }: ExtremalShape,
  order: number,
  root: number,
): Extremal {
  const [fine, coarse] = [1 / 32, 1 / 2].map((step) => octaves(root, 16 * Math.max(root, scale), step)) as [
    readonly number[],
    readonly number[],
  ];
  const lossDistributionsOf = (direction: Row, size: number): readonly DiscreteDistribution[] => {
    const far = along(direction, size, norm);
    const opposite = far.map((x) => -x);
    const zero = far.map(() => 0);
    const weight = Math.min(1, (root / size) ** order);
    if (weight === 1)
      return [
        { points: [far], weights: [1] },
        { points: [far, opposite], weights: [0.5, 0.5] },
      ];
    return [
      { points: [zero, far], weights: [1 - weight, weight] },
      { points: [zero, far, opposite], weights: [1 - weight, weight / 2, weight / 2] },
    ];
  };
  return {
    moment: momentAt(order, root),
    distributions: directions.flatMap((direction, i) =>
      (i === 0 ? fine : coarse).flatMap((size) => lossDistributionsOf(direction, size)),
    ),
  };
}

/**
 * A distribution on a norm below `root` and a norm above, in one
 * direction or two opposite ones, with `E‖z‖^order = root^order`.
 */
export function twoSidedDistribution(
  { norm }: ExtremalShape,
  order: number,
  root: number,
  direction: Row,
  [shorter, longer]: readonly [number, number],
): DiscreteDistribution {
  const [short, long] = [Math.abs(shorter / root) ** order, (longer / root) ** order];
  const weight = long > 1 ? (1 - short) / (long - short) : 1;
  return {
    points: [
      along(direction, Math.abs(shorter), norm).map((x) => Math.sign(shorter) * x),
      along(direction, longer, norm),
    ],
    weights: [1 - weight, weight],
  };
}

/**
 * Pairs for {@link twoSidedDistribution}: smaller norms down to a
 * thousandth of `root` or scale, of either sign, and larger norms.
 */
export function twoSidedSizes(
  { scale }: ExtremalShape,
  root: number,
): readonly (readonly [number, number])[] {
  const shorter = octaves(Math.min(root, scale) / 1024, root * 0.99, 1 / 2);
  const longer = octaves(root, 16 * Math.max(root, scale), 1 / 4);
  return shorter.flatMap((short) =>
    longer.flatMap(
      (long) =>
        [
          [short, long],
          [-short, long],
        ] as const,
    ),
  );
}

/**
 * Distributions on one norm `root` with points far from their mean although their norms are small, for norms
 * other than ℓ2: uniform on all axes for ℓ1, on corners with one negative entry for ℓ∞. The variance is up to
 * `4(1 − 1/dimension)²` times the mean square.
 */
export function scatteredDistribution(dimension: number, norm: Norm, root: number): DiscreteDistribution {
  const inward =
    norm === 'linf'
      ? Array.from({ length: dimension }, () => root)
      : Array.from({ length: dimension }, () => 0);
  const points = Array.from({ length: dimension }, (_, i) =>
    norm === 'linf' ? inward.with(i, -root) : onAxis(dimension, i, root),
  );
  return { points, weights: points.map(() => 1 / dimension) };
}
