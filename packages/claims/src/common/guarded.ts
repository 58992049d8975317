import { defineClaimCheck, fails, skipped, type ClaimCheck, type Finding } from '@lethe/laws';

/** Whether a check tests a statement as printed, and must fail. */
const isPrinted = ({ id }: ClaimCheck): boolean => id.endsWith('-printed');

/**
 * Wraps a check to handle errors of the subject: if a function throws, the check fails with the error as the
 * cause. An error does not refute a printed statement, so such a check is skipped, without a counterexample.
 */
export const guarded = (check: ClaimCheck): ClaimCheck =>
  defineClaimCheck({
    ...check,
    async run(env) {
      let finding: Finding;
      try {
        finding = await check.run(env);
      } catch (cause) {
        finding = fails(0, { what: `it throws ${textOf(cause)}`, cause });
      }
      if (!isPrinted(check) || finding.verdict !== 'fails' || finding.violation.cause === undefined)
        return finding;
      return skipped(`an error is no counterexample: ${finding.violation.what}`);
    },
  });

const textOf = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error);
