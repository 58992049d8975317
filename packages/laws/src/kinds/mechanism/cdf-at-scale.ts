import { InvalidParameter, seededRandom, type CoreEvent } from '@lethe/core';
import { cdfOf, isExact, type MechanismSubject, supportedScale } from './call.js';
import { discreteGaussianCdf, discreteLaplaceCdf } from './whole-cdfs.js';

type Cdf = (x: number) => number;

/** Largest difference of two declarations of one distribution function. */
const tolerance = 1e-12;
const compared = [-7, -3, -2, -1, 0, 1, 2, 3, 7];

/**
 * Distribution function of one entry's noise at a scale. Real-valued noise of a scale is that multiple of
 * noise of scale 1. For integer noise it is `cdfAt` of the mechanism, or the distribution that the event of
 * the release names.
 *
 * @throws {InvalidParameter} for integer noise without `cdfAt` whose event names no distribution, or another
 * one than `cdf` at scale 1.
 */
export function cdfAtScale(subject: MechanismSubject, scale: number): Cdf {
  const cdf = cdfOf(subject);
  if (!isExact(subject)) return (x) => cdf(x / scale);
  const at = wholeCdf(subject);
  if (supportedScale(subject, [1], seededRandom('tried')) === undefined) return at(scale);
  const unit = at(1);
  const off = compared.find((x) => !(Math.abs(unit(x) - cdf(x)) <= tolerance));
  if (off === undefined) return at(scale);
  throw new InvalidParameter(
    `at scale 1 the noise is at most ${off} with probability ${cdf(off)} by cdf, and ${unit(off)} by ` +
      (subject.plugin.cdfAt === undefined
        ? `its event '${nameOfEvent(subject)}'; declare cdfAt if the event is of other noise`
        : 'cdfAt'),
    { x: off },
  );
}

const unitEvent = ({ plugin, params }: MechanismSubject, scale: number): CoreEvent =>
  plugin.event(params, scale, { 'replace-one': 1 }) as CoreEvent;

const nameOfEvent = (subject: MechanismSubject): string => unitEvent(subject, 1).kind;

function wholeCdf(subject: MechanismSubject): (scale: number) => Cdf {
  const { plugin, params } = subject;
  if (plugin.cdfAt !== undefined) return (scale) => (x) => plugin.cdfAt?.(params, x, scale) ?? NaN;
  return (scale) => {
    const event = unitEvent(subject, scale);
    const unit = 'sensitivity' in event ? (event.sensitivity['replace-one'] ?? NaN) : NaN;
    if (event.kind === 'core/discrete-gaussian') return discreteGaussianCdf(event.sigma / unit);
    if (event.kind === 'core/discrete-laplace') return discreteLaplaceCdf(event.scale / unit);
    throw new InvalidParameter(
      `integer noise of scale ${scale} has no declared distribution: its event '${event.kind}' does not ` +
        'name one, and cdf is of scale 1; declare cdfAt(params, x, scale)',
      { scale, event: event.kind },
    );
  };
}
