import type { RateRow } from '../experiment/mean-error-results.js';
import { valueAxis } from './axis.js';
import { html, type Html } from './escape.js';
import { formatNumber } from './format.js';
import { sample } from './legend.js';
import { drawPanel } from './panel.js';
import { styleAt } from './series.js';
import { table } from './tables.js';

const stamp = 'computed rates: constants are 1';

/** Rates over dimensions and numbers of records, as a figure with their corners and as a table. */
export function rateSection(rows: readonly RateRow[]): Html | null {
  if (rows.length === 0) return null;
  const names = [...new Set(rows.map(({ name }) => name))];
  const dimensions = [...new Set(rows.map(({ dimension }) => dimension))];
  return html`<section><h3>Rates of Tables 1 and 2</h3>
<figure class="wide" aria-label="Rates against the number of records, one panel for each row of the tables">
<div class="figure-head"><h4>Rates against the number of records</h4><p class="stamp">${stamp}</p></div>
<ul class="legend">${dimensions.map((d, i) => html`<li>${sample(styleAt(i))}<span>d = ${formatNumber(d)}</span></li>`)}</ul>
<div class="panels">${names.map((name) => panelOf(rows.filter((row) => row.name === name)))}</div>
<figcaption>Lines: upper bounds. Symbols joined by a line: the corners between which the sparse algorithm is the best, so that the dimension counts by a logarithm only; a line without symbols has no such numbers of records. Sparsely dotted: lower bounds, where the row has one.</figcaption>
</figure>
${table(
  `Rates of Tables 1 and 2, ${stamp}`,
  [
    { head: 'row', of: (row: RateRow) => `Table ${row.table}: ${row.title}`, words: true },
    { head: 'source', of: ({ source }) => source, words: true },
    { head: 'd', of: ({ dimension }) => formatNumber(dimension) },
    {
      head: 'nearly free of d for n',
      of: ({ corners }) =>
        corners.length === 0 ? 'nowhere' : corners.map(({ n }) => formatNumber(n)).join(' to '),
    },
    ...(rows[0]?.points ?? []).map(({ n }, i) => ({
      head: `n = ${formatNumber(n)}`,
      of: ({ points }: RateRow) =>
        `${points[i].lower === null ? '' : `${formatNumber(points[i].lower)} to `}${formatNumber(points[i].upper)}`,
    })),
  ],
  rows,
)}
</section>
`;
}

function panelOf(rows: readonly RateRow[]): Html {
  const { title, table: number, points } = rows[0];
  const values = points.map(({ n }) => n);
  const [first, last] = [Math.min(...values), Math.max(...values)];
  const within = (corner: { readonly n: number }): boolean => corner.n >= first && corner.n <= last;
  const y = valueAxis(
    rows.flatMap((row) =>
      row.points.flatMap(({ upper, lower }) => (lower === null ? [upper] : [upper, lower])),
    ),
  );
  const series = rows.map((row, i) => ({
    row,
    name: `d = ${formatNumber(row.dimension)}`,
    style: styleAt(i),
  }));
  return html`<div class="panel"><h5>Table ${number}: ${title}</h5>${drawPanel({
    description: `${title}: rate against the number of records, logarithmic axes, for ${series.map(({ name }) => name).join(', ')}. The table below holds the numbers.`,
    along: { label: 'records n', values },
    up: 'rate',
    y,
    lines: series.map(({ row, name, style }) => ({
      name,
      style,
      marks: row.corners.filter(within).map(({ n, upper }) => ({
        x: n,
        median: upper,
        lowerQuartile: upper,
        upperQuartile: upper,
        seeds: [],
      })),
    })),
    banded: false,
    start: [],
    bound: [],
    upper: [],
    rates: series.flatMap(({ row, name, style }) => [
      {
        name,
        style,
        points: [...row.points, ...row.corners.filter(within)]
          .toSorted((a, c) => a.n - c.n)
          .map(({ n, upper }) => ({ x: n, value: upper })),
      },
      {
        name: `lower bound, ${name}`,
        style: { ...style, dash: '1 4' },
        points: row.points.flatMap(({ n, lower }) => (lower === null ? [] : [{ x: n, value: lower }])),
      },
    ]),
  })}</div>`;
}
