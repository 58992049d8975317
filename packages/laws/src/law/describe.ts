import type { Registry } from '@lethe/core';
import { accountFor } from './account.js';
import type { Law } from './law.js';
import { lawsFor } from './laws-for.js';
import { subjectsOf, type PluginOrRef, type SubjectOptions } from './make-subject.js';
import { linesPace, slowProgress } from './progress.js';
import { failureText } from './report.js';
import type { Blindness } from './finding.js';
import {
  defaultAlpha,
  planChecks,
  runCheck,
  totalAlpha,
  type LawReport,
  type PlannedCheck,
  type RunOptions,
} from './run.js';
import type { Subject, SubjectKind } from './subject.js';

/** The functions of a test runner that laws use: vitest, jest, mocha and `node:test` have them. */
export interface Runner {
  /** Groups tests. */
  describe(name: string, body: () => void): unknown;
  /** Declares a test; `timeout` in milliseconds. */
  it(name: string, body: () => void | Promise<void>, timeout?: number): unknown;
  /**
   * Receives notes: checks left out, with the reason, how far a slow one is, and for each
   * subject the number of checks and the claims without a law.
   */
  note?(text: string): void;
}

/** Options of a suite. */
export interface SuiteOptions extends RunOptions, SubjectOptions {
  /** Additional laws, beside those of the kind. */
  readonly laws?: readonly Law[];
  /** Timeout of a test in milliseconds; the laws do not use a clock. @defaultValue 120 000 */
  readonly timeout?: number;
  /** The checks of a subject that are made, of all that apply; the others are noted. @defaultValue all */
  readonly choose?: (planned: readonly PlannedCheck[]) => readonly PlannedCheck[];
  /** Receives each check of a sampling law that held but could not have failed; it may throw. */
  readonly onBlind?: (report: LawReport, blind: Blindness) => void;
}

/**
 * Registers one test for each law in each cell of a plugin:
 * `describePluginLaws({ describe, it }, () => myClip({ radius: 1 }))`.
 *
 * @param make - The plugin, or a reference made by calling it.
 */
export function describePluginLaws(
  runner: Runner,
  make: () => PluginOrRef,
  options: SuiteOptions = {},
): void {
  for (const subject of subjectsOf(make(), options)) describeLaws(runner, subject, options);
}

/** {@link describePluginLaws} for every plugin of a registry. */
export function describeRegistryLaws(runner: Runner, registry: Registry, options: SuiteOptions = {}): void {
  for (const plugin of registry) describePluginLaws(runner, () => plugin, { registry, ...options });
}

/** One test for each law of any subject: a curator, a ledger, a store, a release, or a plugin. */
export function describeLaws(runner: Runner, subject: Subject, options: SuiteOptions = {}): void {
  const laws = [
    ...lawsFor(subject.kind),
    ...(options.laws ?? []).filter(({ kind }) => kind === subject.kind),
  ];
  const checks = planChecks(laws as readonly Law<SubjectKind>[], subject, options);
  const { untested } = accountFor(laws, subject);
  const title = `laws of ${subject.kind} ${subject.name}`;
  const planned = checks.filter(({ skipped }) => skipped === undefined);
  const tests = options.choose?.(planned) ?? planned;
  for (const check of checks)
    if (!tests.includes(check))
      runner.note?.(`${check.title}: not checked (${check.skipped ?? 'left to another run'})`);
  // A suite without a test is an error of most runners.
  if (tests.length > 0) {
    runner.describe(
      untested.length === 0 ? title : `${title}; claims without a law: ${untested.join(', ')}`,
      () => {
        for (const check of tests) bind(runner, check, options);
      },
    );
  }
  runner.note?.(`${title}: ${summaryOf(laws, subject, checks, tests, options)}`);
}

function bind(runner: Runner, check: PlannedCheck, options: SuiteOptions): void {
  const { timeout = 120_000 } = options;
  runner.it(
    check.title,
    async () => {
      const report = await runCheck(check, {
        ...options,
        progress:
          options.progress ?? slowProgress((far) => runner.note?.(`${check.title}: ${far}`), linesPace),
      });
      if (report.finding.verdict === 'skipped')
        runner.note?.(`${check.title}: not checked (${report.finding.why})`);
      if (report.finding.verdict === 'holds' && report.finding.blind !== undefined)
        options.onBlind?.(report, report.finding.blind);
      if (report.finding.verdict !== 'fails') return;
      throw new Error(failureText(report, `npx vitest run -t ${JSON.stringify(check.title)}`));
    },
    timeout,
  );
}

/** Numbers of checks, missing laws and claims, and the false-alarm probability of the suite. */
function summaryOf(
  laws: readonly Law[],
  subject: Subject,
  checks: readonly PlannedCheck[],
  tried: readonly PlannedCheck[],
  { alpha = defaultAlpha }: SuiteOptions,
): string {
  const { untested, unclaimed } = accountFor(laws, subject);
  const sampled = tried.filter(({ law }) => law.tier === 'statistical' || law.tier === 'nightly').length;
  return [
    `${tried.length} checks, ${checks.length - tried.length} not checked`,
    untested.length === 0 ? 'every claim has a law' : `claims without a law: ${untested.join(', ')}`,
    unclaimed.length === 0 ? 'every law has a claim' : `laws without a claim: ${unclaimed.join(', ')}`,
    `false alarms ≤ ${sampled * alpha} of ${totalAlpha} a run`,
  ].join('; ');
}
