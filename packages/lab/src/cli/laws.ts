import { InvalidParameter } from '@lethe/core';
import {
  accountFor,
  failureText,
  falseAlarmProbability,
  lawSets,
  lawsFor,
  linesPace,
  planChecks,
  runCheck,
  shown,
  slowProgress,
  totalAlpha,
  type Law,
  type LawReport,
  type RunOptions,
  type Subject,
  type SubjectKind,
  type Finding,
} from '@lethe/laws';
import { packageNames } from '../laws/package-names.js';
import { shippedSubjects, subjectsIn } from '../laws/subjects.js';
import type { Action, Context, Parsed } from './command.js';
import { subjectKinds, tiers } from './commands/choices.js';
import { jsonOption } from './json-option.js';
import { chosen } from './parsed.js';
import { rewrittenLine } from './rewritten-line.js';

/** Results of the laws of one subject. */
interface Outcome {
  readonly subject: Subject;
  readonly reports: readonly LawReport[];
  readonly untested: readonly string[];
  readonly unclaimed: readonly string[];
}

export const checkLaws: Action = async (parsed, context) => {
  const kind = chosen(parsed, 'kind', subjectKinds);
  if (parsed.flag('power')) return listPower(kind, parsed.flag('json'), context);
  const options = optionsOf(parsed);
  const example = exampleOf(parsed);
  const subjects = (await subjectsOfCommand(parsed)).filter(
    (subject) =>
      (kind === undefined || subject.kind === kind) &&
      (example === undefined || exampleNumber(subject) === example),
  );
  const json = parsed.flag('json');
  const outcomes: Outcome[] = [];
  for (const subject of subjects) {
    const outcome = await runAll(
      subject,
      options,
      (report) => {
        if (!json) context.out(lineOf(report));
      },
      json ? silent : running(context),
      context.signal,
    );
    if (outcome.reports.length === 0) continue;
    outcomes.push(outcome);
    if (!json) context.out(brokenOf(outcome, parsed) + accountOf(outcome));
  }
  const reports = outcomes.flatMap((outcome) => outcome.reports);
  if (reports.length === 0)
    throw new InvalidParameter(
      'no law applies to these plugins with these options; ' +
        'leave out --law, --kind, --tier, --cell or --example',
      {},
    );
  const totals = totalsOf(reports);
  context.out(
    json
      ? `${jsonText(outcomes, totals, parsed)}\n`
      : `\n${totals.checks} checks: ${totals.held} hold, ${totals.failed} broken, ` +
          `${totals.skipped} not applicable; ${totals.samples} inputs and ` +
          `draws.\nProbability of any false alarm: at most ` +
          `${Number(totals.falseAlarm.toPrecision(3))} (allowed in one run: ` +
          `${totalAlpha}).\n`,
  );
  return totals.failed > 0 ? 1 : 0;
};

/** Number of the example that a subject is made of; 1 for a plugin with one. */
const exampleNumber = ({ name }: Subject): number => Number(/ #(\d+)$/u.exec(name)?.[1] ?? 1);

function exampleOf(parsed: Parsed): number | undefined {
  const example = parsed.number('example');
  if (example !== undefined && !(Number.isInteger(example) && example >= 1))
    throw new InvalidParameter(`--example is ${example}; it must be a whole number from 1`, { example });
  return example;
}

/** Says what is running, and how far it is. */
interface Running {
  /** What is told of the progress of this check. */
  start(title: string): NonNullable<RunOptions['progress']>;
  end(): void;
}
const silent: Running = { start: () => () => {}, end: () => {} };

/** On a terminal a line that is written over, with progress after two seconds; else lines, of slow checks. */
function running({ rewrite, error }: Context): Running {
  const line = rewrittenLine(rewrite);
  return {
    start(title) {
      line.show(`running ${title}`);
      return line.isShown
        ? slowProgress((far) => line.show(`running ${title}: ${far}`), { first: 2000, every: 200 })
        : slowProgress((far) => error(`running ${title}: ${far}\n`), linesPace);
    },
    end: () => line.clear(),
  };
}

function optionsOf(parsed: Parsed): RunOptions {
  const given = parsed.strings('tier');
  const effort = parsed.number('effort');
  const seed = parsed.string('seed');
  const only = parsed.strings('law');
  const cell = parsed.string('cell');
  if (effort !== undefined && !(effort > 0 && Number.isFinite(effort)))
    throw new InvalidParameter(`--effort is ${effort}; it must be positive and finite`, { effort });
  const ids = new Set<string>(
    Object.values(lawSets).flatMap((laws) => (laws as readonly Law[]).map(({ id }) => id)),
  );
  const missing = only.find((id) => !ids.has(id));
  if (missing !== undefined)
    throw new InvalidParameter(`there is no law '${missing}'; \`lethe laws --power\` lists them`, {
      law: missing,
    });
  return {
    ...(given.length === 0 ? {} : { tiers: tiers.filter((tier) => given.includes(tier)) }),
    ...(effort === undefined ? {} : { effort }),
    ...(seed === undefined ? {} : { seed }),
    ...(only.length === 0 ? {} : { only }),
    ...(cell === undefined ? {} : { cell }),
  };
}

function subjectsOfCommand(parsed: Parsed): Promise<readonly Subject[]> | readonly Subject[] {
  const given = parsed.strings('plugin');
  const tried = parsed.positionals.length > 0 ? parsed.positionals : given;
  if (tried.length > 0)
    return subjectsIn(tried, {
      beside: tried === given ? [] : given,
      params: jsonOption(parsed, 'params'),
    });
  const name = chosen(parsed, 'package', packageNames);
  return name === undefined ? packageNames.flatMap(shippedSubjects) : shippedSubjects(name);
}

async function runAll(
  subject: Subject,
  options: RunOptions,
  onReport: (report: LawReport) => void,
  { start, end }: Running,
  signal: AbortSignal,
): Promise<Outcome> {
  const laws = lawsFor(subject.kind) as readonly Law<SubjectKind>[];
  const reports: LawReport[] = [];
  for (const check of planChecks(laws, subject, options)) {
    signal.throwIfAborted();
    const report = await runCheck(check, { ...options, progress: start(check.title) });
    end();
    reports.push(report);
    onReport(report);
  }
  const { untested, unclaimed } = accountFor(laws, subject);
  return { subject, reports, untested, unclaimed };
}

/** Why a law did not apply, or could not have failed where it made a test. */
function reasonOf(finding: Finding): string {
  if (finding.verdict === 'skipped') return ` (not applicable: ${finding.why})`;
  return finding.verdict === 'holds' && finding.blind !== undefined && finding.blind.asked > 0
    ? ` (could not have failed: ${finding.blind.why})`
    : '';
}

const marks = { holds: '✓', fails: '✗', skipped: '–' } as const;

function lineOf({ finding, law, subject, cell }: LawReport): string {
  const title = [law, subject, cell].filter((part) => part !== '').join(' › ');
  return `${marks[finding.verdict]} ${title}${reasonOf(finding)}\n`;
}

/** What is broken, causes before their consequences: laws of a kind are listed in that order. */
function brokenOf({ subject, reports }: Outcome, parsed: Parsed): string {
  const order = (lawsFor(subject.kind) as readonly Law[]).map(({ id }): string => id);
  const broken = reports
    .filter(({ finding }) => finding.verdict === 'fails')
    .toSorted((a, b) => order.indexOf(a.law) - order.indexOf(b.law));
  const ids = [...new Set(broken.map(({ law }) => law))];
  // What several laws say in the same words has one cause, and is said once.
  const causes = new Map<string, LawReport[]>();
  for (const report of broken) {
    const { finding } = report;
    const what = finding.verdict === 'fails' ? finding.violation.what : '';
    causes.set(what, [...(causes.get(what) ?? []), report]);
  }
  const texts = [...causes.values()].map(([first, ...others]) => {
    const more = [...new Set(others.map(({ law, cell }) => (cell === '' ? law : `${law} (${cell})`)))];
    return (
      `\n${failureText(first, replayOf(parsed, first, subject))}\n` +
      (more.length === 0 ? '' : `  also       ${more.join(', ')}: for the same reason\n`)
    );
  });
  return ids.length < 2
    ? texts.join('')
    : `\n${subject.kind} ${subject.name}: ${ids.length} laws are broken: ${ids.join(', ')}; ` +
        `begin with the first, others may follow from it\n${texts.join('')}`;
}

function accountOf(outcome: Outcome): string {
  const { subject, untested, unclaimed } = outcome;
  const about = `  ${subject.kind} ${subject.name}: `;
  return (
    about +
    (untested.length === 0 ? 'every claim has a law' : `claims without a law: ${untested.join(', ')}`) +
    `\n` +
    (unclaimed.length === 0
      ? ''
      : `${about}laws it does not claim, demanded by its kind: ${unclaimed.join(', ')}\n`)
  );
}

/** The command that reproduces a failure. */
function replayOf(parsed: Parsed, { law, seed, cell }: LawReport, subject: Subject): string {
  const quoted = (text: string): string =>
    /^[\w./:@=-]+$/u.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
  const given = (['package', 'params', 'effort', 'plugin'] as const).flatMap((name) =>
    parsed.strings(name).flatMap((value) => [`--${name}`, quoted(value)]),
  );
  return [
    'npx lethe laws',
    ...parsed.positionals.map(quoted),
    ...given,
    '--law',
    law,
    ...(cell === '' ? [] : ['--cell', quoted(cell)]),
    ...(/ #\d+$/u.test(subject.name) ? ['--example', String(exampleNumber(subject))] : []),
    '--seed',
    quoted(seed),
  ].join(' ');
}

interface Totals {
  readonly checks: number;
  readonly held: number;
  readonly failed: number;
  readonly skipped: number;
  readonly samples: number;
  readonly falseAlarm: number;
}

function totalsOf(reports: readonly LawReport[]): Totals {
  const count = (verdict: LawReport['finding']['verdict']): number =>
    reports.filter(({ finding }) => finding.verdict === verdict).length;
  const ran = reports.filter(({ finding }) => finding.verdict !== 'skipped');
  return {
    checks: reports.length,
    held: count('holds'),
    failed: count('fails'),
    skipped: count('skipped'),
    samples: ran.reduce((sum, { finding }) => sum + finding.samples, 0),
    falseAlarm: falseAlarmProbability(ran),
  };
}

function jsonText(outcomes: readonly Outcome[], totals: Totals, parsed: Parsed): string {
  const reports = outcomes.flatMap((outcome) =>
    outcome.reports.map((report) =>
      report.finding.verdict === 'fails'
        ? { ...report, replay: replayOf(parsed, report, outcome.subject) }
        : report,
    ),
  );
  const accounts = outcomes.map(({ subject: { kind, name }, untested, unclaimed }) => ({
    kind,
    name,
    untested,
    unclaimed,
  }));
  return shown({ totals: { ...totals, allowedFalseAlarm: totalAlpha }, accounts, reports }, Infinity);
}

function listPower(kind: SubjectKind | undefined, json: boolean, { out }: Context): number {
  const laws = Object.values(lawSets)
    .flatMap((set) => set as readonly Law[])
    .filter((law) => kind === undefined || law.kind === kind);
  if (json)
    out(
      `${JSON.stringify(
        laws.map(({ id, tier, statement, power, invariant }) => ({
          id,
          tier,
          statement,
          power,
          ...(invariant === undefined ? {} : { invariant }),
        })),
        null,
        2,
      )}\n`,
    );
  else {
    const width = Math.max(...laws.map(({ id }) => id.length));
    for (const { id, tier, power } of laws) out(`${id.padEnd(width)}  ${tier.padEnd(11)}  ${power}\n`);
  }
  return 0;
}
