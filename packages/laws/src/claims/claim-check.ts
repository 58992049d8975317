import type { Finding } from '../law/finding.js';
import type { LawEnv, Tier } from '../law/law.js';

/**
 * What decides a claim of a paper: a law without a subject. It *fails* when the claim it tries is wrong; a check named by a
 * refuted claim is therefore one that finds the counterexample.
 */
export interface ClaimCheck {
  /** Unique among the checks and checks it is run with, by convention `paper/what`. */
  readonly id: string;
  readonly tier: Tier;
  /** What it tries, in one sentence. */
  readonly statement: string;
  /** The smallest error of the claim it would find. */
  readonly power?: string;
  readonly run: (env: LawEnv) => Finding | Promise<Finding>;
}

/** Declares a check; the ledger names it by `id`. */
export const defineClaimCheck = (check: ClaimCheck): ClaimCheck => Object.freeze(check);
