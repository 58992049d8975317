import type { BestOfSweep, BoundPoint, Cell, ProblemResult } from '../experiment/results.js';
import { html, type Content, type Html } from './escape.js';
import { trustText } from '../run/trust-text.js';
import { formatBound, formatCount, formatNumber, formatPair, formatShare } from './format.js';

/** A column: heading, cell text, and alignment (words are on the left). */
interface Column<Row> {
  readonly head: Content;
  readonly of: (row: Row) => Content;
  readonly words?: boolean;
}

/** A table in a box of its own, which scrolls when the page is narrow and can be reached by keyboard. */
export function table<Row>(caption: string, columns: readonly Column<Row>[], rows: readonly Row[]): Html {
  const align = ({ words }: Column<Row>): Html | null => (words === true ? html` class="words"` : null);
  return html`<div class="scroll" role="region" tabindex="0" aria-label="${caption}"><table><caption>${caption}</caption>
<thead><tr>${columns.map((column) => html`<th scope="col"${align(column)}>${column.head}</th>`)}</tr></thead>
<tbody>${rows.map(
    (
      row,
    ) => html`<tr>${columns.map((column, i) => (i === 0 ? html`<th scope="row"${align(column)}>${column.of(row)}</th>` : html`<td${align(column)}>${column.of(row)}</td>`))}</tr>
`,
  )}</tbody></table></div>
`;
}

/** All numbers of a problem's figures, one row per optimizer, n and budget. */
export function cellTable({ title, cells, startExcess, lowerBound }: ProblemResult): Html {
  const deltas = [...new Set(cells.map(({ budget }) => budget.delta))];
  const columns: readonly Column<Cell>[] = [
    { head: 'optimizer', of: (cell) => cell.label, words: true },
    ...(cells.some(({ trust }) => trust !== undefined)
      ? [
          {
            head: 'trust',
            of: ({ trust }: Cell) => (trust === undefined ? 'central' : trustText(trust)),
            words: true,
          },
        ]
      : []),
    { head: 'n', of: ({ n }) => formatCount(n) },
    { head: 'ε', of: ({ budget }) => String(budget.epsilon) },
    ...(deltas.length > 1 ? [{ head: 'δ', of: ({ budget }: Cell) => formatNumber(budget.delta) }] : []),
    { head: 'median', of: ({ excess }) => formatNumber(excess.median) },
    { head: 'of start', of: (cell) => ofStart(cell, startExcess) },
    {
      head: 'mean ± s.e.',
      of: ({ excess }) => formatPair([excess.mean, excess.standardError], '±', [3, 2]),
    },
    ...testColumns(cells),
    {
      head: 'accounted ε',
      of: ({ accounted, unprotected }) =>
        unprotected === true
          ? html`<strong>no privacy</strong>`
          : `≤ ${formatBound(accounted.upper, 'upper')}`,
    },
    ...(lowerBound === null
      ? []
      : [
          {
            head: lowerBound.points.every(({ explicit }) => explicit)
              ? 'lower bound'
              : 'lower bound, up to a constant',
            of: (cell: Cell) => boundAt(cell, lowerBound.points),
          },
        ]),
    ...(cells.some(({ plan, bracket }) => plan.utility !== null && bracket === undefined)
      ? [
          {
            head: 'upper bound',
            of: ({ plan }: Cell) => (plan.utility === null ? '–' : formatNumber(plan.utility.bound)),
          },
        ]
      : []),
    ...(cells.some(({ bracket }) => bracket !== undefined)
      ? [{ head: 'proved bounds, and the mean', of: bracketText }]
      : []),
    {
      head: 'quartiles',
      of: ({ excess }) => formatPair([excess.lowerQuartile, excess.upperQuartile], '–'),
    },
    ...(cells.some(({ runs }) => runs.some(({ clipNorm }) => clipNorm !== undefined))
      ? [{ head: 'private clip norm', of: clipNorms }]
      : []),
    { head: 'gradients at most', of: ({ plan }) => formatCount(plan.gradients) },
    ...(cells.every(({ ledgerMatchesPlan }) => ledgerMatchesPlan)
      ? []
      : [
          {
            head: 'ledger',
            of: ({ ledgerMatchesPlan }: Cell) =>
              ledgerMatchesPlan ? 'as planned' : html`<strong class="alarm">differs</strong>`,
            words: true,
          },
        ]),
  ];
  return table(
    `${title}: excess risk in ` +
      `numbers${deltas.length === 1 ? `, at δ = ${formatNumber(deltas[0])}` : ''}`,
    columns,
    cells,
  );
}

const measures = [
  ['test AUC', 'auc'],
  ['test R²', 'r2'],
  ['test loss', 'loss'],
] as const;

/** The mean score on records held out: its best known measure. */
function testColumns(cells: readonly Cell[]): readonly Column<Cell>[] {
  const found = measures.find(([, measure]) =>
    cells.every(({ runs }) => runs.every(({ test }) => test?.[measure] !== undefined)),
  );
  if (found === undefined || cells.length === 0) return [];
  const [head, measure] = found;
  const meanOf = ({ runs }: Cell): number =>
    runs.reduce((sum, { test }) => sum + (test?.[measure] ?? Number.NaN), 0) / runs.length;
  return [{ head, of: (cell) => formatNumber(meanOf(cell), 4) }];
}

/** The clip norms that the seeds found, least and largest. */
function clipNorms({ runs }: Cell): string {
  const found = runs.flatMap(({ clipNorm }) => (clipNorm === undefined ? [] : [clipNorm]));
  if (found.length === 0) return '–';
  const [least, most] = [Math.min(...found), Math.max(...found)];
  return least === most ? formatNumber(least) : formatPair([least, most], '–');
}

function ofStart({ excess, startExcess: own }: Cell, common: number): string {
  const start = own ?? common;
  return start > 0 ? formatShare(excess.median / start) : '–';
}

/** The known bounds, and whether the mean lies within them. */
function bracketText({ bracket }: Cell): Content {
  if (bracket === undefined) return '–';
  const { lower, upper, verdict } = bracket;
  const line = [
    ...(lower === null ? [] : [`≥ ${formatBound(lower, 'upper')}`]),
    ...(upper === null ? [] : [`≤ ${formatBound(upper, 'lower')}`]),
  ].join(', ');
  return html`${line}: ${verdict === 'within' || verdict === 'unclear' ? verdict : html`<strong class="alarm">${verdict}</strong>`}`;
}

function boundAt({ n, budget }: Cell, points: readonly BoundPoint[]): string {
  const values = points
    .filter((point) => point.n === n && point.epsilon === budget.epsilon)
    .map(({ value }) => value);
  return values.length === 0 ? '–' : formatNumber(Math.min(...values));
}

/** Which setting of every sweep is the best, beside the second. */
export function sweepTable({ title, bestOfSweeps = [] }: ProblemResult): Html | null {
  if (bestOfSweeps.length === 0) return null;
  const own = ({ of }: BestOfSweep, label: string): string => label.replace(`${of}, `, '');
  return html`${table(
    `${title}: best setting of each sweep`,
    [
      { head: 'optimizer', of: (one: BestOfSweep) => one.of, words: true },
      { head: 'n', of: ({ n }) => formatCount(n) },
      { head: 'ε', of: ({ budget }) => String(budget.epsilon) },
      { head: 'best', of: (one) => `${own(one, one.label)} (of ${one.settings})`, words: true },
      { head: 'mean', of: ({ mean }) => formatNumber(mean) },
      { head: '± s.e.', of: ({ standardError }) => formatNumber(standardError, 2) },
      { head: 'second', of: (one) => (one.next === null ? '–' : own(one, one.next.label)), words: true },
      { head: 'mean', of: ({ next }) => (next === null ? '–' : formatNumber(next.mean)) },
      { head: 'is clear', of: ({ next }) => clearText(next), words: true },
    ],
    bestOfSweeps,
  )}<p class="fine">The setting with the least mean excess risk, chosen with the records in hand: a release that chooses so has to pay for the choice, or chooses on public records. It is clear where the second is worse by more than two standard errors of the difference.</p>
`;
}

function clearText(next: BestOfSweep['next']): string {
  if (next === null) return '–';
  return next.isClear ? 'yes' : 'no';
}

/** Numbers of all runs, for small evaluations. */
export function seedTable({ title, cells }: ProblemResult): Html | null {
  const seeds = [...new Set(cells.flatMap(({ runs }) => runs.map(({ seed }) => seed)))].toSorted(
    (a, b) => a - b,
  );
  if (seeds.length < 2 || seeds.length > 40) return null;
  const columns: readonly Column<Cell>[] = [
    { head: 'optimizer', of: (cell) => cell.label, words: true },
    { head: 'n', of: ({ n }) => formatCount(n) },
    { head: 'ε', of: ({ budget }) => String(budget.epsilon) },
    ...seeds.map((seed): Column<Cell> => ({
      head: `seed ${seed}`,
      of: ({ runs }) => {
        const run = runs.find((one) => one.seed === seed);
        return run === undefined ? '–' : formatNumber(run.excessRisk);
      },
    })),
  ];
  return html`<details><summary>Every seed</summary>${table(`${title}: excess risk of every seed`, columns, cells)}</details>`;
}
