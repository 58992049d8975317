import type { Registry } from '@lethe/core';
import type { ClaimCheck } from '@lethe/laws';

/**
 * A paper with its shipped parts. `lethe claims`, the tests of papers and their guides loop over the list of
 * papers.
 */
export interface Paper {
  /** Name of its folders in `algorithms`, `lower-bounds` and `claims`, and of its guide. */
  readonly id: string;
  /** Alternative names: first the key of its claims ledger, then the citation key. */
  readonly keys: readonly string[];
  readonly title: string;
  readonly optimizers: Registry;
  readonly lowerBounds: Registry;
  /** Module name of its claims ledger. */
  readonly claims: string;
  /** Checks of its claims. */
  readonly checks: () => readonly ClaimCheck[];
}
