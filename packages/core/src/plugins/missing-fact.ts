import { Unsupported } from '@lethe/numerics';

/**
 * A plan lacks public facts of its problem. An optimizer throws it for the first that it misses; `prepare`
 * plans on with stand-ins, and names all of them in one error.
 */
export class MissingFact extends Unsupported {
  /** Names of facts. */
  readonly missing: readonly [string, ...string[]];
  /** Whether any one of them is enough, of which the first says least, or all are needed. */
  readonly need: 'one' | 'all';

  /**
   * @param message - What is missing, and what to do.
   * @param missing - Names of facts.
   * @param need - Whether any one of them is enough, with the one that says least first, or all are needed.
   */
  constructor(message: string, missing: readonly [string, ...string[]], need: 'one' | 'all' = 'one') {
    super(message, { missing });
    this.missing = missing;
    this.need = need;
  }
}
