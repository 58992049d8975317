import type { ZodSchema } from '@lethe/numerics';
import type { Adjacency } from '../adjacency.js';
import type { PrivacyEvent } from '../events/schema.js';
import type { Interval } from '../interval.js';
import type { CharacterisationKind, EventKind } from './event.js';
import type { FilterMaker } from './filter.js';
import { plainPlugin, type Plugin } from './plugin.js';

/** Adjacency of the accounting, and the plugins that define event kinds. */
export interface AccountingContext {
  readonly adjacency: Adjacency;
  /** Event kinds beyond core's. */
  readonly kinds?: readonly EventKind[];
  /**
   * Largest acceptable width of the answer in ε, which may save time. An accountant may ignore it.
   */
  readonly width?: number;
  /**
   * Where ε is expected, for a query about ε, such as the budget that it is compared with; it may save time
   * if that is right. An accountant may ignore it.
   */
  readonly near?: number;
  /**
   * Checked at times during the computation, which ends with the
   * error it throws. An accountant may ignore it.
   */
  readonly signal?: { throwIfAborted(): void };
}

/**
 * Turns an event into ε(δ) and δ(ε). It never looks at an
 * event's kind: core resolves events into characterisations.
 */
export interface Accountant extends Plugin<'accountant', ZodSchema> {
  /**
   * The characterisations it uses. It answers for every event that has one of them, under each adjacency
   * under which the event has it.
   */
  readonly wants: readonly CharacterisationKind[];
  /**
   * ε such that the event is (ε, δ)-DP.
   *
   * @throws {Unsupported} naming the sub-event without a characterisation it can use.
   * @throws {InvalidParameter} for an event outside its schema, an unknown adjacency, and `delta` outside [0,
   * 1]. `understand` of `@lethe/accountants` checks the first two;
   * `accountantOf` makes an accountant of one conversion.
   */
  epsilon(event: PrivacyEvent, query: AccountingContext & { readonly delta: number }): Interval;
  /**
   * δ such that the event is (ε, δ)-DP. Throws as {@link Accountant.epsilon}, for an `epsilon` below 0 too.
   */
  delta(event: PrivacyEvent, query: AccountingContext & { readonly epsilon: number }): Interval;
  /**
   * The privacy filter of limits that this accountant decides;
   * left out, it accounts for events that are fixed in advance only.
   */
  readonly filter?: FilterMaker;
}

/** Declares an accountant. */
export function defineAccountant(definition: Omit<Accountant, 'kind'>): Accountant {
  return plainPlugin({ ...definition, kind: 'accountant' });
}

/** Result of a calibration: a number rounded to the private side, and its cost. */
export interface Calibrated {
  readonly value: number;
  readonly achieved: Interval;
}

/** A calibration problem: a family of events with one free number, and a target. */
export interface CalibrationRequest {
  /**
   * The event at a value of the free number. Its cost must not grow
   * with it (`larger-is-private`) or not shrink (`smaller-is-private`).
   */
  readonly make: (value: number) => PrivacyEvent;
  readonly target: { readonly epsilon: number; readonly delta: number };
  readonly adjacency: Adjacency;
  readonly direction: 'larger-is-private' | 'smaller-is-private';
  readonly integer?: boolean;
  /**
   * Relative tolerance of a continuous value; how fine the
   * search is by default is the calibration's own choice.
   */
  readonly tolerance?: number;
}
/**
 * Finds the least private value that meets the target by the certified `upper`; probes are bounded. Given to
 * plans, so that they need no accountant.
 */
export type Calibrate = (request: CalibrationRequest) => Calibrated;
