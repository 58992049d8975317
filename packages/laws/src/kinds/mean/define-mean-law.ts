import { holds, type Finding } from '../../law/finding.js';
import { defineLaw, type Cell, type Law, type LawEnv } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import type { CentralSubject } from './release.js';

/** A law of means that a trusted curator computes. */
export interface CentralLaw extends Omit<Law<'mean'>, 'id' | 'kind' | 'exempt' | 'cells' | 'check'> {
  readonly id: `mean/${string}`;
  readonly exempt?: (subject: CentralSubject) => string | undefined;
  readonly cells?: (subject: CentralSubject) => readonly Cell[];
  readonly check: (subject: CentralSubject, env: LawEnv) => Finding;
}

/** Whether records are seen by the mean itself. */
export const isCentral = (subject: Subject<'mean'>): subject is CentralSubject =>
  subject.plugin.trust === 'central';

/** Declares a law of central means; those of the shuffle model have none of what it speaks of. */
export const defineMeanLaw = ({ exempt, cells, check, ...law }: CentralLaw): Law<'mean'> =>
  defineLaw<'mean'>({
    ...law,
    kind: 'mean',
    exempt: (subject) =>
      isCentral(subject)
        ? exempt?.(subject)
        : 'it is a mean of the shuffle model, whose randomiser has laws of its own',
    ...(cells === undefined
      ? {}
      : { cells: (subject: Subject<'mean'>) => (isCentral(subject) ? cells(subject) : [{ name: '' }]) }),
    check: (subject, env) => (isCentral(subject) ? check(subject, env) : holds(0)),
  });
