import type { Registry } from '@lethe/core';

/**
 * A paper, with what of it ships: `lethe claims`, the registry
 * of optimizers, tests and guides loop over a list of these.
 */
export interface Paper {
  /** Name of its folders in `algorithms`, `claims` and `lower-bounds`, and of its guide. */
  readonly id: string;
  /** Other names it goes by: the key of its claims ledger first, then that of citations. */
  readonly keys: readonly string[];
  readonly title: string;
  readonly optimizers: Registry;
  /**
   * Where its claims ledger is, as a module's name. The checks that decide it are `checks` of
   * `@lethe/claims/<id>`.
   */
  readonly claims: string;
}
