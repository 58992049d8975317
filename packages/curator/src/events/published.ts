import type { CoreEvent, PrivacyEvent } from '@lethe/core';
import { InvalidParameter, Unsupported } from '@lethe/numerics';

/** Noise and collusion in a federation whose silos add their own noise. */
export interface Published {
  /**
   * Of each silo: its weight times the scale of its noise, in any unit; `weight / batchSize` where all have
   * one clip and one multiplier.
   */
  readonly shares: readonly number[];
  /** Silos that collude, beside all who see the averages. */
  readonly colluding: number;
}

/**
 * What a run costs a silo's records against those who see averages over silos and everything that some other
 * silos know, but no single message: the server keeps these to itself. Noise of the silos that keep silent
 * adds up, to `√(M − c)` times that of one silo where all are alike. Holds for the record of any silo, and
 * for any colluding others. A silo that may miss a round counts as colluding, since its noise is missing
 * then.
 *
 * @param event - What the run costs against the server: Gaussian noise, composed, in parallel, or on samples.
 * @throws {InvalidParameter} for shares that are not positive, or as many colluding silos as there are
 * others.
 * @throws {Unsupported} for noise that is not Gaussian.
 */
export function publishedEvent(event: PrivacyEvent, { shares, colluding }: Published): PrivacyEvent {
  if (shares.length === 0 || !shares.every((share) => share > 0 && share < Infinity))
    throw new InvalidParameter('shares are positive numbers, one for each silo', { shares });
  if (!(Number.isSafeInteger(colluding) && colluding >= 0 && colluding < shares.length))
    throw new InvalidParameter(
      `colluding is ${colluding}; of ${shares.length} silos ` +
        `at most ${shares.length - 1} can collude against one`,
      { colluding, silos: shares.length },
    );
  return louder(event, leastFactor(shares, colluding));
}

/** The least noise over silos and coalitions against them, over the silo's own. */
function leastFactor(shares: readonly number[], colluding: number): number {
  const factors = shares.map((own, i) => {
    const others = shares.filter((_, k) => k !== i).toSorted((a, b) => a - b);
    const silent = others.slice(0, others.length - colluding);
    return Math.hypot(own, ...silent) / own;
  });
  // Rounding must not make noise larger than it is.
  return Math.min(...factors) * (1 - 2 ** -50);
}

function louder(event: PrivacyEvent, factor: number): PrivacyEvent {
  switch (event.kind) {
    case 'core/free':
      return event;
    case 'core/gaussian': {
      const gaussian = event as CoreEvent<'core/gaussian'>;
      return { ...gaussian, sigma: gaussian.sigma * factor } as PrivacyEvent;
    }
    case 'core/compose': {
      const { parts, ...rest } = event as CoreEvent<'core/compose'>;
      return {
        ...rest,
        parts: parts.map((part) => ({ ...part, event: louder(part.event, factor) })),
      } as PrivacyEvent;
    }
    case 'core/parallel': {
      const { parts, ...rest } = event as CoreEvent<'core/parallel'>;
      return { ...rest, parts: parts.map((part) => louder(part, factor)) } as PrivacyEvent;
    }
    case 'core/sampled': {
      const sampled = event as CoreEvent<'core/sampled'>;
      return { ...sampled, event: louder(sampled.event, factor) } as PrivacyEvent;
    }
    default:
      throw new Unsupported(
        `noise of silos adds up to Gaussian noise where each is Gaussian; '${event.kind}' is not`,
        { kind: event.kind },
      );
  }
}
