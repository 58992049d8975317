import type { Interval } from '@lethe/core';
import { stoppedText } from '../run/adaptive-account.js';
import { holdsText } from '../run/total-statement.js';
import { targetText } from '../means/target-text.js';
import { boundsText } from '../report/bounds-text.js';
import { deltaText, nounFor } from '../report/format.js';
import { largestWeights } from '../report/weights.js';
import type { MeanErrorResult } from '../experiment/mean-error-results.js';
import type { MeanResult } from '../experiment/mean-results.js';
import type {
  Bracket,
  Cell,
  ComparedCell,
  Comparison,
  EvaluationResult,
  ReleaseResult,
  Result,
} from '../experiment/results.js';

/** Summary of a result for the terminal. */
export const summaryOf = (result: Result): string => {
  if (result.kind === 'evaluation') return evaluationTable(result);
  if (result.kind === 'mean') return meanTable(result);
  return result.kind === 'mean-error' ? meanErrorTable(result) : certificate(result);
};

const number = (value: number): string => {
  if (value === 0 || !Number.isFinite(value)) return String(value);
  if (Math.abs(value) >= 1e-3 && Math.abs(value) < 1e5) return value.toPrecision(4);
  return value.toExponential(2);
};

function evaluationTable({ experiment, problems, label }: EvaluationResult): string {
  const lines = [`\n${experiment.title}   [${label}]`];
  for (const problem of problems) {
    const { title, cells, optimum, withoutOptimum, startExcess, population, comparison } = problem;
    const { bestOfSweeps = [] } = problem;
    const chosenOf = () => {
      if (withoutOptimum !== undefined)
        return (
          'no optimum is known, so that these are risks, not excess risks; ' +
          `the start has ${number(startExcess)}`
        );
      if (optimum === null)
        return (
          `every seed draws an instance of its own; the start is ${number(startExcess)} above its ` +
          'optimum'
        );
      if (population === null)
        return (
          `every seed draws records of its own; optimum risk ${number(optimum.risk)} of their law; ` +
          `the start is ${number(startExcess)} above it`
        );
      return (
        `optimum risk ${number(optimum.risk)} on ${population.toLocaleString('en')} records; ` +
        `the start is ${number(startExcess)} above it`
      );
    };
    lines.push(`\n${title}: ${chosenOf()}`);
    const judged = cells.some(({ bracket }) => bracket !== undefined);
    lines.push(
      ...columns(
        [
          'optimizer',
          'n',
          'epsilon',
          'accounted',
          withoutOptimum === undefined ? 'mean excess' : 'mean risk',
          '± s.e.',
          'median',
          'of start',
          ...(judged ? ['lower', 'upper', 'mean is'] : []),
        ],
        cells.map(
          ({
            label: name,
            n,
            budget,
            accounted,
            excess,
            unprotected,
            trust,
            startExcess: start = startExcess,
            bracket,
          }: Cell) => [
            trust === undefined || name.toLowerCase().includes(trust.model)
              ? name
              : `${name} (${trust.model})`,
            n.toLocaleString('en'),
            String(budget.epsilon),
            unprotected === true ? 'no privacy' : `≤ ${number(accounted.upper)}`,
            number(excess.mean),
            number(excess.standardError),
            number(excess.median),
            `${number((100 * excess.mean) / start)} %`,
            ...(judged
              ? [orDash(bracket?.lower), orDash(bracket?.upper), bracketWord(bracket?.verdict)]
              : []),
          ],
        ),
      ),
    );
    for (const { of, n, budget, label: best, settings, mean, next } of bestOfSweeps)
      lines.push(
        `best of ${settings} settings of ${of} ` +
          `at n = ${n.toLocaleString('en')}, epsilon ${budget.epsilon}: ` +
          `${best.replace(`${of}, `, '')} (mean ${number(mean)}` +
          `${next === null || next.isClear ? '' : ', not clearly before the second'})`,
      );
    if (comparison !== undefined) lines.push(...comparisonLines(comparison));
  }
  return `${lines.join('\n')}\n`;
}

function meanErrorTable({ experiment, cells, label }: MeanErrorResult): string {
  const lines = [`\n${experiment.title}   [${label}]`];
  for (const { name, title, vary } of experiment.series)
    lines.push(
      `\n${title}`,
      ...columns(
        ['method', vary, 'lower', 'root mean square', '± s.e.', 'upper', 'share above', 'verdict'],
        cells
          .filter(({ series }) => series === name)
          .map(({ label: method, at, lower, error, upper, tail, verdict }) => [
            method,
            at[vary].toLocaleString('en'),
            number(lower),
            number(error.value),
            number(error.standardError),
            orDash(upper),
            `${number(tail.share)} ≥ ${number(tail.probability)}`,
            verdict === 'within' ? 'within' : 'OUTSIDE',
          ]),
      ),
    );
  return `${lines.join('\n')}\n`;
}

function meanTable({ experiment, laws, cells, label }: MeanResult): string {
  const lines = [`\n${experiment.title}   [${label}]`];
  for (const { name: law, title, dimension, mean } of laws) {
    lines.push(
      `\n${title}: dimension ${dimension}, mean of length ${number(mean)}`,
      ...columns(
        [
          'mean',
          'at',
          's',
          'cost',
          'bias',
          '± s.e.',
          'exact',
          'bound',
          'variance',
          '± s.e.',
          'exact',
          'bound',
          'verdict',
        ],
        cells
          .filter((cell) => cell.law === law)
          .map(({ label: name, swept, s, target, bias, variance }) => [
            name,
            swept === null ? '–' : `${swept.name} ${swept.value}`,
            s.toLocaleString('en'),
            targetText(target),
            number(bias.value),
            number(bias.standardError),
            orDash(bias.exact),
            orDash(bias.bound),
            number(variance.value),
            number(variance.standardError),
            orDash(variance.exact),
            orDash(variance.bound),
            bias.verdict === 'within' && variance.verdict === 'within' ? 'within' : 'OUTSIDE',
          ]),
      ),
    );
  }
  return `${lines.join('\n')}\n`;
}

const orDash = (value: number | null | undefined): string =>
  value === null || value === undefined ? '–' : number(value);
const bracketWord = (verdict: Bracket['verdict'] | undefined): string => {
  if (verdict === undefined) return '–';
  return verdict === 'below' || verdict === 'above' ? verdict.toUpperCase() : verdict;
};

/** Rows under a heading: words on the left, numbers on the right. */
function columns(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = header.map((text, column) =>
    Math.max(text.length, ...rows.map((row) => row[column].length)),
  );
  return [header, ...rows].map(
    (row) =>
      '  ' +
      row
        .map((text, column) => (column === 0 ? text.padEnd(widths[column]) : text.padStart(widths[column])))
        .join('  '),
  );
}

function comparisonLines({ cells, ratios, agrees }: Comparison): string[] {
  const verdict = (holds: boolean | null, isWide: boolean): string => {
    if (holds === null) return 'one run';
    if (holds) return isWide ? 'within, but wide' : 'within';
    return 'OUTSIDE';
  };
  const row = (
    what: string,
    { n, budget }: Pick<ComparedCell, 'n' | 'budget'>,
    measured: number | null,
    error: number | null,
    expected: number,
    score: number | null,
    holds: boolean | null,
    isWide = false,
  ): readonly string[] => [
    what,
    n.toLocaleString('en'),
    String(budget.epsilon),
    measured === null ? '–' : number(measured),
    error === null ? '–' : number(error),
    number(expected),
    score === null ? '–' : score.toFixed(1),
    verdict(holds, isWide),
  ];
  return [
    '',
    `  Measured beside expected: ${agrees ? 'nothing disagrees' : 'SOMETHING DISAGREES'}`,
    ...columns(
      ['what', 'n', 'epsilon', 'measured', '± s.e.', 'expected', 'apart', 'verdict'],
      [
        ...cells.flatMap((cell) =>
          cell.excess === null
            ? []
            : [
                row(
                  `mean of ${cell.label}`,
                  cell,
                  cell.excess.measured,
                  cell.excess.standardError,
                  cell.excess.expected,
                  cell.excess.score,
                  cell.excess.agrees,
                  cell.excess.isWide,
                ),
              ],
        ),
        ...ratios.map((ratio) =>
          row(
            `${ratio.of} / ${ratio.to}`,
            ratio,
            ratio.measured,
            ratio.standardError,
            ratio.expected,
            ratio.score,
            ratio.agrees,
            ratio.isWide,
          ),
        ),
        ...cells.flatMap((cell) =>
          cell.plan.map(({ at, planned, expected, agrees: holds }) =>
            row(
              `${at === 'utility.bound' ? 'bound' : at} of ${cell.label}`,
              cell,
              planned,
              null,
              expected,
              null,
              holds,
            ),
          ),
        ),
      ],
    ),
  ];
}

const proved = (interval: Interval): string =>
  `${boundsText(interval)} (${interval.certificate}, ${interval.method})`;

function certificate({
  experiment,
  label,
  run,
  certificate: proof,
  total,
  model,
  ledgerMatchesPlan,
  adaptive,
}: ReleaseResult): string {
  const simulation = label === 'release' ? [] : [`*** ${label} ***`];
  return [
    `\n${experiment.title}   [${label}]`,
    ...simulation,
    `  run            ${run}`,
    `  privacy        ${proved(proof)} at delta ${deltaText(proof.delta)}, ${proof.adjacency}` +
      (proof.unit === 'owner' ? ' of all records of one owner' : ''),
    `  assuming       ${proof.assumptions.join(', ') || 'nothing'}`,
    `  ledger         ${ledgerMatchesPlan ? 'equals the plan' : 'DIFFERS FROM THE PLAN'}; ` +
      `the data set has now spent ${proved(total.interval)} over ${total.runs.length} ` +
      nounFor(total.runs.length, 'run'),
    ...(total.runs.length === 1 ? [] : [`                 ${holdsText(total.holds)}`]),
    ...(adaptive === undefined
      ? []
      : [
          '  steps          ' +
            `${adaptive.steps}${adaptive.most === null ? '' : ` of at most ${adaptive.most}`}: ` +
            `${stoppedText(adaptive.stopped)}`,
          `  charged        ${proved(adaptive.charged.interval)} of the planned limit; ` +
            'only the limit is a guarantee, since the answers decided',
        ]),
    `  model          ${modelText(model)}`,
    '',
  ].join('\n');
}

/** Weights with their features; of many the largest. */
function modelText(model: ReleaseResult['model']): string {
  const { shown, all } = largestWeights(model, 20);
  const listed = shown.map(({ name, weight }) => `${name} ${number(weight)}`).join(', ');
  return shown.length === all
    ? listed
    : `${listed}; the ${shown.length} largest of ${all.toLocaleString('en')} weights, all are in ` +
        'results.json';
}
