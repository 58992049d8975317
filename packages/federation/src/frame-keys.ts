import { hkdfSync } from 'node:crypto';
import type { Identity, PublicIdentity } from './identity.js';

/** Party 0 is the server; silo i of a plan is party i + 1. */
export type Party = number;
export const server: Party = 0;
export const partyOfSilo = (silo: number): Party => silo + 1;

/** One end of a pair of parties, in one run. */
export interface Pair {
  readonly own: Identity;
  readonly other: PublicIdentity;
  readonly ownParty: Party;
  readonly otherParty: Party;
}

/** A key for each direction, so that a message sent back to its sender is not taken for the other's. */
export interface PairKeys {
  readonly sent: Uint8Array;
  readonly received: Uint8Array;
}

/** 32 bytes of HKDF-SHA-256. */
export const derived = (secret: Uint8Array, salt: Uint8Array, info: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', secret, salt, info, 32));

/**
 * The keys of a pair for one purpose, from the X25519 secret of both, salted with the digest of the plan.
 *
 * @param purpose - `frame` for tags, `seal` for encryption.
 */
export function pairKeys(
  { own, other, ownParty, otherParty }: Pair,
  plan: Uint8Array,
  purpose: 'frame' | 'seal',
): PairKeys {
  const secret = own.sharedSecret(other.agreementKey);
  const key = (from: Party, to: Party): Uint8Array => derived(secret, plan, `lethe/${purpose}|${from}|${to}`);
  return { sent: key(ownParty, otherParty), received: key(otherParty, ownParty) };
}
