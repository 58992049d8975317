import {
  addendSilo,
  federation,
  heldAddendSilo,
  rawSilo,
  secureFederation,
  siloCurator,
  trustedFederation,
} from '@lethe/curator/federation';
import type { LawId, Subject } from '@lethe/laws';
import { mechanisms } from '@lethe/mechanisms';
import { defineMutant, type Mutant } from '../mutant.js';

/** What makes federations. */
export type Federation = Subject<'federation'>;
const shipped: Federation = {
  kind: 'federation',
  name: 'planted',
  claims: [],
  registry: mechanisms,
  join: federation,
  joinTrusted: trustedFederation,
  raw: rawSilo,
  hold: siloCurator,
  addend: addendSilo,
  joinSecure: secureFederation,
  holdAddends: heldAddendSilo,
};
/** A mutant of a maker. */
export const planted = (
  id: string,
  title: string,
  killedBy: readonly LawId<'federation'>[],
  change: Partial<Federation>,
): Mutant<'federation'> =>
  defineMutant({
    id: `federation/${id}`,
    title,
    kind: 'federation',
    source: 'generic',
    killedBy,
    within: 2000,
    plant: () => ({ ...shipped, ...change }),
  });
