import type { Interval } from '@lethe/core';
import type { Cell, EvaluationResult, ReleaseResult, Result } from '../experiment/results.js';

/** The table or certificate a person reads at the end of a run. */
export const summaryOf = (result: Result): string => (result.kind === 'evaluation' ? evaluationTable(result) : certificate(result));

const number = (value: number): string => (value === 0 || !Number.isFinite(value) ? String(value) : Math.abs(value) >= 1e-3 && Math.abs(value) < 1e5 ? value.toPrecision(4) : value.toExponential(2));

function evaluationTable({ experiment, problems, label }: EvaluationResult): string {
  const lines = [`\n${experiment.title}   [${label}]`];
  for (const { title, cells, optimum, startExcess, population } of problems) {
    lines.push(`\n${title}: optimum risk ${number(optimum.risk)} on ${population.toLocaleString('en')} records; the start is ${number(startExcess)} above it`);
    const header = ['optimizer', 'n', 'epsilon', 'accounted', 'mean excess', '± s.e.', 'median', 'of start'];
    const rows = cells.map(({ label: name, n, budget, accounted, excess }: Cell) =>
      [name, n.toLocaleString('en'), String(budget.epsilon), `≤ ${number(accounted.upper)}`, number(excess.mean), number(excess.standardError), number(excess.median), `${number((100 * excess.mean) / startExcess)} %`]);
    const widths = header.map((text, column) => Math.max(text.length, ...rows.map((row) => row[column]!.length)));
    const format = (row: readonly string[]): string => `  ${row.map((text, column) => (column === 0 ? text.padEnd(widths[column]!) : text.padStart(widths[column]!))).join('  ')}`;
    lines.push(format(header), ...rows.map(format));
  }
  return `${lines.join('\n')}\n`;
}

const span = ({ lower, upper, certificate: kind, method }: Interval): string => `[${number(lower)}, ${number(upper)}] (${kind}, ${method})`;

function certificate({ experiment, label, run, certificate: proof, total, model, ledgerMatchesPlan }: ReleaseResult): string {
  const simulation = label === 'release' ? [] : [`*** ${label} ***`];
  return [
    `\n${experiment.title}   [${label}]`, ...simulation,
    `  run            ${run}`,
    `  privacy        epsilon in ${span(proof)} at delta ${proof.delta}, ${proof.adjacency}`,
    `  assuming       ${proof.assumptions.join(', ') || 'nothing'}`,
    `  ledger         ${ledgerMatchesPlan ? 'equals the plan' : 'DIFFERS FROM THE PLAN'}; the data set has now spent epsilon ${span(total.interval)} over ${total.runs.length} run${total.runs.length === 1 ? '' : 's'}`,
    `  model          ${model.weights.map((weight, j) => `${model.featureNames[j] ?? `x${j}`} ${number(weight)}`).join(', ')}`,
    '',
  ].join('\n');
}
