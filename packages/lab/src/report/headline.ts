import type { Cell, EvaluationResult, ProblemResult } from '../experiment/results.js';
import { comparisonFinding } from './comparison.js';
import { html, type Content } from './escape.js';
import { closedShare, formatCount, formatNumber } from './format.js';

/** Findings of an evaluation, as sentences computed from its numbers. */
export function findings({ problems }: EvaluationResult): readonly Content[] {
  return [
    ...problems.map(atOneBudget),
    comparisonFinding(problems),
    betweenBounds(problems),
    ledgers(problems),
  ].filter((sentence) => sentence !== null);
}

/** Settings of the summary: the most records, and the budget nearest to ε = 1. */
export function headlineCells({ cells }: Pick<ProblemResult, 'cells'>): readonly Cell[] {
  const n = Math.max(...cells.map((cell) => cell.n));
  const distance = ({ budget }: Cell): number => Math.abs(Math.log(budget.epsilon));
  const nearest = Math.min(...cells.map(distance));
  const budget = cells.find((cell) => distance(cell) === nearest)?.budget;
  return cells
    .filter(
      (cell) => cell.n === n && cell.budget.epsilon === budget?.epsilon && cell.budget.delta === budget.delta,
    )
    .toSorted((a, b) => order(a.excess.median) - order(b.excess.median));
}
const order = (value: number): number => (Number.isNaN(value) ? Infinity : value);

function atOneBudget(problem: ProblemResult): Content {
  const shown = headlineCells(problem);
  const bare = shown.filter(({ unprotected }) => unprotected === true);
  const [best, ...others] = shown.filter(({ unprotected }) => unprotected !== true);
  if (best === undefined) return null;
  const { title } = problem;
  const { verb, amount, of } = measureOf(problem, best.startExcess ?? problem.startExcess);
  return html`<b>${title}.</b> At ε = ${best.budget.epsilon} and n = ${formatCount(best.n)}, <em>${best.label}</em> ${verb} <strong>${amount(best)}</strong>${of}${
    others.length === 0
      ? null
      : html`; ${others.map((cell, i) => {
          const separator = () => {
            if (i === 0) return '';
            return i === others.length - 1 ? ' and ' : ', ';
          };
          return html`${separator()}<em>${cell.label}</em> ${amount(cell)}`;
        })}`
  } (${seeds(best)}).${bare.map((cell) => html` Without any privacy, <em>${cell.label}</em> ${verb} ${amount(cell)}.`)}${acrossSizes(problem)}`;
}

/** How a sentence says what a method reaches: `closes` `94 %` ` of the gap …`. */
interface Measure {
  readonly verb: string;
  readonly amount: (cell: Cell) => string;
  readonly of: string;
}

/** The share of the gap that is closed; the risk itself where there is no gap, or no optimum is known. */
function measureOf({ withoutOptimum }: ProblemResult, start: number): Measure {
  const risk = ({ excess }: Cell): string => formatNumber(excess.median);
  if (withoutOptimum !== undefined)
    return { verb: 'has a risk of', amount: risk, of: ` (${formatNumber(start)} at the start)` };
  if (!(start > 0))
    return { verb: 'has an excess risk of', amount: risk, of: ' above the non-private optimum' };
  const of = ' of the gap between the start and the non-private optimum';
  return { verb: 'closes', amount: ({ excess }) => closedShare(excess.median / start), of };
}

const seeds = ({ runs }: Cell): string =>
  runs.length === 1 ? 'one seed' : `median of ${formatCount(runs.length)} seeds`;

/** How much the best optimizer gains from more records, at the same budget. */
function acrossSizes(problem: ProblemResult): Content {
  const best = headlineCells(problem).find(({ unprotected }) => unprotected !== true);
  if (best === undefined) return null;
  const same = problem.cells.filter(
    ({ label, budget }) =>
      label === best.label && budget.epsilon === best.budget.epsilon && budget.delta === best.budget.delta,
  );
  const fewest = same.reduce((least, cell) => (cell.n < least.n ? cell : least), best);
  const ratio = fewest.excess.median / best.excess.median;
  if (
    fewest.n === best.n ||
    !(best.excess.median > 0) ||
    !(fewest.excess.median > 0) ||
    !Number.isFinite(ratio)
  )
    return null;
  const change =
    ratio >= 1 ? html`falls ${formatNumber(ratio, 2)}-fold` : html`rises ${formatNumber(1 / ratio, 2)}-fold`;
  return html` From ${formatCount(fewest.n)} to ${formatCount(best.n)} records the excess risk of <em>${best.label}</em> ${change} at the same ε.`;
}

/** Number of means within their bounds. */
function betweenBounds(problems: readonly ProblemResult[]): Content {
  const judged = problems.flatMap(({ title, cells }) =>
    cells.flatMap((cell) => (cell.bracket === undefined ? [] : [{ title, cell, bracket: cell.bracket }])),
  );
  if (judged.length === 0) return null;
  const outside = judged.filter(({ bracket: { verdict } }) => verdict === 'below' || verdict === 'above');
  const unclear = judged.filter(({ bracket: { verdict } }) => verdict === 'unclear').length;
  const both = judged.filter(({ bracket: { lower, upper } }) => lower !== null && upper !== null).length;
  if (outside.length > 0)
    return html`<strong class="alarm">${formatCount(outside.length)} of ${formatCount(judged.length)} means are outside their bounds:</strong> ${outside.map(({ title, cell, bracket }) => `${cell.label} at n = ${formatCount(cell.n)}, ε = ${cell.budget.epsilon} on ${title} is ${bracket.verdict === 'above' ? 'above its upper bound' : 'below the lower bound'}`).join('; ')}.`;
  return html`${unclear === 0 ? `All ${formatCount(judged.length)} averages that have a proved bound lie within it` : `Of ${formatCount(judged.length)} averages that have a proved bound, ${formatCount(judged.length - unclear)} lie within it, and for ${formatCount(unclear)} there are too few runs to tell`}${both === 0 ? '' : `; ${formatCount(both)} lie between an upper bound and a proved lower bound`}.`;
}

function ledgers(problems: readonly ProblemResult[]): Content {
  const cells = problems.flatMap((problem) => problem.cells);
  const runs = cells.reduce((sum, cell) => sum + cell.runs.length, 0);
  if (runs === 0) return null;
  const wrong = cells.filter(({ ledgerMatchesPlan }) => !ledgerMatchesPlan).length;
  return wrong === 0
    ? html`In all ${formatCount(runs)} runs the ledger recorded exactly the event that was planned.`
    : html`<strong class="alarm">In ${wrong} of ${cells.length} settings the ledger differs from the plan.</strong> Their ε is that of the ledger.`;
}
