import type { Registry } from '@lethe/core';
import type { ClaimCheck } from '@lethe/laws';

/** A paper, with what of it ships: `lethe claims`, the tests of all papers and their guides loop over a list of these. */
export interface Paper {
  /** Name of its folders in `algorithms`, `lower-bounds` and `claims`, and of its guide. */
  readonly id: string;
  /** Other names it goes by: the key of its claims ledger first, then that of citations. */
  readonly keys: readonly string[];
  readonly title: string;
  readonly optimizers: Registry;
  readonly lowerBounds: Registry;
  /** Where its claims ledger is, as a module's name. */
  readonly claims: string;
  /** The checks that decide its claims. */
  readonly checks: () => readonly ClaimCheck[];
}
