import { InvalidParameter } from '@lethe/core';
import {
  checkClaims,
  countClaims,
  environmentOf,
  expectedGroups,
  lawSets,
  checksOf,
  runClaims,
  runLaws,
  shown,
  type ClaimProblem,
  type ClaimRow,
  type ClaimsTable,
  type Finding,
  type Law,
  type PaperClaim,
  type SubjectKind,
  type Tier,
} from '@lethe/laws';
import { loadPapers, shippedPapers, type Paper } from '../claims/load.js';
import { packageNames } from '../laws/package-names.js';
import { shippedSubjects } from '../laws/subjects.js';
import { nounFor } from '../report/format.js';
import type { Action, Context, Parsed } from './command.js';
import { wrapped } from './wrapped.js';

export const checkPapers: Action = async (parsed, context) => {
  const verdict = parsed.string('verdict');
  const chosen = await chosenPapers(parsed);
  const code = parsed.strings('checks').length > 0 || parsed.positionals.length === 0;
  const tables: Counted[] = [];
  for (const paper of chosen)
    tables.push(counted(code ? await runTable(paper, parsed.string('seed')) : readTable(paper), paper));
  const wanted = tables.map((table) => ({
    ...table,
    rows: table.rows.filter(({ claim }) => verdict === undefined || claim.verdict === verdict),
  }));
  if (parsed.flag('json')) context.out(`${shown(wanted, Infinity)}\n`);
  else
    for (const table of wanted)
      print(
        table,
        {
          isFiltered: verdict !== undefined,
          saysWhat: verdict !== undefined || parsed.string('paper') !== undefined,
        },
        context,
      );
  return tables.some(({ problems }) => problems.length > 0) ? 1 : 0;
};

async function chosenPapers(parsed: Parsed): Promise<readonly Paper[]> {
  const known =
    parsed.positionals.length === 0
      ? await shippedPapers()
      : await loadPapers(parsed.positionals, parsed.strings('checks'));
  const id = parsed.string('paper');
  const chosen = known.filter(({ names }) => id === undefined || names.includes(id));
  if (chosen.length > 0) return chosen;
  throw new InvalidParameter(
    `there is no ledger of '${id}'; there are ${known.map(({ names }) => names[0]).join(', ')}`,
    { paper: id ?? null },
  );
}

/**
 * How many rows are required, those that repeat another left out, and how many of them are decided, by a
 * verdict that its checks bear out: `null` where nothing was run.
 */
interface Share {
  readonly expected: number;
  readonly decided: number | null;
}

/** A table with how much of it is decided: all of it, and each group of its rows where there are groups. */
interface Counted extends ClaimsTable, Share {
  readonly groups: readonly (Share & { readonly of: string })[];
}

function counted(table: ClaimsTable, { ledger }: Paper): Counted {
  const repeated = new Set(ledger.claims.filter(({ verdict }) => verdict === 'repeats').map(({ id }) => id));
  const borneOut = new Set(
    table.rows
      .filter(({ claim, state }) => state === 'agrees' && claim.verdict !== 'open')
      .map(({ claim }) => claim.id),
  );
  const wasRun = table.rows.some(({ state }) => state !== 'not-run');
  const shareOf = (ids: readonly string[]): Share => {
    const expected = ids.filter((id) => !repeated.has(id));
    return {
      expected: expected.length,
      decided: wasRun ? expected.filter((id) => borneOut.has(id)).length : null,
    };
  };
  const groups = expectedGroups(ledger);
  return {
    ...table,
    ...shareOf(groups.flatMap(({ ids }) => ids)),
    groups: groups.filter(({ of }) => of !== '').map(({ of, ids }) => ({ of, ...shareOf(ids) })),
  };
}

/** Rows of a ledger with its formal mistakes, without running checks. */
function readTable({ ledger }: Paper): ClaimsTable {
  const problems = checkClaims(ledger, { checks: [] }).filter(
    ({ kind }: ClaimProblem) => kind !== 'unknown-check',
  );
  return {
    paper: ledger.paper,
    title: ledger.title,
    rows: ledger.claims.map((claim): ClaimRow => ({ claim, findings: {}, state: 'not-run' })),
    problems,
    counts: countClaims(ledger),
  };
}

async function runTable({ ledger, checks }: Paper, seed: string | undefined): Promise<ClaimsTable> {
  const options = seed === undefined ? {} : { seed };
  const named = new Set(ledger.claims.flatMap(checksOf));
  const others: { id: string; tier: Tier; finding: Finding }[] = [];
  for (const law of Object.values(lawSets).flatMap((set) => set as readonly Law[])) {
    if (named.has(law.id))
      others.push({ id: law.id, tier: law.tier, finding: await findingOf(law, options) });
  }
  return runClaims({ ledger, checks, others, environment: ({ id }) => environmentOf({ law: id }, options) });
}

/** Runs a law on everything that ships: the first failure, or the number of samples. */
async function findingOf(law: Law, options: { readonly seed?: string }): Promise<Finding> {
  let samples = 0;
  for (const subject of packageNames.flatMap(shippedSubjects).filter(({ kind }) => kind === law.kind)) {
    for (const { finding } of await runLaws<SubjectKind>([law], subject, { ...options, tiers: [law.tier] })) {
      if (finding.verdict === 'fails') return finding;
      samples += finding.samples;
    }
  }
  return { verdict: 'holds', samples };
}

/** Verdicts that read otherwise of more than one row. */
const plurals: Readonly<Record<string, string | undefined>> = { holds: 'hold', typo: 'typos' };
const marks = { agrees: '✓', disagrees: '✗', 'not-run': '·' } as const;

/** The checks of a claim, or why it has none. */
function decidedBy(claim: PaperClaim): string {
  if (claim.verdict === 'repeats') return claim.of;
  const checks = checksOf(claim).join(', ') || (claim.verdict === 'open' ? claim.reason : '');
  return claim.paperOnly === true ? `${checks} (paper-only)` : checks;
}

/** What the paper says, and what is right, of a claim that is not right as printed. */
function explained(claim: PaperClaim): readonly string[] {
  const statement = wrapped('    paper     ', claim.statement);
  switch (claim.verdict) {
    case 'corrected':
      return [statement, wrapped('    corrected ', claim.correction)];
    case 'typo':
      return [statement, wrapped('    meant     ', claim.correction)];
    case 'refuted':
      return claim.note === undefined ? [statement] : [statement, wrapped('    refuted   ', claim.note)];
    default:
      return [];
  }
}

/** `saysWhat`: with what is wrong in the paper, and what is right instead. */
function print(
  { paper, title, rows, problems, counts, expected, decided, groups }: Counted,
  { isFiltered, saysWhat }: { readonly isFiltered: boolean; readonly saysWhat: boolean },
  { out }: Context,
): void {
  out(`${title} (${paper})\n`);
  const width = Math.max(0, ...rows.map(({ claim }) => claim.id.length));
  const items = Math.max(0, ...rows.map(({ claim }) => claim.item.length));
  for (const { claim, state } of rows) {
    out(
      `${marks[state]} ${claim.id.padEnd(width)}  ${claim.item.padEnd(items)}  ` +
        `${claim.verdict.padEnd(9)}  ${decidedBy(claim)}\n`,
    );
    if (saysWhat) for (const line of explained(claim)) out(line);
  }
  if (groups.length > 0)
    out(
      `${groups
        .map((group) =>
          decided === null
            ? `${group.expected} ${group.of}`
            : `${group.decided} of ${group.expected} ${group.of}`,
        )
        .join(', ')}\n`,
    );
  const listed = Object.values(counts.verdicts).reduce((sum, count) => sum + count, 0);
  out(
    `${[
      ...(isFiltered ? [`${rows.length} shown`] : []),
      `${decided === null ? `${listed} of ${expected} listed` : `${decided} of ${expected} decided`}: ${Object.entries(
        counts.verdicts,
      )
        .filter(([, count]) => count > 0)
        .map(([verdict, count]) => `${count} ${count === 1 ? verdict : (plurals[verdict] ?? verdict)}`)
        .join(', ')}`,
      `${counts.paperOnly} paper-only`,
      ...(counts.repeats === 0
        ? []
        : [`${counts.repeats} more repeat${counts.repeats === 1 ? 's' : ''} another`]),
      `${problems.length} ${nounFor(problems.length, 'problem')}`,
      ...(decided === null ? ['nothing was run: --checks gives the code that decides'] : []),
    ].join('; ')}\n`,
  );
  for (const { message } of problems) out(`  ${message}\n`);
}
