import type { Fact, Loss, RecordDomain, Resolved } from '@lethe/core';
import { largestNorm, type Domain } from '@lethe/numerics';

/** What is publicly known of a loss on records and iterates. */
export interface KnownBounds {
  /** Bounds on every record, and on every iterate of a bounded domain. */
  readonly record: RecordDomain;
  /** Facts of the loss that follow from them, and the `diameter` of a bounded domain. */
  readonly facts: Readonly<Record<string, Fact>>;
}

/**
 * Bounds on records together with the largest norm of a point of the domain, and the facts that follow: those
 * of the loss and the `diameter`.
 *
 * @param domain - Where iterates are. An unbounded one bounds nothing.
 * @param records - Bounds that hold for every record.
 */
export function boundsWithin(
  loss: Resolved<Loss>,
  domain: Domain,
  records: Omit<RecordDomain, 'iterateNorm'>,
): KnownBounds {
  const iterateNorm = largestNorm(domain);
  const record: RecordDomain = { ...records, ...(iterateNorm < Infinity ? { iterateNorm } : {}) };
  const { diameter } = domain;
  return {
    record,
    facts: {
      ...loss.plugin.facts(loss.params, record),
      ...(diameter < Infinity
        ? { diameter: { value: diameter, scope: 'every-record', provenance: 'from-domain' } }
        : {}),
    },
  };
}
