import type { Cell, ProblemResult } from '../experiment/results.js';
import { deltaText } from './format.js';

/**
 * How one optimizer is drawn in every figure of a page: a
 * colour, a symbol and a dash, any one of which tells it apart.
 */
export interface Style {
  readonly colour: string;
  readonly symbol: 'circle' | 'square' | 'triangle' | 'diamond' | 'star' | 'cross';
  readonly dash: string;
}
/** The cells of one optimizer (and one δ, when there are several). */
export interface Series {
  readonly name: string;
  readonly style: Style;
  readonly cells: readonly Cell[];
}

/** The number of colours in the style sheet, `--series-0` on. */
export const colours = 8;
const symbols = ['circle', 'square', 'triangle', 'diamond', 'star', 'cross'] as const;
const dashes = ['none', '9 3', '2 3', '9 3 2 3', '5 3', '1 4'];

/**
 * One series per optimizer in the order of the cells, and per δ when the budgets have several. With
 * `allRecords`, the cells of all problems, styles are the same on each of them, though an optimizer may be
 * absent from some.
 */
export function seriesOf(
  { cells }: Pick<ProblemResult, 'cells'>,
  allRecords: readonly Cell[] = cells,
): readonly Series[] {
  const several = new Set(allRecords.map(({ budget }) => budget.delta)).size > 1;
  const nameOf = ({ label, budget, unprotected, trust }: Cell): string =>
    `${label}` +
    (trust === undefined || label.toLowerCase().includes('shuffle') ? '' : ` (${trust.model})`) +
    (unprotected === true ? ' (no privacy)' : '') +
    (several ? `, δ = ${deltaText(budget.delta)}` : '');
  const names = [...new Set(allRecords.map(nameOf))];
  return names
    .map((name, i) => ({ name, style: styleAt(i), cells: cells.filter((cell) => nameOf(cell) === name) }))
    .filter((one) => one.cells.length > 0);
}

/**
 * Beyond six series symbols and dashes come again, and beyond eight the colours, never all three together.
 */
export const styleAt = (i: number): Style => ({
  colour: `var(--series-${i % colours})`,
  symbol: symbols[(i + Math.floor(i / symbols.length)) % symbols.length],
  dash: dashes[(i + 2 * Math.floor(i / dashes.length)) % dashes.length],
});
