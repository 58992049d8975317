import { runsToReach } from '@lethe/laws';
import type { AuditedCase } from '../audit/audit-case.js';
import { formatBound } from '../report/format.js';

const header = ['audit', 'adjacency', 'records', 'certified', 'at least', 'tightness', 'verdict'];

/**
 * Table of an audit: lower bounds beside certificates, and the confidence of both.
 */
export function auditTable(cases: readonly AuditedCase[]): string {
  const rows = [
    header,
    ...cases.map((one) => [
      one.title,
      one.adjacency,
      one.records.toLocaleString('en'),
      `ε ≤ ${formatBound(one.claimed.epsilon, 'upper')}`,
      `ε ≥ ${formatBound(one.epsilon.lower, 'lower')}`,
      one.tightness.toFixed(2),
      verdictOf(one),
    ]),
  ];
  const widths = header.map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const last = header.length - 1;
  const aligned = (row: readonly string[]): string =>
    row
      .map((text, i) => (i === 0 || i === last ? text.padEnd(widths[i]) : text.padStart(widths[i])))
      .join('  ')
      .trimEnd();
  return [...rows.map((row) => `  ${aligned(row)}`), '', ...remarks(cases), ''].join('\n');
}

/** Confidence of the numbers, and their limits. */
function remarks(cases: readonly AuditedCase[]): readonly string[] {
  const [{ runs, confidence, falseAlarm, reach, claimed }] = cases as readonly [AuditedCase];
  const isBlind = cases.some((one) => one.claimed.epsilon > one.reach.verdict);
  const unheard = [...new Set(cases.flatMap((one) => one.unheard))];
  const most = formatBound(reach.epsilon, 'lower');
  const refuted = formatBound(Math.max(0, reach.verdict), 'lower');
  return [
    `δ = ${[...new Set(cases.map((one) => one.claimed.delta))].join(', ')}; ${runs.toLocaleString(
      'en',
    )} runs on each of two neighbours.`,
    `"at least" is right with probability ${confidence} each time; a true claim is called a VIOLATION ` +
      `with probability at most ${falseAlarm}.`,
    `At δ = ${claimed.delta} so many runs could show ε = ${most}, ` +
      `and ${refuted} for a verdict. "holds" proves nothing.`,
    ...(isBlind ? [moreRuns(cases)] : []),
    ...(unheard.length === 0
      ? []
      : [`Answers to ${unheard.join(', ')} were not made use of; what they tell is missing.`]),
  ];
}

/** Number of runs from which a verdict could refute the largest claimed ε. */
function moreRuns(cases: readonly AuditedCase[]): string {
  const needed = Math.max(
    ...cases.map(({ claimed: { epsilon, delta }, falseAlarm: alpha }) =>
      runsToReach(epsilon, { delta, alpha }),
    ),
  );
  return `Some claims are beyond what a verdict could reach: ${
    needed === Infinity
      ? 'no number of runs that could be made is enough for the largest ε'
      : `take --runs ${needed} or more`
  }.`;
}

function verdictOf({ verdict, ledgerMatchesPlan, passed }: AuditedCase): string {
  if (passed) return 'holds';
  return [
    ...(verdict.holds ? [] : ['VIOLATION']),
    ...(ledgerMatchesPlan ? [] : ['LEDGER DIFFERS FROM THE PLAN']),
  ].join(', ');
}
