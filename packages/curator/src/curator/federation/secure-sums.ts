import type { Answered, PushQuery, Query } from '@lethe/core';
import type { SiloReply } from './members.js';
import type { RoundOfSums } from './sum-decoder.js';

/** Makes the sums of a run, so that nobody learns an addend. */
export interface SecureSums<
  R extends RoundOfSums | Promise<RoundOfSums> = RoundOfSums | Promise<RoundOfSums>,
> {
  /** The sum of the running sums of all silos that take part in the round of a push. */
  round(index: number, query: PushQuery): R;
  /** A push that was answered before, by the silos that are not `null`. */
  replayed(index: number, query: PushQuery, digests: readonly (string | null)[]): void;
}

/** Asks a silo; `undefined` where it misses the round. */
export type AskSilo = (
  silo: number,
  index: number,
  query: Query,
) => SiloReply | Promise<Answered | undefined> | undefined;
