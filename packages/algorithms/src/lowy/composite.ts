import { buildProximal, Unsupported, type Problem, type Proximal, type Vector } from '@lethe/core';
import { domainOf } from '../common/problem-facts.js';

/** Regularisers of which {@link composite} takes the proximal map. */
export const compositeRegularisers = ['l1', 'l2-squared', 'group', 'indicator'] as const;

/** The function `f¹` of a problem: its regulariser on its domain. */
export interface Composite {
  /** A copy of a point where `f¹` is finite. */
  enter(start: Vector): Vector;
  /** Writes `argmin_y eta·f¹(y) + ½‖y − z‖²` to `out`, which may be `z`. */
  readonly proxInto: (out: Vector, z: Vector, eta: number) => void;
}

/**
 * On a box, a sum over coordinates has a proximal map coordinate by coordinate: clamped, it is that of the sum on the box, since each summand is convex.
 *
 * @throws {Unsupported} for a regulariser that is no such sum on a domain that is not the whole space, or one that is on a domain that is no box.
 */
export function composite(problem: Problem): Composite {
  const { regulariser, dimension } = problem, domain = domainOf(problem), project = (out: Vector, z: Vector): void => void domain.projectInto(out, z);
  const enter = (start: Vector): Vector => domain.projectInto(new Float64Array(dimension), start);
  if (regulariser === undefined) return { enter, proxInto: project };
  const own = buildProximal(regulariser, dimension);
  if (domain.name === 'whole-space') return { enter: entering(own, enter), proxInto: (out, z, eta) => void own.proxInto(out, z, eta) };
  if (own.coordinate !== undefined && domain.name === 'box') {
    return { enter, proxInto(out, z, eta) { own.proxInto(out, z, eta); project(out, out); } };
  }
  throw new Unsupported(`the proximal map of the regulariser '${regulariser.name}' on the domain '${domain.name}' is not available; ${own.coordinate === undefined ? 'use the whole space' : 'use a box or the whole space'}`, { regulariser: regulariser.name, domain: domain.name });
}

/** The domain of an indicator is entered as well. */
const entering = ({ name, proxInto }: Proximal, enter: Composite['enter']): Composite['enter'] => (name === 'indicator' ? (start) => { const point = enter(start); return proxInto(point, point, 1); } : enter);
