import { Unsupported, type ProblemParts, type Vector } from '@lethe/core';
import { defined } from '@lethe/numerics';

/**
 * What is public of a problem besides its loss: the domain
 * and the regulariser, as steps along coordinates need them.
 */
export interface CoordinateConstraints {
  /** Strengths of a ridge; `null` without one. */
  readonly ridge: Vector | null;
  /**
   * Why the problem is not to minimise a smooth function on the whole space, as the theory has it; `null` if
   * it is.
   */
  readonly obstacle: string | null;
  /** ℓ2 diameter of the domain. */
  readonly diameter: number;
  /** A copy of the start, in the domain. */
  enter(start: Vector): Vector;
  /**
   * Adds the regulariser’s derivatives at `theta` along
   * `coordinates` to a gradient that has an entry for each of them.
   */
  addSlope(gradient: Vector, theta: Vector, coordinates: ArrayLike<number>): void;
  /** A proximal map, a projection onto a box, or one after the other, coordinate by coordinate. */
  readonly shrink?: (j: number, value: number, eta: number) => number;
  /** The projection onto any other domain, after each step. */
  readonly project?: (theta: Vector) => void;
  /**
   * The projection onto any domain but the whole space: an average of its points may leave it by a rounding.
   */
  readonly confine?: (theta: Vector) => void;
}

/** @throws {Unsupported} for a regulariser that is no sum over coordinates. */
export function coordinateConstraintsOf({
  domain,
  regulariser,
}: Pick<ProblemParts, 'domain' | 'regulariser'>): CoordinateConstraints {
  const { dimension } = domain;
  const ridge = regulariser?.ridge ?? null;
  const proximal = regulariser === null || ridge !== null ? null : regulariser.coordinate;
  if (proximal === undefined)
    throw new Unsupported(
      `the regulariser '${defined(regulariser).name}' is no sum ` +
        'over coordinates; use one that is, such as l2-squared or l1',
      { regulariser: defined(regulariser).name },
    );
  const isEverywhere = domain.unconstrained === true;
  const clamp = isEverywhere ? null : (domain.coordinate ?? null);
  const shrinkOf = () => {
    if (proximal === null) return clamp;
    if (clamp === null) return proximal;
    return (j: number, value: number, eta: number): number => clamp(j, proximal(j, value, eta));
  };
  const shrink = shrinkOf();
  const confine = (theta: Vector): void => {
    domain.projectInto(theta, theta);
  };
  return {
    ridge: ridge?.strength ?? null,
    obstacle:
      [
        isEverywhere ? [] : [`the domain is '${domain.name}', and bounds are for the whole space`],
        proximal === null ? [] : [`the regulariser '${defined(regulariser).name}' is not smooth`],
      ]
        .flat()
        .join('; ') || null,
    diameter: domain.diameter,
    enter: (start) => domain.projectInto(new Float64Array(dimension), start),
    addSlope(gradient, theta, coordinates) {
      if (ridge === null) return;
      for (let i = 0; i < coordinates.length; i++)
        gradient[i] +=
          ridge.strength[coordinates[i]] * (theta[coordinates[i]] - ridge.centre[coordinates[i]]);
    },
    ...(shrink === null ? {} : { shrink }),
    ...(isEverywhere ? {} : { confine }),
    ...(isEverywhere || clamp !== null ? {} : { project: confine }),
  };
}
