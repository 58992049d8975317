import { defined } from '@lethe/numerics';
import type { MeanErrorCell, MeanErrorResult } from '../experiment/mean-error-results.js';
import type { MeanErrorSeries } from '../experiment/mean-error-schema.js';
import { valueAxis } from './axis.js';
import { html, type Content, type Html } from './escape.js';
import { simulationStrip } from './evaluation.js';
import { formatCount, formatNumber } from './format.js';
import { eventTree } from './ledger-view.js';
import { boundKey, sample, upperKey } from './legend.js';
import { drawPanel } from './panel.js';
import { runAgain, terms } from './parameters.js';
import { rateSection } from './rate-tables.js';
import { styleAt } from './series.js';
import { table } from './tables.js';

const words: Readonly<Record<MeanErrorSeries['vary'], string>> = {
  n: 'records n',
  dimension: 'dimension d',
  sparsity: 'sparsity s',
  epsilon: 'ε',
};

/** Section of an experiment on errors of means: measurements between bounds, marked as a simulation. */
export function meanErrorArticle(result: MeanErrorResult, id: string): Html {
  const { experiment, label, bounds, rates, rule } = result;
  return html`<article id="${id}">
${simulationStrip(label)}
<h2>${experiment.title}</h2>
${experiment.about === '' ? null : html`<p class="about">${experiment.about}</p>`}
<p class="note">Every error below comes from ${formatCount(experiment.repetitions)} answers of a real curator with seeded noise, each about records drawn from a lower bound.</p>
<section aria-label="Findings: ${result.experiment.title}"><ul class="findings"><li>${finding(result)}</li></ul></section>
${experiment.series.map((series, i) => {
  const cells = result.cells.filter((cell) => cell.series === series.name);
  return html`<section>
<h3>${series.title}</h3>
${terms([
  ...Object.entries(series.at)
    .filter(([name]) => name !== series.vary)
    .map(([name, value]) => [name, formatNumber(value)] as const),
  ['lower bound', `${bounds[i].statement} (${bounds[i].source})`],
])}
${figure(series, cells, label)}
${cellTable(series, cells)}
</section>
`;
})}<p class="fine">${rule}</p>
${rateSection(rates)}
<section><h3>Ledger</h3>
<p>What one answer of each kind costs.</p>
${experiment.series.flatMap((series) => ledger(series, result.cells))}</section>
<section><h3>Run it again</h3>${runAgain(result)}</section>
</article>
`;
}

function finding({ cells }: MeanErrorResult): Content {
  const wrong = cells.filter(({ verdict }) => verdict === 'outside');
  const bounded = cells.filter(({ upper }) => upper !== null).length;
  return wrong.length > 0
    ? html`<strong class="alarm">${formatCount(wrong.length)} of ${formatCount(cells.length)} errors contradict a bound:</strong> ${wrong.map(({ label, series }) => `${label} in ${series}`).join('; ')}.`
    : `All ${formatCount(cells.length)} root mean squares are above the lower bound, and ` +
        `${formatCount(bounded)} of them, which have one, below an upper bound.`;
}

function figure(
  { title, vary, values }: MeanErrorSeries,
  cells: readonly MeanErrorCell[],
  label: string,
): Html {
  const names = [...new Set(cells.map((cell) => cell.label))];
  const of = (name: string): readonly MeanErrorCell[] =>
    cells.filter((cell) => cell.label === name).toSorted((a, b) => a.at[vary] - b.at[vary]);
  const numbers = cells.flatMap(({ error, lower, upper }) => [
    error.value,
    lower,
    ...(upper === null || upper > 1e3 * error.value ? [] : [upper]),
  ]);
  const y = valueAxis(numbers.filter((x) => x > 0));
  const shown = (value: number): number => Math.min(Math.max(value, y.domain[0]), y.domain[1]);
  return html`<figure class="wide" aria-label="${`${title}. ${label}`}">
<div class="figure-head"><h4>Error against ${words[vary]}</h4></div>
<ul class="legend">${names.map((name, i) => html`<li>${sample(styleAt(i))}<span>${name}</span></li>`)}<li>${boundKey}<span>lower bound, for every private mean</span></li><li>${upperKey}<span>upper bound, in the colour of its method</span></li></ul>
<div class="panels"><div class="panel">${drawPanel({
    description: `Root mean squared error of ${names.join(', ')} against ${words[vary]}, logarithmic axes. The table below holds the numbers.`,
    along: { label: words[vary], values },
    up: 'RMS error',
    y,
    lines: names.map((name, i) => ({
      name,
      style: styleAt(i),
      marks: of(name).map(({ at, error: { value, standardError } }) => ({
        x: at[vary],
        median: shown(value),
        lowerQuartile: shown(value - 2 * standardError),
        upperQuartile: shown(value + 2 * standardError),
        seeds: [],
      })),
    })),
    banded: false,
    start: [],
    bound: of(names[0]).map(({ at, lower }) => ({ x: at[vary], value: shown(lower) })),
    upper: names.map((name, i) => ({
      name,
      style: styleAt(i),
      points: of(name).flatMap(({ at, upper }) =>
        upper === null || upper > y.domain[1] ? [] : [{ x: at[vary], value: upper }],
      ),
    })),
    rates: [],
  })}</div></div>
<figcaption>Symbols: root mean squares; bars: two standard errors. Upper bounds beyond a thousand times the error are left out.</figcaption>
</figure>
`;
}

function cellTable({ title, vary }: MeanErrorSeries, cells: readonly MeanErrorCell[]): Html {
  return table(
    `${title}: errors in numbers`,
    [
      { head: 'method', of: (cell: MeanErrorCell) => cell.label, words: true },
      { head: vary, of: ({ at }) => formatNumber(at[vary]) },
      { head: 'lower bound', of: ({ lower }) => formatNumber(lower) },
      {
        head: 'root mean square ± s.e.',
        of: ({ error }) => `${formatNumber(error.value)} ± ${formatNumber(error.standardError, 2)}`,
      },
      { head: 'upper bound', of: ({ upper }) => (upper === null ? '–' : formatNumber(upper)) },
      { head: 'median', of: ({ error }) => formatNumber(error.median) },
      {
        head: 'share of errors above',
        of: ({ tail }) =>
          `${formatNumber(tail.share)} above ${formatNumber(tail.error)}, at least ` +
          `${formatNumber(tail.probability)}`,
      },
      {
        head: 'verdict',
        of: ({ verdict }) => (verdict === 'within' ? 'within' : html`<strong class="alarm">outside</strong>`),
        words: true,
      },
    ],
    cells,
  );
}

function ledger({ name, title, methods }: MeanErrorSeries, cells: readonly MeanErrorCell[]): readonly Html[] {
  return methods.map(({ mean, label = mean }) => {
    const { event } = defined(cells.find((cell) => cell.series === name && cell.label === label));
    return html`<details><summary>${title}: ${label}</summary>${eventTree(event)}</details>
`;
  });
}
