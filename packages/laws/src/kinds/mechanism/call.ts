import {
  eventKindsOf,
  type EventKind,
  LetheError,
  type RandomSource,
  seededRandom,
  type Vector,
} from '@lethe/core';
import type { Subject } from '../../law/subject.js';
import { unlessUnsupported } from '../../law/unless-unsupported.js';

/** A mechanism at given parameters. */
export type MechanismSubject = Subject<'mechanism'>;

/** A copy of `value` with noise added. */
export function noised(
  { plugin, params }: MechanismSubject,
  value: ArrayLike<number>,
  scale: number,
  random: RandomSource,
): Vector {
  const out = Float64Array.from(value);
  plugin.addNoise(params, out, scale, random);
  return out;
}

/** The thrown error, or `undefined`. */
export function thrownBy(
  run: () => unknown,
): { readonly error: unknown; readonly typed: boolean } | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    return { error, typed: error instanceof LetheError };
  }
}

/** The declared distribution function at scale 1. */
export const cdfOf =
  ({ plugin, params }: MechanismSubject) =>
  (x: number): number =>
    plugin.cdf(params, x);

/** Whether the noise is integer-valued; its distribution at scale c is then not c times that at scale 1. */
export const isExact = ({ plugin }: MechanismSubject): boolean => plugin.numerics === 'exact';

/** Event kinds of the mechanism's events besides those of core. */
export const kindsOf = ({ registry }: MechanismSubject): readonly EventKind[] => eventKindsOf(registry);

/** The reason why laws about real-valued noise do not apply to integers. */
export const onlyIdealised = (subject: MechanismSubject): string | undefined =>
  isExact(subject)
    ? 'its noise is integer-valued: values repeat and scales do not multiply; ' +
      'see mechanism/noise-law, mechanism/lattice and mechanism/divergence'
    : undefined;

/** The first of these scales that is supported: exact samplers are proved for some scales only. */
export function supportedScale(
  subject: MechanismSubject,
  scales: readonly number[],
  random: RandomSource,
): number | undefined {
  return scales.find((scale) => unlessUnsupported(() => noised(subject, [0], scale, random)) !== undefined);
}

/**
 * The reason why the distribution at scale 1 does not apply to any
 * release: integer noise of other scales is not a multiple of it.
 */
export const neverOfScaleOne = (subject: MechanismSubject): string | undefined =>
  isExact(subject) && supportedScale(subject, [1], seededRandom('tried')) === undefined
    ? 'its distribution is declared at scale 1, which it refuses at these parameters; ' +
      'see mechanism/divergence'
    : undefined;

/** Scales at which integer noise seldom repeats, best first; 1 for real-valued noise. */
export const wideScales = (subject: MechanismSubject): readonly number[] =>
  isExact(subject) ? [64, 32, 16, 8, 4, 128, 256, 1024] : [1];

/** The reason why there are no samples. */
export const refusesAll = 'every tested scale is Unsupported';
