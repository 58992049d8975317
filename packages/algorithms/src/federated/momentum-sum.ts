import type { Vector } from '@lethe/core';
import { subtractScaled, type Domain } from '@lethe/numerics';

/** One point at which gradients are asked for, with its weight. */
export interface WeightedPoint {
  readonly weight: number;
  readonly at: Vector;
}

/** Iterates of μ²-SGD: they change from round to round, and are all that a resumed run needs. */
export interface Mu2State {
  /** `x_t`: where gradients are taken. */
  readonly x: Vector;
  /** `x_{t−1}`. */
  readonly xBefore: Vector;
  /** `w_t`: the projected iterate, of which `x` is the weighted average. */
  readonly w: Vector;
  /** `q_t = t d_t`: the sum of all increments so far. */
  readonly q: Vector;
}

/** All iterates at `w_1 = x_1`, the start projected onto the domain. */
export function mu2Start(domain: Domain, start: Vector): Mu2State & Record<string, Vector> {
  const origin = domain.projectInto(new Float64Array(start.length), start);
  return { x: origin.slice(), xBefore: origin.slice(), w: origin, q: new Float64Array(start.length) };
}

/**
 * The increment `s_t = ∇f(x_t) + (t − 1)(∇f(x_t) − ∇f(x_{t−1}))` as weighted gradients of one record, α_t = t
 * and β_t = 1/t. After missed rounds it is `(t − t₀)∇f(x_t) + t₀(∇f(x_t) − ∇f(x_{t₀}))`, up to `t − t₀` times
 * as long, which makes the sum an estimate of `t ∇f(x_t)` again; a clip cuts it.
 *
 * @param t - Round, from 1.
 * @param last - The last round before, of which `xBefore` is the point; 0 if there is none.
 */
export const incrementTerms = (
  t: number,
  { x, xBefore }: Pick<Mu2State, 'x' | 'xBefore'>,
  last = t - 1,
): readonly WeightedPoint[] =>
  last === 0
    ? [{ weight: t, at: x }]
    : [
        { weight: t, at: x },
        { weight: -last, at: xBefore },
      ];

/**
 * `c_t = (t − 1)(L/2)(x_t − x_{t−1})`: the centre of the ball of radius `G + LD` in which `s_t` lies for
 * every convex loss whose gradients are `L`-Lipschitz and at most `G` long; `null` in round 1, where it is
 * the origin.
 *
 * @param halfSmoothness - `L/2`; 0 for bounds about the origin.
 */
export function incrementCentre(t: number, halfSmoothness: number, { x, xBefore }: Mu2State): Vector | null {
  if (t === 1 || halfSmoothness === 0) return null;
  const centre = new Float64Array(x.length);
  for (let j = 0; j < x.length; j++) centre[j] = (t - 1) * halfSmoothness * (x[j] - xBefore[j]);
  return centre;
}

/** `q ← q + s` in place, for an increment that was told about its centre. */
export function addIncrement({ q }: Mu2State, residual: Vector, centre: Vector | null): void {
  if (centre === null) for (let j = 0; j < q.length; j++) q[j] += residual[j];
  else for (let j = 0; j < q.length; j++) q[j] += residual[j] + centre[j];
}

/** `w ← P(w − ηq)` in place. */
export function descend(domain: Domain, stepSize: number, { w, q }: Mu2State): void {
  subtractScaled(w, stepSize, q);
  domain.projectInto(w, w);
}

/** `x_{t+1} = (t/(t + 2)) x_t + (2/(t + 2)) w_{t+1}` in place; `x_t` becomes the point before. */
export function average(t: number, { x, xBefore, w }: Mu2State): void {
  for (let j = 0; j < x.length; j++) {
    xBefore[j] = x[j];
    x[j] = (t * x[j] + 2 * w[j]) / (t + 2);
  }
}
