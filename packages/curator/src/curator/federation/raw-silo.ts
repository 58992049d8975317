import type { Answered, Curator, Query } from '@lethe/core';
import { assertOptions, InvalidParameter } from '@lethe/numerics';
import { streamAnswers } from '../answer-parts.js';
import { openCurator, type CuratorOptions, type OpenCurator } from '../open-curator.js';
import { federatedHandlers } from './handlers.js';
import type { SiloReply } from './members.js';
import { weightsOf } from './members.js';
import { assumptionsOf, federatedTrust, type ServerTerms } from './trust.js';

/** Data, plugins and randomness of one silo that trusts its server, and how many silos the run has. */
export interface RawSiloOptions extends Omit<CuratorOptions, 'held'>, ServerTerms {
  readonly silos: number;
}

/**
 * A silo whose answers are not private: bounded sums without noise, for a server that is trusted with them.
 * It is no `Curator`, so that no server that is not trusted can be given it: what answers a query has another
 * name.
 */
export interface RawSilo<R extends SiloReply = SiloReply> extends Pick<
  Curator<R>,
  'facts' | 'allRecords' | 'replay' | 'recorded' | 'spent'
> {
  /** An answer without its noise, and the noise that the server owes. For the trusted server's eyes alone. */
  sumFor(index: number, query: Query): R;
  /** 32 secret bytes of which, with those of the other silos, the server's randomness is made. */
  readonly share: Uint8Array;
}

/** A {@link RawSilo} in this process. */
export interface OpenRawSilo
  extends RawSilo<Answered>, Pick<OpenCurator, 'charged' | 'end' | 'ended' | 'transcriptKey'> {}

/**
 * Opens a run over a data set whose noise a trusted server adds. Each query is charged on the silo's ledger,
 * before it is answered, as what the server promises: the same as in a federation whose server is not
 * trusted. That the server keeps the promise, and shows sums to nobody, is an assumption of every number
 * computed from its events.
 *
 * @throws {InvalidParameter} for weights or shares that do not fit the silos; and as `centralCurator`.
 */
export function rawSilo(options: RawSiloOptions): OpenRawSilo {
  assertOptions(options, 'rawSilo');
  const { silos, weights, simulatedShares, ...own } = options;
  if (!(Number.isSafeInteger(silos) && silos >= 1))
    throw new InvalidParameter(`silos is ${silos}; it must be a whole number, at least 1`, { silos });
  if (weights !== undefined) weightsOf(weights, silos);
  const trust = federatedTrust('trusted', silos, { weights, simulatedShares });
  const { answer, share, ...rest } = openCurator('rawSilo', own, () => ({
    trust,
    assumptions: assumptionsOf(trust),
    ...streamAnswers,
    handlers: federatedHandlers(2),
    isRaw: true,
  }));
  return { ...rest, sumFor: answer, share: share as Uint8Array };
}
