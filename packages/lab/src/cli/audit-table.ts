import type { AuditedCase } from '../audit/audit-case.js';
import { formatBound } from '../report/format.js';

const header = ['audit', 'adjacency', 'records', 'certified', 'at least', 'tightness', 'verdict'];

/** What a person reads at the end of an audit: the bound beside the certificate, and what the two kinds of certainty are. */
export function auditTable(cases: readonly AuditedCase[]): string {
  const rows = [header, ...cases.map((one) => [
    one.title, one.adjacency, one.records.toLocaleString('en'), `ε ≤ ${formatBound(one.claimed.epsilon, 'upper')}`, `ε ≥ ${formatBound(one.epsilon.lower, 'lower')}`, one.tightness.toFixed(2), verdictOf(one),
  ])];
  const widths = header.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const [{ runs, confidence, falseAlarm, reach, claimed }] = cases as readonly [AuditedCase];
  const blind = cases.some((one) => one.claimed.epsilon > one.reach.verdict);
  return [
    ...rows.map((row) => `  ${row.map((text, column) => (column === 0 || column === row.length - 1 ? text.padEnd(widths[column]!) : text.padStart(widths[column]!))).join('  ').trimEnd()}`),
    '', `${runs.toLocaleString('en')} runs on each of two neighbours. "at least" is right with probability ${confidence} each time; a true claim is called a VIOLATION with probability at most ${falseAlarm}.`,
    `${[...new Set(cases.map((one) => `δ = ${one.claimed.delta}`))].join(', ')}. At δ = ${claimed.delta} so many runs could show ε = ${formatBound(reach.epsilon, 'lower')} at most, and ${formatBound(Math.max(0, reach.verdict), 'lower')} for a verdict${blind ? ': some claims are beyond that, take more runs' : ''}. "holds" proves nothing.`, '',
  ].join('\n');
}

function verdictOf({ verdict, ledgerMatchesPlan, passed }: AuditedCase): string {
  if (passed) return 'holds';
  return [...(verdict.holds ? [] : ['VIOLATION']), ...(ledgerMatchesPlan ? [] : ['LEDGER DIFFERS FROM THE PLAN'])].join(', ');
}
