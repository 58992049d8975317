import { defined } from '@lethe/numerics';
import { type Finding, fails } from '../law/finding.js';
import type { LawEnv } from '../law/law.js';
import { checkClaims, type ClaimProblem, type ClaimsContext, checksOf } from './check-claims.js';
import type { ClaimCheck } from './claim-check.js';
import { countClaims, type ClaimCounts, type ClaimsLedger, type PaperClaim } from './ledger.js';

/** Whether the findings agree with the verdict; `not-run` if a check was left out. */
export type ClaimState = 'agrees' | 'disagrees' | 'not-run';

/** One line of the table: a claim and the findings of its checks. */
export interface ClaimRow {
  readonly claim: PaperClaim;
  /** By check, in the order of the claim; without checks that were not run. */
  readonly findings: Readonly<Record<string, Finding>>;
  readonly state: ClaimState;
}

/** Result of running a ledger: plain data, for printing or JSON. */
export interface ClaimsTable {
  readonly paper: string;
  readonly title: string;
  readonly rows: readonly ClaimRow[];
  readonly problems: readonly ClaimProblem[];
  readonly counts: ClaimCounts;
}

/** Options for running a ledger. */
export interface RunClaims {
  readonly ledger: ClaimsLedger;
  /** The checks of the paper's folder; each must be named by a claim. */
  readonly checks: readonly ClaimCheck[];
  /** The environment of a check, seeded by its id. */
  readonly environment: (check: ClaimCheck) => LawEnv;
  /** Laws of plugins that claims may name, with their findings if they have been run. */
  readonly others?: readonly {
    readonly id: string;
    readonly tier: ClaimCheck['tier'];
    readonly finding?: Finding;
  }[];
  /** Which checks to run. @defaultValue all */
  readonly only?: (check: ClaimCheck) => boolean;
  readonly expectedIds?: ClaimsContext['expectedIds'];
}

/**
 * Runs the checks of a ledger, one after the other, and compares their
 * findings with its verdicts. A check that throws counts as failed.
 *
 * @returns Rows in the order of the ledger. A refuted claim whose
 * check threw disagrees: an error is no counterexample.
 */
export async function runClaims({
  ledger,
  checks,
  environment,
  others = [],
  only = () => true,
  expectedIds,
}: RunClaims): Promise<ClaimsTable> {
  const findings = new Map<string, Finding>();
  const crashed: ClaimProblem[] = [];
  for (const { id, finding } of others) if (finding !== undefined) findings.set(id, finding);
  for (const check of checks.filter(only)) {
    try {
      findings.set(check.id, await check.run(environment(check)));
    } catch (error) {
      const what = `the check threw: ${error instanceof Error ? error.message : String(error)}`;
      findings.set(check.id, fails(0, { what, cause: error }));
      crashed.push({ kind: 'not-run', check: check.id, message: `'${check.id}': ${what}` });
    }
  }
  const left = new Set(checks.filter((check) => !only(check)).map(({ id }) => id));
  const problems = [
    ...checkClaims(ledger, {
      checks: [...checks, ...others],
      findings,
      mustBeUsed: checks.map(({ id }) => id),
      ...(expectedIds === undefined ? {} : { expectedIds }),
    }).filter(({ kind, check }) => !(kind === 'not-run' && check !== undefined && left.has(check))),
    ...crashed,
  ];
  const faulty = new Set(problems.map(({ claim }) => claim));
  const broken = new Set(crashed.map(({ check }) => check));
  const decided = (claim: PaperClaim): ClaimState => {
    if (faulty.has(claim.id) || checksOf(claim).some((check) => broken.has(check))) return 'disagrees';
    return checksOf(claim).some((check) => left.has(check)) ? 'not-run' : 'agrees';
  };
  const byId = new Map(ledger.claims.map((claim) => [claim.id, claim]));
  const rows = ledger.claims.map((claim): ClaimRow => {
    const decisive = claim.verdict === 'repeats' && !faulty.has(claim.id) ? byId.get(claim.of) : claim;
    return {
      claim,
      findings: Object.fromEntries(
        checksOf(claim).flatMap((id) => (findings.has(id) ? [[id, defined(findings.get(id))]] : [])),
      ),
      state: decided(decisive ?? claim),
    };
  });
  return { paper: ledger.paper, title: ledger.title, rows, problems, counts: countClaims(ledger) };
}
