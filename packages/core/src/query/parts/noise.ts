import {
  eitherOf,
  number,
  oneOf,
  record,
  reference,
  text,
  variant,
  type RecordOf,
  type VariantOf,
} from '../schema.js';

const clip = {
  clip: reference('clip'),
};
const certificate = {
  /** Name of an `every-record` fact. */
  fact: text,
};
const bounds = { clip, certificate };
/**
 * How one record's contribution is bounded: by clipping, or by an `every-record` fact that the curator holds.
 */
export type Bound = VariantOf<'by', typeof bounds>;
export const bound = variant('by', bounds);
/** A bound by a fact, where nothing can be clipped. */
export const certifiedBound = variant('by', { certificate });

const targets = [
  { noiseMultiplier: number },
  { rho: number },
  { epsilon: number, delta: number },
  { unprotected: oneOf(true) },
] as const;
/** What one release costs in the run's adjacency. The curator turns it into a scale. */
export type Target = { readonly [I in keyof typeof targets]: RecordOf<(typeof targets)[I]> }[number];
export const target = eitherOf(...targets);

const noises = {
  mechanism: reference('mechanism'),
  target,
};
/** Which mechanism adds the noise, and at what cost. */
export type Noise = RecordOf<typeof noises>;
export const noise = record(noises);
