import type { PrivacyEvent } from '@lethe/core';
import { BudgetExceeded, defined } from '@lethe/numerics';
import { partsWithin } from '../events/part-of.js';
import type { Charge, Effect } from '../ledger/index.js';
import { createTally, type Tally } from '../ledger/tally.js';

/**
 * Scopes whose costs were stated, and charged, when they were opened: what is released inside may depend on
 * answers of the scope, and is amplified all the same, because it never goes beyond what was stated.
 */
export interface Prepaid {
  /** Whether releases on slots of `space` are paid for. */
  covers(space: string): boolean;
  /** Whether any such scope is open: then releases leave behind what they used. */
  isOpen(): boolean;
  /** Whether a release is a part of what was stated and not used yet. */
  hasRoom(charge: Charge): boolean;
  /** @throws {BudgetExceeded} unless {@link Prepaid.hasRoom}. */
  assertRoom(charge: Charge): void;
  apply(effect: Effect): void;
  /** Forgets a space whose scope has ended. */
  forget(space: string): void;
}

interface Scope {
  readonly id: string;
  readonly costs: PrivacyEvent;
  readonly holds: (event: PrivacyEvent) => boolean;
  readonly tally: Tally;
}

export function createPrepaid(): Prepaid {
  const scopes = new Map<string, Scope>();
  const hasRoom = (charge: Charge): boolean => {
    const { tally, holds } = defined(scopes.get(charge.on.space));
    return holds(tally.with(charge));
  };
  return {
    covers: (space) => scopes.has(space),
    isOpen: () => scopes.size > 0,
    hasRoom,
    assertRoom(charge) {
      if (hasRoom(charge)) return;
      const { id, costs } = defined(scopes.get(charge.on.space));
      throw new BudgetExceeded(
        `the scope of batch '${id}' was opened for what 'costs' states, and this release is not part of ` +
          'what is left of it; draw again, or state more',
        { spent: defined(scopes.get(charge.on.space)).tally.total(), asked: charge.event, limit: costs },
      );
    },
    apply({ charge, space, prepaid, closes }) {
      for (const id of closes ?? []) {
        const scope = scopes.get(id);
        if (scope !== undefined && scope.id !== id) scope.tally.apply({ closes: [id] });
      }
      if (space !== undefined) {
        const outer = scopes.get(space.within.space);
        if (outer !== undefined) {
          outer.tally.apply({ space });
          scopes.set(space.id, outer);
        } else if (charge?.on.space === space.id) {
          scopes.set(space.id, {
            id: space.id,
            costs: charge.event,
            holds: partsWithin(charge.event),
            tally: createTally(space.id),
          });
        }
      }
      if (prepaid !== undefined) defined(scopes.get(prepaid.on.space)).tally.apply({ charge: prepaid });
    },
    forget: (space) => {
      scopes.delete(space);
    },
  };
}
