import type { Answered, Curator, Query } from '@lethe/core';
import { assertOptions } from '@lethe/numerics';
import { streamAnswers } from '../answer-parts.js';
import { openCurator, type CuratorOptions, type OpenCurator } from '../open-curator.js';
import type { SiloReply } from './members.js';
import { secureHandlers } from './secure-handlers.js';
import { assumptionsOf, countedShares, secureTrust } from './trust.js';

/** Data, plugins and randomness of one silo of secure sums, and what the sums withstand. */
export interface AddendSiloOptions extends Omit<CuratorOptions, 'held' | 'allowUnprotected'> {
  /** M. */
  readonly silos: number;
  /** C: silos that may side with the server, at most. */
  readonly corrupted: number;
  /** m: silos that a sum has at least. */
  readonly survivors: number;
}

/**
 * A silo whose increments are private within sums of at least `survivors` silos alone, since each silo adds
 * one of the `survivors − corrupted` shares of noise that count. It is no `Curator`: what answers a query has
 * another name.
 */
export interface AddendSilo<R extends SiloReply = SiloReply> extends Pick<
  Curator<R>,
  'facts' | 'allRecords' | 'replay' | 'recorded' | 'spent'
> {
  /**
   * Names of batches and streams; to a push the increment of the silo's running sum, in whole steps of the
   * stream's grid, with its share of noise. For a secure sum alone.
   */
  addendFor(index: number, query: Query): R;
}

/** An {@link AddendSilo} in this process. */
export interface OpenAddendSilo
  extends AddendSilo<Answered>, Pick<OpenCurator, 'charged' | 'end' | 'ended' | 'transcriptKey'> {}

/**
 * Opens a run over a data set whose increments go into secure sums. A stream is charged whole when it is
 * opened, for the noise of the `survivors − corrupted` shares that count: what its sums cost against a server
 * and `corrupted` other silos that work together, whatever they do. Certificates assume `honest-silos`, that
 * no more silos side with the server, and `computational`, that keys and masks are not broken.
 *
 * @throws {InvalidParameter} for numbers that are no secure sum; and as `centralCurator`.
 */
export function addendSilo(options: AddendSiloOptions): OpenAddendSilo {
  assertOptions(options, 'addendSilo');
  const { silos, corrupted, survivors, ...own } = options;
  const trust = secureTrust({ silos, corrupted, survivors });
  const {
    answer,
    share: _,
    ...rest
  } = openCurator('addendSilo', own, () => ({
    trust,
    assumptions: assumptionsOf(trust),
    ...streamAnswers,
    handlers: secureHandlers,
    noiseShares: countedShares(trust),
  }));
  return { ...rest, addendFor: answer };
}
