import { InvalidParameter } from '@lethe/core';
import {
  checkClaims,
  claimSchema,
  environmentOf,
  expectedIds,
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
  type SubjectKind,
  type Tier,
} from '@lethe/laws';
import { loadPapers, shippedPapers, type Paper } from '../claims/load.js';
import { packageNames, shippedSubjects } from '../laws/subjects.js';
import { helpFlag, jsonFlag, type Command, type Context, type Parsed } from './command.js';
import { wrapped } from './wrapped.js';

const verdicts = claimSchema.options.map((option) => option.shape.verdict.value);

export const claimsCommand: Command = {
  options: {
    paper: { type: 'string', value: 'ID', help: 'only this paper' },
    verdict: { type: 'string', value: 'V', help: `only ${verdicts.join(', ')}` },
    checks: {
      type: 'string',
      value: 'FILE.js',
      multiple: true,
      help: 'code that exports the checks a given ledger names; left out: the ledger is read, nothing is run',
    },
    seed: { type: 'string', value: 'S', help: 'everything drawn follows from it' },
    json: jsonFlag,
    help: helpFlag,
  },
  async run(parsed, context) {
    const verdict = parsed.string('verdict');
    if (verdict !== undefined && !verdicts.some((known) => known === verdict))
      throw new InvalidParameter(`--verdict is '${verdict}'; it must be one of ${verdicts.join(', ')}`, {
        verdict,
      });
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
  },
};

async function chosenPapers(parsed: Parsed): Promise<readonly Paper[]> {
  if (parsed.positionals.length === 0 && parsed.strings('checks').length > 0)
    throw new InvalidParameter(
      '--checks is for the claims of a given ledger; give the ledger too, a claims.json',
      {},
    );
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

/** A table with how many rows the paper has, and how many of them were found to agree: `null` where nothing was run. */
interface Counted extends ClaimsTable {
  readonly expected: number;
  readonly agree: number | null;
}

function counted(table: ClaimsTable, { ledger }: Paper): Counted {
  const expected = expectedIds(ledger);
  const states = new Map(table.rows.map(({ claim, state }) => [claim.id, state]));
  const wasRun = table.rows.some(({ state }) => state !== 'not-run');
  return {
    ...table,
    expected: expected.length,
    agree: wasRun ? expected.filter((id) => states.get(id) === 'agrees').length : null,
  };
}

/** Rows as they are written, with what is wrong with them by themselves; whether the laws agree is another matter. */
function readTable({ ledger }: Paper): ClaimsTable {
  const problems = checkClaims(ledger, { checks: [] }).filter(
    ({ kind }: ClaimProblem) => kind !== 'unknown-check',
  );
  const counts = { holds: 0, corrected: 0, refuted: 0, open: 0 };
  for (const { verdict } of ledger.claims) counts[verdict]++;
  return {
    paper: ledger.paper,
    title: ledger.title,
    rows: ledger.claims.map((claim): ClaimRow => ({ claim, findings: {}, state: 'not-run' })),
    problems,
    counts,
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

/** What a law of plugins finds in everything that ships: the first failure, or how much was tried. */
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

const marks = { agrees: '✓', disagrees: '✗', 'not-run': '·' } as const;

/** `saysWhat`: with what is wrong in the paper, and what is right instead. */
function print(
  { paper, title, rows, problems, counts, expected, agree }: Counted,
  { isFiltered, saysWhat }: { readonly isFiltered: boolean; readonly saysWhat: boolean },
  { out }: Context,
): void {
  out(`${title} (${paper})\n`);
  const width = Math.max(0, ...rows.map(({ claim }) => claim.id.length));
  const items = Math.max(0, ...rows.map(({ claim }) => claim.item.length));
  for (const { claim, state } of rows) {
    out(
      `${marks[state]} ${claim.id.padEnd(width)}  ${claim.item.padEnd(items)}  ${claim.verdict.padEnd(9)}  ${checksOf(claim).join(', ') || (claim.verdict === 'open' ? claim.reason : '')}\n`,
    );
    if (!saysWhat || (claim.verdict !== 'corrected' && claim.verdict !== 'refuted')) continue;
    out(wrapped('    paper     ', claim.statement));
    if (claim.verdict === 'corrected') out(wrapped('    corrected ', claim.correction));
    else if (claim.note !== undefined) out(wrapped('    refuted   ', claim.note));
  }
  const listed = Object.values(counts).reduce((sum, count) => sum + count, 0);
  out(
    `${isFiltered ? `${rows.length} shown; ` : ''}${agree === null ? `${listed} of ${expected} listed` : `${agree} of ${expected} agree`}: ${Object.entries(
      counts,
    )
      .map(([verdict, count]) => `${count} ${verdict}`)
      .join(
        ', ',
      )}; ${problems.length} problem${problems.length === 1 ? '' : 's'}${agree === null ? '; nothing was run: --checks gives the code that decides' : ''}\n`,
  );
  for (const { message } of problems) out(`  ${message}\n`);
}
