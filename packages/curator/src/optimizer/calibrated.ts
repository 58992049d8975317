import { sameEvent, unprotectedEvent, type Adjacency, type Calibrate, type PrivacyEvent } from '@lethe/core';
import { IncompatiblePlugins, LetheError, Unsupported } from '@lethe/numerics';
import { familyOf, marker } from './event-family.js';

/** Noise that is calibrated while a plan is made, and the events that it was calibrated for. */
export interface CalibratedNoise {
  /** The least multiplier with which the family meets the budget. */
  noiseFor(eventAt: (noiseMultiplier: number) => PrivacyEvent): number;
  /**
   * Checks a plan whose noise was calibrated. A plan with a calibrated event is not priced again; a plan
   * without calibrated noise is not checked: its parameters decide.
   *
   * @throws {IncompatiblePlugins} for an event that is not shown to keep the budget.
   */
  assertKept(event: PrivacyEvent): void;
}

/** Target of a calibration. */
export interface NoiseTarget {
  readonly optimizer: string;
  readonly calibrate: Calibrate;
  readonly budget: { readonly epsilon: number; readonly delta: number };
  readonly adjacency: Adjacency;
}

interface Found {
  readonly value: number;
  readonly event: PrivacyEvent;
}

/** Noise for one plan. */
export function calibratedNoise({ optimizer, calibrate, budget, adjacency }: NoiseTarget): CalibratedNoise {
  const found: Found[] = [];
  const search = (make: (noiseMultiplier: number) => PrivacyEvent): number =>
    calibrate({ make, target: budget, adjacency, direction: 'larger-is-private' }).value;
  return {
    noiseFor(eventAt) {
      // An event that meets the budget needs no second search.
      const known = found.find(({ value, event }) => costs(eventAt, value, event));
      if (known !== undefined) return known.value;
      const answer = byFamily(eventAt, search) ?? byRuns(eventAt, search);
      found.push(answer);
      return answer.value;
    },
    assertKept(event) {
      if (found.length === 0 || found.some((known) => sameEvent(known.event, event))) return;
      try {
        // The only whole number that can meet the budget is 1, so that the event is priced once.
        calibrate({
          make: (count) => (count <= 1 ? event : unprotectedEvent),
          target: budget,
          adjacency,
          direction: 'smaller-is-private',
          integer: true,
        });
      } catch (cause) {
        if (!(cause instanceof Unsupported)) throw cause;
        throw new IncompatiblePlugins(
          `optimizer '${optimizer}' calibrated its noise on another run than the one it plans, and nothing ` +
            `shows that this one costs at most ε = ${budget.epsilon} at δ = ${budget.delta}; give noiseFor ` +
            'the plan that is returned',
          { optimizer, ...budget },
          { cause },
        );
      }
    },
  };
}

type Search = (make: (noiseMultiplier: number) => PrivacyEvent) => number;

/**
 * Two runs are priced in place of one for every multiplier tried. The event of the run with the multiplier
 * found must be the one that was searched for: then it meets the budget.
 */
function byFamily(eventAt: (noiseMultiplier: number) => PrivacyEvent, search: Search): Found | undefined {
  try {
    const family = familyOf(eventAt(marker));
    if (family === undefined) return undefined;
    const value = search(family);
    const event = eventAt(value);
    return sameEvent(event, family(value)) ? { value, event } : undefined;
  } catch (error) {
    // What is wrong is said of runs that are priced.
    if (error instanceof LetheError) return undefined;
    throw error;
  }
}

/** Every multiplier that is tried is priced. */
function byRuns(eventAt: (noiseMultiplier: number) => PrivacyEvent, search: Search): Found {
  const events = new Map<number, PrivacyEvent>();
  const value = search((multiplier) => {
    const event = eventAt(multiplier);
    events.set(multiplier, event);
    return event;
  });
  return { value, event: events.get(value) ?? eventAt(value) };
}

/** Whether the family costs that event at the value; not where it has none. */
function costs(eventAt: (value: number) => PrivacyEvent, value: number, event: PrivacyEvent): boolean {
  try {
    return sameEvent(eventAt(value), event);
  } catch (error) {
    if (error instanceof LetheError) return false;
    throw error;
  }
}
