import type { Vector } from '@lethe/core';
import type { HeldAddendSilo, HeldRawSilo, SiloCurator } from '@lethe/curator/federation';
import { wordsOf, type Words } from '@lethe/mechanisms';
import type { Domain } from '@lethe/numerics';
import { isWithin } from './agreement.js';
import { pointsFrom } from './bodies.js';
import { sumsOf, type SealedPlan } from './plan.js';
import { refusal, refusing } from './refusal.js';
import { notStored } from './silo-log.js';

/** The curator of a silo that holds its server to a plan, for each trust in the server. */
export type HeldCurator = SiloCurator | HeldRawSilo | HeldAddendSilo;

/** The points of a query. @throws a refusal of points outside the domain. */
export function pointsWithin(domain: Domain, index: number, body: Uint8Array): readonly Vector[] {
  const points = pointsFrom(body, domain.dimension);
  if (points.every((point) => isWithin(domain, point))) return points;
  throw refusal('outside-domain', `a point of query ${index} is outside the domain of the plan`, { index });
}

/** What a silo adds to a secure sum. */
export function addendOf(
  curator: HeldAddendSilo,
  {
    index,
    points,
    sealed,
  }: { readonly index: number; readonly points: readonly Vector[]; readonly sealed: SealedPlan },
): { readonly words: Words; readonly digest: string } {
  const { addend, digest } = answeredBy(() => curator.addendAt(index, points));
  return { words: wordsOf(addend, sumsOf(sealed.plan).width), digest };
}

/**
 * A ledger that is older than what was sent on its word was rolled back; so was a log of answers that is
 * older than the ledger by more than the answer under way.
 */
export function assertSameAge(curator: HeldCurator, sent: number): void {
  const recorded = curator.recorded();
  if (recorded === sent || recorded === sent + 1) return;
  // The ledger may lack charges, so that nothing is released.
  curator.end({ keepReserved: true });
  throw refusal(
    'rolled-back',
    `the silo's ledger holds ${recorded} queries of the run, and its log of answers ${sent}: one of ` +
      'them was rolled back. The run ends; what was spent stays spent.',
    { recorded, sent },
  );
}

/** Opens a run, with refusals for what its curator throws. */
export const openedBy = <T>(open: () => T): T =>
  refusing(open, {
    'budget-exceeded': 'no-room',
    corrupt: 'data-changed',
    'invalid-parameter': 'wrong-optimizer',
    unsupported: 'wrong-optimizer',
    'incompatible-plugins': 'wrong-optimizer',
  });
/** Asks a curator, with refusals for what it throws. Errors of the system come from its ledger's disk. */
export const answeredBy = <T>(answer: () => T): T =>
  refusing(storing(answer), {
    'budget-exceeded': 'beyond-plan',
    corrupt: 'changed-round',
    'invalid-parameter': 'wrong-query',
    unsupported: 'wrong-query',
    'incompatible-plugins': 'wrong-query',
  });

const storing =
  <T>(write: () => T) =>
  (): T => {
    try {
      return write();
    } catch (error) {
      throw error instanceof Error && 'syscall' in error ? notStored(error) : error;
    }
  };
