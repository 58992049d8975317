import { Unsupported, type ProblemParts, type Vector } from '@lethe/core';
import { type Proximal } from '@lethe/numerics';

/** The function `f¹` of a problem: its regulariser on its domain. */
export interface Composite {
  /** A copy of a point where `f¹` is finite. */
  enter(start: Vector): Vector;
  /** Writes `argmin_y eta·f¹(y) + ½‖y − z‖²` to `out`, which may be `z`. */
  readonly proxInto: (out: Vector, z: Vector, eta: number) => void;
}

/**
 * On a product of intervals, a sum over coordinates has a proximal map coordinate by coordinate: clamped, it
 * is that of the sum on the box, since each summand is convex.
 *
 * @throws {Unsupported} for a regulariser that is no such sum on a domain that is not the whole space, or one
 * that is on a domain that is no product of intervals.
 */
export function composite({ domain, regulariser }: Pick<ProblemParts, 'domain' | 'regulariser'>): Composite {
  const { dimension } = domain;
  const project = (out: Vector, z: Vector): void => void domain.projectInto(out, z);
  const enter = (start: Vector): Vector => domain.projectInto(new Float64Array(dimension), start);
  if (regulariser === null) return { enter, proxInto: project };
  if (domain.unconstrained === true)
    return {
      enter: entering(regulariser, enter),
      proxInto: (out, z, eta) => void regulariser.proxInto(out, z, eta),
    };
  if (regulariser.coordinate !== undefined && domain.coordinate !== undefined) {
    return {
      enter,
      proxInto(out, z, eta) {
        regulariser.proxInto(out, z, eta);
        project(out, out);
      },
    };
  }
  throw new Unsupported(
    `the proximal map of the regulariser '${regulariser.name}' ` +
      `on the domain '${domain.name}' is not available; ` +
      `${regulariser.coordinate === undefined ? 'use the whole space' : 'use a box or the whole space'}`,
    { regulariser: regulariser.name, domain: domain.name },
  );
}

/** The set on which a regulariser is finite is entered as well. */
const entering = ({ domain }: Proximal, enter: Composite['enter']): Composite['enter'] =>
  domain === undefined
    ? enter
    : (start) => {
        const point = enter(start);
        return domain.projectInto(point, point);
      };
