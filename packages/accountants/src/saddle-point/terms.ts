import { logAddExp } from '@lethe/numerics';
import { isEnsemble } from '../pld/ensemble.js';
import { logPeak, totalLogMoment } from '../pld/growth.js';
import { type Composing, type LogProfile, nearNormal } from '../pld/jumps.js';
import type { Plan } from '../pld/plan.js';
import { contour } from './contour.js';
import { draftPair, type Enclosable, enclosePair } from './enclosed-pair.js';

/**
 * Composes the terms of an expansion in the number of large losses, each by a contour of its own. The second
 * way has more terms, each of them smooth, for answers to which several large losses lead.
 */
export const onContours: readonly Composing[] = [nearNormal, 0.1].map((mostExcess) => ({
  mostExcess,
  compose: (term) => profileOfTerm(term, true),
  bound: (term) => profileOfTerm(term, false),
}));

/** Nodes times atoms of one contour: large losses and a narrow bulk take many nodes. */
const mostRotations = 1 << 24;

function profileOfTerm(term: Plan, both: boolean): LogProfile | undefined {
  const { factors, epsilon } = term;
  if (!factors.every(isEnclosable)) return undefined;
  const tilt = tiltOf(term);
  const { upper, lower, infinite } = enclosePair(draftPair(factors), tilt);
  const most = contour(upper, tilt, 'upper', epsilon, mostRotations);
  const least = both ? contour(lower, tilt, 'lower', epsilon, mostRotations) : () => -Infinity;
  // The total masses of parts are at most 1, up to rounding, so that a union bound holds for them too.
  const failing = Math.log(infinite.upper * (1 + 2 ** -40));
  return { logUpper: (at) => Math.min(0, logAddExp(most(at), failing) + 2 ** -50), logLower: least };
}

/** How much larger the logarithm of Chernoff's bound may be at half the tilt. */
const alike = 1.5;

/**
 * The tilt of a term, or half of it where Chernoff's bound hardly changes: then far losses have less weight,
 * and the integral has fewer nodes.
 */
function tiltOf({ factors, tilt, epsilon }: Plan): number {
  const bound = (at: number): number => totalLogMoment(factors, at) + logPeak(at) - at * epsilon;
  return bound(tilt / 2) < bound(tilt) + alike ? tilt / 2 : tilt;
}

const isEnclosable = (factor: Plan['factors'][number]): factor is Plan['factors'][number] & Enclosable =>
  !isEnsemble(factor.distribution);
