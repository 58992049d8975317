import type { Finding } from '../law/finding.js';
import type { Tier } from '../law/law.js';
import { type ClaimsLedger, type PaperClaim, expectedIds as idsOf } from './ledger.js';

/** Kinds of problems of a ledger. */
export type ClaimProblemKind =
  | 'duplicate'
  | 'missing'
  | 'unknown-row'
  | 'unknown-check'
  | 'wrong-tier'
  | 'not-run'
  | 'check-fails'
  | 'no-counterexample'
  | 'repeats-nothing'
  | 'duplicate-check'
  | 'unused-check';

/** One problem, as a sentence and as data. `claim` is absent if a check, not a claim, is at fault. */
export interface ClaimProblem {
  readonly kind: ClaimProblemKind;
  readonly claim?: string;
  readonly check?: string;
  readonly message: string;
}

/** Inputs of the comparison. */
export interface ClaimsContext {
  /** Every law and check that a claim may name. */
  readonly checks: Iterable<{ readonly id: string; readonly tier: Tier }>;
  /** Findings of the checks, by id. Left out: only the form of the ledger is checked, not its verdicts. */
  readonly findings?: ReadonlyMap<string, Finding>;
  /** Ids of all required claims. @defaultValue those of the ledger's own `rows` */
  readonly expectedIds?: Iterable<string>;
  /** Ids of checks written for this ledger alone; each must be named by a claim. @defaultValue none */
  readonly mustBeUsed?: Iterable<string>;
}

/** All problems of a ledger, in the order of its rows; empty for a correct ledger. */
export function checkClaims(
  ledger: ClaimsLedger,
  { checks, findings, expectedIds = idsOf(ledger), mustBeUsed = [] }: ClaimsContext,
): readonly ClaimProblem[] {
  const problems: ClaimProblem[] = [];
  const expected = new Set(expectedIds);
  const tiers = new Map<string, Tier>();
  for (const { id, tier } of checks) {
    if (tiers.has(id))
      problems.push({
        kind: 'duplicate-check',
        check: id,
        message: `two checks are named '${id}'; rename one`,
      });
    tiers.set(id, tier);
  }
  const seen = new Set<string>();
  const named = new Set<string>();
  const own = new Set(ledger.claims.filter(({ verdict }) => verdict !== 'repeats').map(({ id }) => id));
  for (const claim of ledger.claims) {
    if (seen.has(claim.id))
      problems.push({
        kind: 'duplicate',
        claim: claim.id,
        message: `the claim '${claim.id}' occurs twice; keep one`,
      });
    seen.add(claim.id);
    if (!expected.has(claim.id))
      problems.push({
        kind: 'unknown-row',
        claim: claim.id,
        message: `there is no row '${claim.id}' in the paper's table; correct the id, or 'rows'`,
      });
    if (claim.verdict === 'repeats' && !own.has(claim.of))
      problems.push({
        kind: 'repeats-nothing',
        claim: claim.id,
        message:
          `the claim '${claim.id}' repeats '${claim.of}', ` +
          'which is no row with a verdict of its own; name one that is',
      });
    for (const check of checksOf(claim)) named.add(check);
    problems.push(...problemsOf(claim, tiers, findings));
  }
  for (const id of expected)
    if (!seen.has(id))
      problems.push({
        kind: 'missing',
        claim: id,
        message: `the row '${id}' has no claim; add it, as "open" with a reason if it is undecided`,
      });
  for (const check of mustBeUsed)
    if (!named.has(check))
      problems.push({
        kind: 'unused-check',
        check,
        message: `no claim names the check '${check}'; name it where it belongs, or delete it`,
      });
  return problems;
}

/** The checks a claim names. */
export const checksOf = (claim: PaperClaim): readonly string[] =>
  [claim.check, 'counterexample' in claim ? claim.counterexample : undefined].filter(
    (check) => check !== undefined,
  );

function problemsOf(
  claim: PaperClaim,
  tiers: ReadonlyMap<string, Tier>,
  findings: ReadonlyMap<string, Finding> | undefined,
): readonly ClaimProblem[] {
  if (claim.verdict === 'repeats') return [];
  const problems: ClaimProblem[] = [];
  const add = (kind: ClaimProblemKind, check: string, message: string): void => {
    problems.push({ kind, claim: claim.id, check, message: `${claim.id} (${claim.item}): ${message}` });
  };
  for (const check of checksOf(claim)) {
    const tier = tiers.get(check);
    if (tier === undefined) {
      add('unknown-check', check, `there is no check '${check}'`);
      continue;
    }
    if (check === claim.check && claim.tier !== undefined && claim.tier !== tier)
      add('wrong-tier', check, `says tier '${claim.tier}', but the check '${check}' is '${tier}'`);
    if (findings === undefined || (claim.verdict === 'open' && check === claim.check)) continue;
    const finding = findings.get(check);
    const mustFail = claim.verdict === 'refuted' || check !== claim.check;
    if (finding === undefined || finding.verdict === 'skipped')
      add(
        'not-run',
        check,
        `is '${claim.verdict}', but the check '${check}' ` +
          `${finding === undefined ? 'was not run' : `was skipped: ${finding.why}`}`,
      );
    else if (!(finding.samples > 0) && finding.verdict === 'holds')
      add('not-run', check, `is '${claim.verdict}', but the check '${check}' has no samples`);
    else if (mustFail && finding.verdict === 'holds')
      add(
        'no-counterexample',
        check,
        `is '${claim.verdict}', but the check '${check}' finds no counterexample`,
      );
    else if (!mustFail && finding.verdict === 'fails')
      add(
        'check-fails',
        check,
        `is '${claim.verdict}', but the check '${check}' fails: ${finding.violation.what}`,
      );
  }
  return problems;
}
