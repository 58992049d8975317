import type { Finding } from '../law/finding.js';
import type { LawEnv, Tier } from '../law/law.js';

/**
 * The check of a paper's claim: a law without a subject. It *fails* if the claim is wrong; a check named by a
 * refuted claim therefore finds the counterexample.
 */
export interface ClaimCheck {
  /** Unique among all checks of a run, by convention `paper/what`. */
  readonly id: string;
  readonly tier: Tier;
  /** The statement it tests, in one sentence. */
  readonly statement: string;
  /** The smallest error of the claim that it detects. */
  readonly power?: string;
  /** Tests the claim. */
  readonly run: (env: LawEnv) => Finding | Promise<Finding>;
}

/** Declares a check; the ledger names it by `id`. */
export const defineClaimCheck = (check: ClaimCheck): ClaimCheck => Object.freeze(check);
