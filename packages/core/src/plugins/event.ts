import type * as z from 'zod';
import type { Adjacency } from '../adjacency.js';
import type { PrivacyEvent } from '../events/schema.js';
import type { RandomSource, ZodSchema } from '@lethe/numerics';
import type { DominatingPair } from './privacy-loss-distribution.js';
import { plainPlugin, type Plugin } from './plugin.js';

/** μ of Gaussian differential privacy, as an enclosure. */
export interface GaussianCurve {
  /**
   * The event is no more private than `N(0,1)` against `N(lower,1)`,
   * for some neighbours; rounded down, 0 when nothing is known.
   */
  readonly lower: number;
  readonly mu: number;
  /** The trade-off curve is that of a Gaussian pair, so that `lower` and `mu` differ by rounding only. */
  readonly exact: boolean;
}

/**
 * What can be known about one event under one adjacency. Every number is an upper bound for both directions,
 * rounded up; `rdp(α)` may be `Infinity`.
 */
export interface Characterisations {
  /** ε of pure differential privacy. */
  readonly pure: number;
  readonly approximate: { readonly epsilon: number; readonly delta: number };
  /** ρ of zero-concentrated differential privacy. */
  readonly zcdp: number;
  readonly tcdp: { readonly rho: number; readonly omega: number };
  /** Rényi divergence of order α > 1. */
  readonly rdp: (alpha: number) => number;
  readonly gdp: GaussianCurve;
  /**
   * For each direction at least one, or symmetric ones; where there
   * are several, the event is bounded by the largest at every ε.
   */
  readonly pair: readonly DominatingPair[];
}
/** A key of {@link Characterisations}. */
export type CharacterisationKind = keyof Characterisations;

/** Gives characterisations of the events nested inside a plugin's event. */
export interface Resolver {
  <C extends CharacterisationKind>(event: PrivacyEvent, want: C, adjacency: Adjacency): Characterisations[C];
}

/**
 * A mechanism on two neighbours that costs what an event says, or nearly: what its numbers can be compared
 * with.
 */
export interface Realisation<Event extends PrivacyEvent = PrivacyEvent> {
  /**
   * One output on the first or the second neighbour, always of the same length.
   *
   * @throws {Unsupported} for an adjacency or numbers that it has no mechanism for.
   */
  draw(event: Event, adjacency: Adjacency, side: 0 | 1, random: RandomSource): ArrayLike<number>;
  /**
   * Density of an output on either neighbour, where it is known: of one number on the line, of anything else
   * with respect to whatever measure both share.
   */
  density?(event: Event, adjacency: Adjacency, side: 0 | 1, output: ArrayLike<number>): number;
}

/**
 * A kind of privacy event beyond `core/*`. Each characterisation is optional: core derives what follows
 * soundly from the others, and answers `Unsupported` where nothing does.
 */
export interface EventKind<Schema extends ZodSchema<PrivacyEvent> = ZodSchema<PrivacyEvent>> extends Plugin<
  'event',
  Schema
> {
  /** Namespaced kind, such as `acme/my-mechanism`. */
  readonly version: number;
  readonly schema: Schema;
  /** Under zero-out a null record must count as absent: amplification by sampling relies on it. */
  readonly characterise: {
    readonly [C in CharacterisationKind]?: (
      event: z.output<Schema>,
      adjacency: Adjacency,
      resolve: Resolver,
    ) => Characterisations[C];
  };
  /**
   * Mechanisms that attain its cost, on one or more pairs of neighbours. Laws compare the outputs with every
   * characterisation. Left out: nothing vouches for its numbers, and certificates say so.
   */
  readonly realise?: readonly Realisation<z.output<Schema>>[];
  /** Assumptions of its characterisations, such as `real-arithmetic` for noise in floating point. */
  readonly assumptions?: readonly string[];
  /** The event of `count` runs in closed form, when there is one. */
  power?(event: z.output<Schema>, count: number): PrivacyEvent;
}

/** Declares an event kind. Its `name` is the `kind` of its events, with a prefix other than `core/`. */
export function defineEvent<Schema extends ZodSchema<PrivacyEvent>>(
  definition: Omit<EventKind<Schema>, 'kind' | 'params'>,
): EventKind<Schema> {
  return plainPlugin({ ...definition, kind: 'event', params: definition.schema });
}
