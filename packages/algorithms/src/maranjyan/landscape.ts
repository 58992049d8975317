import { buildProximal, ridgeFrom, Unsupported, type Problem, type Vector } from '@lethe/core';
import { domainOf } from '../common/problem-facts.js';

/** Regularisers that {@link landscapeOf} takes into account. */
export const separableRegularisers = ['l2-squared', 'l1'] as const;

/** What is public of a problem besides its loss: the domain and the regulariser, as steps along coordinates need them. */
export interface Landscape {
  /** Strengths of a ridge; `null` without one. */
  readonly ridge: Vector | null;
  /** Why the problem is not to minimise a smooth function on the whole space, as the theory has it; `null` if it is. */
  readonly obstacle: string | null;
  /** ℓ2 diameter of the domain. */
  readonly diameter: number;
  /** A copy of the start, in the domain. */
  enter(start: Vector): Vector;
  /** Adds the regulariser’s derivatives at `theta` along `coordinates` to a gradient that has an entry for each of them. */
  addSlope(gradient: Vector, theta: Vector, coordinates: ArrayLike<number>): void;
  /** A proximal map, a projection onto a box, or one after the other, coordinate by coordinate. */
  readonly shrink?: (j: number, value: number, eta: number) => number;
  /** The projection onto any other domain, after each step. */
  readonly project?: (theta: Vector) => void;
  /** The projection onto any domain but the whole space: an average of its points may leave it by a rounding. */
  readonly confine?: (theta: Vector) => void;
}

/**
 * @throws {Unsupported} for a regulariser that is no sum over coordinates.
 * @throws {InvalidParameter} for parameters that do not fit the dimension.
 */
export function landscapeOf(problem: Problem): Landscape {
  const { dimension, regulariser } = problem, domain = domainOf(problem);
  const ridge = regulariser === undefined ? null : ridgeFrom(regulariser, dimension);
  const proximal = regulariser === undefined || ridge !== null ? null : buildProximal(regulariser, dimension).coordinate;
  if (proximal === undefined) throw new Unsupported(`the regulariser '${regulariser!.name}' is no sum over coordinates; use ${separableRegularisers.join(' or ')}`, { regulariser: regulariser!.name, supported: separableRegularisers });
  const isEverywhere = domain.name === 'whole-space', box = domain.name === 'box' ? sides(domain.projectInto, dimension) : null;
  const clamp = box === null ? null : (j: number, value: number): number => Math.min(Math.max(value, box.lower[j]!), box.upper[j]!);
  const shrink = proximal === null ? clamp : clamp === null ? proximal : (j: number, value: number, eta: number): number => clamp(j, proximal(j, value, eta));
  const confine = (theta: Vector): void => { domain.projectInto(theta, theta); };
  return {
    ridge: ridge?.strength ?? null,
    obstacle: [isEverywhere ? [] : [`the domain is '${domain.name}', and bounds are for the whole space`], proximal === null ? [] : [`the regulariser '${regulariser!.name}' is not smooth`]].flat().join('; ') || null,
    diameter: domain.diameter,
    enter: (start) => domain.projectInto(new Float64Array(dimension), start),
    addSlope(gradient, theta, coordinates) {
      if (ridge === null) return;
      for (let i = 0; i < coordinates.length; i++) gradient[i]! += ridge.strength[coordinates[i]!]! * (theta[coordinates[i]!]! - ridge.centre[coordinates[i]!]!);
    },
    ...(shrink === null ? {} : { shrink }),
    ...(isEverywhere ? {} : { confine }),
    ...(isEverywhere || box !== null ? {} : { project: confine }),
  };
}

/** Corners of a box: what is nearest to points far out. */
const sides = (projectInto: (out: Vector, point: Vector) => Vector, dimension: number): { readonly lower: Vector; readonly upper: Vector } => ({
  lower: projectInto(new Float64Array(dimension), new Float64Array(dimension).fill(-Number.MAX_VALUE)),
  upper: projectInto(new Float64Array(dimension), new Float64Array(dimension).fill(Number.MAX_VALUE)),
});
