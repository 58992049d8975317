import type { Context } from './command.js';
import { UsageError } from './usage-error.js';

/**
 * Whether the user agrees to spend a budget.
 *
 * @throws {UsageError} where nobody can be asked and `--yes` was not given.
 */
export async function isAgreed(
  question: string,
  { yes, prompt }: { readonly yes: boolean } & Pick<Context, 'prompt'>,
): Promise<boolean> {
  if (yes) return true;
  if (prompt === null)
    throw new UsageError('nothing was spent: there is no terminal to ask on; give --yes to go ahead');
  return /^y(es)?$/iu.test((await prompt(`${question} [y/N] `)).trim());
}
