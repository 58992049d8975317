import { propertyOf, type Law } from './law.js';
import type { Subject, SubjectKind } from './subject.js';

/** What a subject says of itself against what is checked of it. */
export interface ClaimAccount {
  /** Claims that no law checks: listed, so that silence is visible. */
  readonly untested: readonly string[];
  /** Laws that were checked although the subject does not mention them: its kind's contract demands them. */
  readonly unclaimed: readonly string[];
  /** Laws with nothing to say about this subject, and why. */
  readonly exempt: readonly { readonly law: string; readonly why: string }[];
}

/** Compares the claims of a subject with the laws of its kind. */
export function accountFor<K extends SubjectKind>(laws: readonly Law<K>[], subject: Subject<K>): ClaimAccount {
  const claims = subject.claims.map(({ property }) => property);
  const told = laws.map((law) => ({ law, why: exemption(law, subject) }));
  const spoken = told.filter(({ why }) => why === undefined).map(({ law }) => law);
  return {
    untested: claims.filter((claim) => !spoken.some((law) => propertyOf(law) === claim)),
    unclaimed: spoken.filter((law) => law.onClaim !== true && !claims.includes(propertyOf(law))).map(({ id }) => id),
    exempt: told.flatMap(({ law, why }) => (why === undefined ? [] : [{ law: law.id, why }])),
  };
}

/** A law that cannot even be asked fails, so it is not exempt. */
function exemption<K extends SubjectKind>(law: Law<K>, subject: Subject<K>): string | undefined {
  try {
    return law.exempt?.(subject);
  } catch {
    return undefined;
  }
}
