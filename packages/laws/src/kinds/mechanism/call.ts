import { eventKindsOf, type EventKind, LetheError, type RandomSource, seededRandom, type Vector } from '@lethe/core';
import type { Subject } from '../../law/subject.js';
import { unlessUnsupported } from '../../law/unless-unsupported.js';

/** A mechanism at given parameters. */
export type MechanismSubject = Subject<'mechanism'>;

/** A copy of `value` with noise added. */
export function noised({ plugin, params }: MechanismSubject, value: ArrayLike<number>, scale: number, random: RandomSource): Vector {
  const out = Float64Array.from(value);
  plugin.addNoise(params as never, out, scale, random);
  return out;
}

/** What was thrown, or `undefined` when nothing was. */
export function thrownBy(run: () => unknown): { readonly error: unknown; readonly typed: boolean } | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    return { error, typed: error instanceof LetheError };
  }
}

/** The declared distribution function at scale 1. */
export const cdfOf = ({ plugin, params }: MechanismSubject) => (x: number): number => plugin.cdf(params as never, x);

/** Whether noise is on the integers, where it cannot be one law times a scale. */
export const isExact = ({ plugin }: MechanismSubject): boolean => plugin.numerics === 'exact';

/** Event kinds beyond core's that its events may be of. */
export const kindsOf = ({ registry }: MechanismSubject): readonly EventKind[] => eventKindsOf(registry);

/** Why a law about real-valued noise says nothing of integers. */
export const onlyIdealised = (subject: MechanismSubject): string | undefined =>
  (isExact(subject) ? 'its noise is on the integers, where values repeat and scales do not multiply; judged by mechanism/noise-law, mechanism/lattice and mechanism/divergence' : undefined);

/** The first of these scales that it does not refuse as unsupported: exact samplers are proved for some scales only. */
export function supportedScale(subject: MechanismSubject, scales: readonly number[], random: RandomSource): number | undefined {
  return scales.find((scale) => unlessUnsupported(() => noised(subject, [0], scale, random)) !== undefined);
}

/** Why its declared law, that of scale 1, says nothing of any release it makes: noise on the integers is no multiple of it. */
export const neverOfScaleOne = (subject: MechanismSubject): string | undefined =>
  (isExact(subject) && supportedScale(subject, [1], seededRandom('tried')) === undefined ? 'its law is declared at scale 1, which it refuses at these parameters; judged by mechanism/divergence' : undefined);

/** Scales at which noise on the integers seldom repeats, best first; 1 for noise on the reals. */
export const wideScales = (subject: MechanismSubject): readonly number[] => (isExact(subject) ? [64, 32, 16, 8, 4, 128, 256, 1024] : [1]);

/** Why nothing was drawn. */
export const refusesAll = 'it refuses every scale that was tried as unsupported';
