import { InvalidParameter } from '@lethe/core';
import {
  accountFor,
  defaultSeed,
  failureText,
  falseAlarmProbability,
  lawSets,
  lawsFor,
  planChecks,
  runCheck,
  shown,
  totalAlpha,
  type Law,
  type LawReport,
  type RunOptions,
  type Subject,
  type SubjectKind,
  type Tier,
} from '@lethe/laws';
import { packageNames, shippedSubjects, subjectsIn } from '../laws/subjects.js';
import { pluginFlag } from '../plugins/option.js';
import { helpFlag, jsonFlag, jsonOption, type Command, type Context, type Parsed } from './command.js';

const tiers: readonly Tier[] = ['exact', 'search', 'statistical', 'nightly'];

/** One subject with all that came of its laws. */
interface Outcome {
  readonly subject: Subject;
  readonly reports: readonly LawReport[];
  readonly untested: readonly string[];
  readonly unclaimed: readonly string[];
}

export const lawsCommand: Command = {
  options: {
    package: {
      type: 'string',
      value: 'NAME',
      help: `what ships in one of ${packageNames.join(', ')}; left out without files: all`,
    },
    kind: { type: 'string', value: 'KIND', help: `only one of ${Object.keys(lawSets).join(', ')}` },
    law: {
      type: 'string',
      value: 'ID',
      multiple: true,
      help: 'only this law, such as clip/bounded-norm; may be repeated',
    },
    params: { type: 'string', value: 'JSON', help: 'parameters at which the plugin of a file is tried' },
    tier: {
      type: 'string',
      value: 'TIER',
      multiple: true,
      help: `only ${tiers.join(', ')}; left out: all but nightly`,
    },
    seed: { type: 'string', value: 'S', help: `everything drawn follows from it (${defaultSeed})` },
    effort: { type: 'string', value: 'X', help: 'factor on inputs tried and draws (1)' },
    power: { type: 'boolean', help: 'runs nothing: lists the laws with the smallest violation each finds' },
    plugin: { ...pluginFlag, help: `${pluginFlag.help}; without files, its plugins are tried` },
    json: jsonFlag,
    help: helpFlag,
  },
  async run(parsed, context) {
    const kind = kindOf(parsed);
    if (parsed.flag('power')) return listPower(kind, parsed.flag('json'), context);
    const options = optionsOf(parsed);
    const subjects = (await subjectsOfCommand(parsed)).filter(
      (subject) => kind === undefined || subject.kind === kind,
    );
    const json = parsed.flag('json');
    const outcomes: Outcome[] = [];
    for (const subject of subjects) {
      const outcome = await runAll(
        subject,
        options,
        (report) => {
          if (!json) context.out(lineOf(report, replayOf(parsed, report)));
        },
        context.signal,
      );
      if (outcome.reports.length === 0) continue;
      outcomes.push(outcome);
      if (!json) context.out(accountOf(outcome));
    }
    const reports = outcomes.flatMap((outcome) => outcome.reports);
    if (reports.length === 0)
      throw new InvalidParameter(
        'no law speaks of these plugins with these options; leave out --law, --kind or --tier',
        {},
      );
    const totals = totalsOf(reports);
    context.out(
      json
        ? `${jsonText(outcomes, totals, parsed)}\n`
        : `\n${totals.checks} checks: ${totals.held} hold, ${totals.failed} broken, ${totals.skipped} not applicable; ${totals.samples} inputs and draws.\nProbability of any false alarm: at most ${Number(totals.falseAlarm.toPrecision(3))} (allowed in one run: ${totalAlpha}).\n`,
    );
    return totals.failed > 0 ? 1 : 0;
  },
};

function kindOf(parsed: Parsed): SubjectKind | undefined {
  const kind = parsed.string('kind');
  if (kind !== undefined && !Object.hasOwn(lawSets, kind))
    throw new InvalidParameter(`--kind is '${kind}'; there are laws for ${Object.keys(lawSets).join(', ')}`, {
      kind,
    });
  return kind as SubjectKind | undefined;
}

function optionsOf(parsed: Parsed): RunOptions {
  const chosen = parsed.strings('tier');
  const effort = parsed.number('effort');
  const seed = parsed.string('seed');
  const only = parsed.strings('law');
  const unknown = chosen.find((tier) => !tiers.some((known) => known === tier));
  if (unknown !== undefined)
    throw new InvalidParameter(`--tier is '${unknown}'; it must be one of ${tiers.join(', ')}`, {
      tier: unknown,
    });
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
    ...(chosen.length === 0 ? {} : { tiers: chosen as readonly Tier[] }),
    ...(effort === undefined ? {} : { effort }),
    ...(seed === undefined ? {} : { seed }),
    ...(only.length === 0 ? {} : { only }),
  };
}

function subjectsOfCommand(parsed: Parsed): Promise<readonly Subject[]> | readonly Subject[] {
  const name = parsed.string('package');
  const params = jsonOption(parsed, 'params');
  const given = parsed.strings('plugin');
  const tried = parsed.positionals.length > 0 ? parsed.positionals : given;
  if (tried.length > 0) {
    if (name !== undefined) throw new InvalidParameter('give plugin files or --package, not both', {});
    return subjectsIn(tried, { beside: tried === given ? [] : given, params });
  }
  if (params !== undefined)
    throw new InvalidParameter('--params is for the plugin of a file; give the file', {});
  return name === undefined ? packageNames.flatMap(shippedSubjects) : shippedSubjects(name);
}

async function runAll(
  subject: Subject,
  options: RunOptions,
  onReport: (report: LawReport) => void,
  signal: AbortSignal,
): Promise<Outcome> {
  const laws = lawsFor(subject.kind) as readonly Law<SubjectKind>[];
  const reports: LawReport[] = [];
  for (const check of planChecks(laws, subject, options)) {
    signal.throwIfAborted();
    const report = await runCheck(check, options);
    reports.push(report);
    onReport(report);
  }
  const { untested, unclaimed } = accountFor(laws, subject);
  return { subject, reports, untested, unclaimed };
}

const marks = { holds: '✓', fails: '✗', skipped: '–' } as const;

function lineOf(report: LawReport, replay: string): string {
  const { finding, law, subject, cell } = report;
  const title = [law, subject, cell].filter((part) => part !== '').join(' › ');
  if (finding.verdict === 'fails') return `${marks.fails} ${title}\n\n${failureText(report, replay)}\n\n`;
  return `${marks[finding.verdict]} ${title}${finding.verdict === 'skipped' ? ` (not applicable: ${finding.why})` : ''}\n`;
}

function accountOf({ subject, untested, unclaimed }: Outcome): string {
  const about = `  ${subject.kind} ${subject.name}: `;
  return `${about}${untested.length === 0 ? 'every claim has a law' : `claims without a law: ${untested.join(', ')}`}\n${unclaimed.length === 0 ? '' : `${about}laws it does not claim, demanded by its kind: ${unclaimed.join(', ')}\n`}`;
}

/** One command that shows a failure again. */
function replayOf(parsed: Parsed, { law, seed }: LawReport): string {
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
      report.finding.verdict === 'fails' ? { ...report, replay: replayOf(parsed, report) } : report,
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
