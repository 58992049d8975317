import { defineClaimCheck, fails, skipped, type ClaimCheck, type Finding } from '@lethe/laws';

/** Checks that try a statement as it was printed, and must fail. */
const isPrinted = ({ id }: ClaimCheck): boolean => id.endsWith('-printed');

/**
 * A check that gives a finding whatever the subject does: where a function of the subject throws, it fails, with the error as the cause.
 * A printed statement is not refuted by that: its check is skipped then, and whoever needed a counterexample has none.
 */
export const guarded = (check: ClaimCheck): ClaimCheck => defineClaimCheck({
  ...check,
  async run(env) {
    let finding: Finding;
    try {
      finding = await check.run(env);
    } catch (cause) {
      finding = fails(0, { what: `it throws ${textOf(cause)}`, cause });
    }
    if (!isPrinted(check) || finding.verdict !== 'fails' || finding.violation.cause === undefined) return finding;
    return skipped(`an error is no counterexample: ${finding.violation.what}`);
  },
});

const textOf = (error: unknown): string => (error instanceof Error ? `${error.name}: ${error.message}` : String(error));
