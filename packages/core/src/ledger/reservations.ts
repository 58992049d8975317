import { BudgetExceeded, InvalidParameter, Unsupported } from '@lethe/numerics';
import { sampledEvent } from '../events/build.js';
import { sameEvent } from '../events/canonical.js';
import { partsWithin } from '../events/part-of.js';
import type { PrivacyEvent } from '../events/schema.js';
import { canonicalJson, type Json } from '../json.js';
import type { Reservation } from './contract.js';
import type { Charge, Effect } from './effect.js';

/** What a run set aside of the data set's limit: the event of its plan, or the limit of a filter. */
export interface Reserved {
  readonly event: PrivacyEvent;
  /** What fixes the filter that the run is held to; `null` for a plan. */
  readonly filter: Json | null;
  /** Whether there is room for a total of the run; `null` for a filter on record that nobody has given again. */
  readonly hasRoom: ((total: PrivacyEvent) => boolean) | null;
}

/** What is asked to be set aside; `null` for nothing. */
export function askedFor({ planned, held }: Partial<Reservation>): Reserved | null {
  if (held !== undefined) return { event: held.limit, filter: held.spec, hasRoom: (total) => held.admits(total) };
  return planned === undefined ? null : { event: planned, filter: null, hasRoom: partsWithin(planned) };
}

/** What a ledger has on record. The filter is given again by whoever opens the run. */
export const onRecord = ({ event, filter }: Pick<Reserved, 'event' | 'filter'>): Reserved => ({ event, filter, hasRoom: filter === null ? partsWithin(event) : null });

/** Whether a run is held to a filter. */
export const isHeld = (reserved: Reserved | null): reserved is Reserved => reserved !== null && reserved.filter !== null;

/**
 * What a run on record has set aside, recognised in what is asked for now; a filter is in force again.
 *
 * @throws {InvalidParameter} when it is something else.
 */
export function recognised(run: string, before: Reserved, now: Reserved): Reserved {
  if (!sameEvent(before.event, now.event) || canonicalJson(before.filter) !== canonicalJson(now.filter)) {
    throw new InvalidParameter(`run '${run}' was opened for another event than is given now; go on with the plan, or the filter, that it began with, or start a new run`, { run, stored: before.event, given: now.event });
  }
  return isHeld(before) ? { ...before, hasRoom: now.hasRoom } : before;
}

/** @throws {Unsupported} for a run that nothing says the room of. */
export function hasRoom(run: string, reserved: Reserved | null, total: PrivacyEvent): boolean {
  if (reserved?.hasRoom) return reserved.hasRoom(total);
  throw new Unsupported(`run '${run}' is not held to a filter, so that nothing says what it can afford; make the curator with held`, { run });
}

/** @throws {BudgetExceeded} when `total`, of which `asked` is the last, is more than the run set aside. */
export function assertRoom(run: string, reserved: Reserved, total: PrivacyEvent, { asked, spent }: { readonly asked: PrivacyEvent; readonly spent: () => PrivacyEvent }): void {
  if (hasRoom(run, reserved, total)) return;
  throw new BudgetExceeded(isHeld(reserved)
    ? `run '${run}' is held to a limit, and this charge would pass it. Ask for less, or end the run; ask.afford tells beforehand.`
    : `run '${run}' was opened for the event that it is planned to cost, and this charge is not part of it. Ask for what was planned, or open a run for what is asked.`,
  { spent: spent(), asked, limit: reserved.event });
}

/** What a charge adds to spaces that are open already: one on a space that it opens counts, amplified, where that space was made. */
export function trialOf({ charge, space }: Effect): Charge | undefined {
  if (charge === undefined || charge.on.space !== space?.id) return charge;
  return { on: space.within, event: space.sampler === null ? charge.event : sampledEvent(space.sampler, charge.event) };
}
