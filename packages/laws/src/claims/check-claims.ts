import type { Finding } from '../law/finding.js';
import type { Tier } from '../law/law.js';
import type { ClaimsLedger, PaperClaim } from './ledger.js';
import { expectedIds as idsOf } from './ledger.js';

/** What is wrong with a ledger. */
export type ClaimProblemKind =
  | 'duplicate' | 'missing' | 'unknown-row' | 'unknown-law' | 'wrong-tier' | 'not-run' | 'law-fails' | 'no-counterexample' | 'duplicate-law' | 'unused-law';

/** One thing that is wrong, as a sentence and as data. `claim` is absent where a law, not a claim, is at fault. */
export interface ClaimProblem { readonly kind: ClaimProblemKind; readonly claim?: string; readonly law?: string; readonly message: string }

/** What a ledger is held against. */
export interface ClaimsContext {
  /** Every law and check that a claim may name. */
  readonly laws: Iterable<{ readonly id: string; readonly tier: Tier }>;
  /** What they found, by id. Left out: only what the ledger says is checked, not whether it is so. */
  readonly findings?: ReadonlyMap<string, Finding>;
  /** Ids of all claims that must be there. @defaultValue those of the ledger's own `rows` */
  readonly expectedIds?: Iterable<string>;
  /** Ids of laws written for this ledger alone, each of which a claim must name. @defaultValue none */
  readonly mustBeUsed?: Iterable<string>;
}

/** Everything that is wrong with a ledger, in the order of its rows; empty when all is well. */
export function checkClaims(ledger: ClaimsLedger, { laws, findings, expectedIds = idsOf(ledger), mustBeUsed = [] }: ClaimsContext): readonly ClaimProblem[] {
  const problems: ClaimProblem[] = [];
  const expected = new Set(expectedIds);
  const tiers = new Map<string, Tier>();
  for (const { id, tier } of laws) {
    if (tiers.has(id)) problems.push({ kind: 'duplicate-law', law: id, message: `two laws are named '${id}'; rename one` });
    tiers.set(id, tier);
  }
  const seen = new Set<string>();
  const named = new Set<string>();
  for (const claim of ledger.claims) {
    if (seen.has(claim.id)) problems.push({ kind: 'duplicate', claim: claim.id, message: `the claim '${claim.id}' is there twice; keep one` });
    seen.add(claim.id);
    if (!expected.has(claim.id)) problems.push({ kind: 'unknown-row', claim: claim.id, message: `there is no row '${claim.id}' in the paper's table; correct the id, or 'rows'` });
    for (const law of lawsOf(claim)) named.add(law);
    problems.push(...problemsOf(claim, tiers, findings));
  }
  for (const id of expected) if (!seen.has(id)) problems.push({ kind: 'missing', claim: id, message: `the row '${id}' has no claim; add it, as "open" with a reason if nothing is known yet` });
  for (const law of mustBeUsed) if (!named.has(law)) problems.push({ kind: 'unused-law', law, message: `no claim names the law '${law}'; name it where it belongs, or delete it` });
  return problems;
}

/** The laws a claim names. */
export const lawsOf = (claim: PaperClaim): readonly string[] =>
  [claim.law, claim.verdict === 'corrected' ? claim.counterexample : undefined].filter((law) => law !== undefined);

function problemsOf(claim: PaperClaim, tiers: ReadonlyMap<string, Tier>, findings: ReadonlyMap<string, Finding> | undefined): readonly ClaimProblem[] {
  const problems: ClaimProblem[] = [];
  const add = (kind: ClaimProblemKind, law: string, message: string): void => { problems.push({ kind, claim: claim.id, law, message: `${claim.id} (${claim.item}): ${message}` }); };
  for (const law of lawsOf(claim)) {
    const tier = tiers.get(law);
    if (tier === undefined) { add('unknown-law', law, `there is no law '${law}'`); continue; }
    if (law === claim.law && claim.tier !== undefined && claim.tier !== tier) add('wrong-tier', law, `says tier '${claim.tier}', but the law '${law}' is '${tier}'`);
    if (findings === undefined || claim.verdict === 'open') continue;
    const finding = findings.get(law);
    const mustFail = claim.verdict === 'refuted' || law !== claim.law;
    if (finding === undefined || finding.verdict === 'skipped') add('not-run', law, `is '${claim.verdict}', but the law '${law}' ${finding === undefined ? 'was not run' : `was skipped: ${finding.why}`}`);
    else if (!(finding.samples > 0) && finding.verdict === 'holds') add('not-run', law, `is '${claim.verdict}', but the law '${law}' looked at nothing`);
    else if (mustFail && finding.verdict === 'holds') add('no-counterexample', law, `is '${claim.verdict}', but the law '${law}' finds no counterexample`);
    else if (!mustFail && finding.verdict === 'fails') add('law-fails', law, `is '${claim.verdict}', but the law '${law}' fails: ${finding.violation.what}`);
  }
  return problems;
}
