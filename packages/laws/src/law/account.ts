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
  const spoken = laws.filter((law) => law.exempt?.(subject) === undefined);
  return {
    untested: claims.filter((claim) => !spoken.some((law) => propertyOf(law) === claim)),
    unclaimed: spoken.filter((law) => law.onClaim !== true && !claims.includes(propertyOf(law))).map(({ id }) => id),
    exempt: laws.flatMap((law) => {
      const why = law.exempt?.(subject);
      return why === undefined ? [] : [{ law: law.id, why }];
    }),
  };
}
