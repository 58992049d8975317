import { canonicalJson, sameEvent, sampledEvent, type Json, type PrivacyEvent } from '@lethe/core';
import { anyEventSchema } from '@lethe/core/internal';
import { BudgetExceeded, InvalidParameter, Unsupported } from '@lethe/numerics';
import { isCore, partsWithin } from '../events/part-of.js';
import type { Reservation } from './contract.js';
import type { Charge, Effect } from './effect.js';

/** A run's reservation of the data set's limit: the event of its plan, or the limit of a filter. */
export interface Reserved {
  readonly event: PrivacyEvent;
  /** Parameters of the run's filter; `null` for a plan. */
  readonly filter: Json | null;
  /** Whether the reservation has room for a total; `null` for a stored filter that was not given again. */
  readonly hasRoom: ((total: PrivacyEvent) => boolean) | null;
}

/** The requested reservation; `null` for none. */
export function requestedReservation({ planned, held }: Partial<Reservation>): Reserved | null {
  if (held !== undefined)
    return { event: held.limit, filter: held.spec, hasRoom: (total) => held.admits(total) };
  return planned === undefined ? null : { event: planned, filter: null, hasRoom: partsWithin(planned) };
}

/** A reservation on record. A filter must be given again when the run is opened. */
export const storedReservation = ({ event, filter }: Pick<Reserved, 'event' | 'filter'>): Reserved => ({
  event,
  filter,
  hasRoom: filter === null ? partsWithin(event) : null,
});

/** Whether the reservation is the limit of a filter. */
export const isHeld = (reserved: Reserved | null): reserved is Reserved =>
  reserved !== null && reserved.filter !== null;

/**
 * Whether a run that ends may count with its charges in place of its reservation. Everything that it answered
 * was charged before, and a filter adds up charges whatever the answers were, so that a run may stop by its
 * answers. That holds for releases that are charged one by one; who stops inside a sample has seen more than
 * the part that was charged tells, so that other events keep the reservation.
 */
export function isReleasable(reserved: Reserved | null, charged: PrivacyEvent): boolean {
  return charged.kind === 'core/free' || (!isHeld(reserved) && isOfReleases(charged));
}

/** Whether an event is a composition of releases, in parallel or not: no other event stands around one. */
function isOfReleases(event: PrivacyEvent): boolean {
  if (isCore(event, 'core/compose')) return event.parts.every(({ event: part }) => isOfReleases(part));
  if (isCore(event, 'core/parallel')) return event.parts.every(isOfReleases);
  return !Object.values(event).some((value: unknown) => anyEventSchema.safeParse(value).success);
}

/**
 * Matches the reservation on record with the one requested now, and restores its filter.
 *
 * @throws {InvalidParameter} when they differ.
 */
export function recognised(run: string, before: Reserved, now: Reserved): Reserved {
  if (!sameEvent(before.event, now.event) || canonicalJson(before.filter) !== canonicalJson(now.filter)) {
    throw new InvalidParameter(
      `run '${run}' was opened for another event than is given now; resume it with its first plan or ` +
        'filter, or start a new run',
      { run, stored: before.event, given: now.event },
    );
  }
  return isHeld(before) ? { ...before, hasRoom: now.hasRoom } : before;
}

/** @throws {Unsupported} for a run without a known reservation. */
export function hasRoom(run: string, reserved: Reserved | null, total: PrivacyEvent): boolean {
  if (reserved?.hasRoom) return reserved.hasRoom(total);
  throw new Unsupported(
    `run '${run}' is not held to a filter, so it has no limit to compare with; make the curator with held`,
    { run },
  );
}

/** @throws {BudgetExceeded} when `total`, which ends with `asked`, exceeds the run's reservation. */
export function assertRoom(
  run: string,
  reserved: Reserved,
  total: PrivacyEvent,
  { asked, spent }: { readonly asked: PrivacyEvent; readonly spent: () => PrivacyEvent },
): void {
  if (hasRoom(run, reserved, total)) return;
  throw new BudgetExceeded(
    isHeld(reserved)
      ? `run '${run}' is held to a limit, and this charge would exceed it. ` +
          'Use a smaller charge or end the run; ask.afford checks a charge in advance.'
      : `run '${run}' was opened for the event that it is planned to cost, and this charge is not part ` +
          'of it. Follow the plan, or open a run with a plan that contains this charge.',
    { spent: spent(), asked, limit: reserved.event },
  );
}

/**
 * The charge on partitions that are open already. A charge on a partition opened by the same query counts,
 * with amplification, on the range that this partition divides.
 */
export function trialOf({ charge, space }: Effect): Charge | undefined {
  if (charge === undefined || charge.on.space !== space?.id) return charge;
  return {
    on: space.within,
    event: space.sampler === null ? charge.event : sampledEvent(space.sampler, charge.event),
  };
}
