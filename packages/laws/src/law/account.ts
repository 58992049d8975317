import { propertyOf, type Law } from './law.js';
import type { Subject, SubjectKind } from './subject.js';

/** Coverage: a subject's claims compared with the laws checked. */
export interface ClaimAccount {
  /** Claims without a law. */
  readonly untested: readonly string[];
  /** Laws checked without a claim: the contract of the kind requires them. */
  readonly unclaimed: readonly string[];
  /** Laws that do not apply to this subject, with the reason. */
  readonly exempt: readonly { readonly law: string; readonly why: string }[];
}

/** Compares the claims of a subject with the laws of its kind. */
export function accountFor<K extends SubjectKind>(
  laws: readonly Law<K>[],
  subject: Subject<K>,
): ClaimAccount {
  const claims = subject.claims.map(({ property }) => property);
  const told = laws.map((law) => ({ law, why: exemption(law, subject) }));
  const spoken = told.filter(({ why }) => why === undefined).map(({ law }) => law);
  return {
    untested: claims.filter((claim) => !spoken.some((law) => propertyOf(law) === claim)),
    unclaimed: spoken
      .filter((law) => law.onClaim !== true && !claims.includes(propertyOf(law)))
      .map(({ id }) => id),
    exempt: told.flatMap(({ law, why }) => (why === undefined ? [] : [{ law: law.id, why }])),
  };
}

/** A law whose exemption throws counts as applicable: its check fails. */
function exemption<K extends SubjectKind>(law: Law<K>, subject: Subject<K>): string | undefined {
  try {
    return law.exempt?.(subject);
  } catch {
    return undefined;
  }
}
