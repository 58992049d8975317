import { defined } from '@lethe/numerics';
import type { Estimated, MeanCell, MeanResult } from '../experiment/mean-results.js';
import { targetText } from '../means/target-text.js';
import { valueAxis } from './axis.js';
import { html, type Html } from './escape.js';
import { formatCount, formatNumber } from './format.js';
import { sample, upperKey } from './legend.js';
import { drawPanel, type Curve, type Line } from './panel.js';
import { styleAt } from './series.js';

/**
 * What is below this share of the largest number of a figure is zero up to rounding, and does not stretch the
 * axis.
 */
const roundingShare = 1e-12;

type Quantity = 'bias' | 'variance';
const words: Readonly<Record<Quantity, { readonly title: string; readonly up: string }>> = {
  bias: { title: 'Bias', up: 'bias' },
  variance: { title: 'Variance', up: 'variance' },
};

/** What a figure of means shows: cells by label, along one number. */
interface Shown {
  readonly title: string;
  readonly along: string;
  readonly groups: readonly { readonly title: string; readonly cells: readonly MeanCell[] }[];
  readonly nameOf: (cell: MeanCell) => string;
  readonly at: (cell: MeanCell) => number;
}

/**
 * Bias and variance of the means on one law: against what is swept, one panel per batch size, and against the
 * batch size, at the middle of what is swept.
 */
export function meanFigures(law: string, { cells, label }: Pick<MeanResult, 'cells' | 'label'>): Html {
  const own = cells.filter((cell) => cell.law === law);
  const swept = own.filter((cell) => cell.swept !== null);
  const parameters = [...new Set(swept.map((cell) => defined(cell.swept).name))].join(' or ');
  const targets = [...new Set(own.map(({ target }) => targetText(target)))];
  const sizes = [...new Set(own.map(({ s }) => s))].toSorted((a, b) => a - b);
  const middle = new Map(
    [...new Set(own.map((cell) => cell.label))].map((name) => {
      const values = [
        ...new Set(own.filter((cell) => cell.label === name).map((cell) => cell.swept?.value)),
      ].toSorted((a, b) => (a ?? 0) - (b ?? 0));
      return [name, values[Math.floor(values.length / 2)]];
    }),
  );
  const along: Shown[] = [];
  if (swept.length > 0 && new Set(swept.map((cell) => defined(cell.swept).value)).size > 1) {
    along.push({
      title: `against ${parameters}`,
      along: parameters,
      nameOf: (cell) => cell.label,
      at: (cell) => defined(cell.swept).value,
      groups: targets.flatMap((target) =>
        sizes.map((s) => ({
          title: `s = ${formatCount(s)}, ${target}`,
          cells: swept.filter((cell) => cell.s === s && targetText(cell.target) === target),
        })),
      ),
    });
  }
  if (sizes.length > 1) {
    along.push({
      title: 'against the number of records',
      along: 'records s',
      at: ({ s }) => s,
      nameOf: (cell) =>
        `${cell.label}${cell.swept === null ? '' : ` at ${cell.swept.name} ${cell.swept.value}`}`,
      groups: targets.map((target) => ({
        title: target,
        cells: own.filter(
          (cell) => targetText(cell.target) === target && cell.swept?.value === middle.get(cell.label),
        ),
      })),
    });
  }
  return html`${along.flatMap((shown) => (['bias', 'variance'] as const).map((quantity) => figure(quantity, shown, label)))}`;
}

function figure(quantity: Quantity, { title, along, groups, nameOf, at }: Shown, label: string): Html {
  const all = groups.flatMap(({ cells }) => cells);
  const names = [...new Set(all.map(nameOf))];
  const told = (cell: MeanCell): boolean => span(quantity, cell)[0] > 0;
  const numbers = all
    .flatMap((cell) => [
      ...(told(cell) ? [cell[quantity].value] : []),
      cell[quantity].bound ?? 0,
      cell[quantity].exact ?? 0,
      span(quantity, cell)[1],
    ])
    .filter((x) => x > 0 && Number.isFinite(x));
  const largest = Math.max(0, ...numbers);
  const shown = numbers.filter((x) => x > roundingShare * largest);
  const isZero = (cell: MeanCell): boolean => span(quantity, cell)[1] <= roundingShare * largest;
  const zeros = all.filter(isZero).length;
  const untold = all.filter((cell) => !told(cell) && !isZero(cell)).length;
  // Where zeros stand at the lower end, no other number does.
  const y = valueAxis(zeros === 0 ? shown : [...shown, 0.5 * Math.min(...shown, Infinity)]);
  const [floor] = y.domain;
  const clip = (value: number): number => Math.max(value, floor);
  const values = [...new Set(all.map(at))];
  const panelOf = ({ title: setting, cells }: Shown['groups'][number]): Html => {
    const parts = names.map((name, i) => ({
      name,
      style: styleAt(i),
      cells: cells.filter((cell) => nameOf(cell) === name).toSorted((a, b) => at(a) - at(b)),
    }));
    const lines = parts.map(({ name, style, cells: own }): Line => ({
      name,
      style,
      marks: own.map((cell) => {
        const [low, high] = span(quantity, cell);
        return {
          x: at(cell),
          median: told(cell) || isZero(cell) ? clip(cell[quantity].value) : Number.NaN,
          lowerQuartile: clip(low),
          upperQuartile: clip(high),
          seeds: [],
        };
      }),
    }));
    const curves = (key: 'bound' | 'exact'): Curve[] =>
      parts
        .map(({ name, style, cells: own }) => ({
          name,
          style,
          points: own.flatMap((cell) => {
            const value = cell[quantity][key];
            return value === null || !(value > 0) || !Number.isFinite(value)
              ? []
              : [{ x: at(cell), value: clip(value) }];
          }),
        }))
        .filter(({ points }) => points.length > 0);
    return html`<div class="panel"><h5>${setting}</h5>${drawPanel({
      description: `${words[quantity].title} ${title}, ${setting}, logarithmic axes, for ${names.join(', ')}. The table below holds the numbers.`,
      along: { label: along, values },
      up: words[quantity].up,
      y,
      lines,
      banded: false,
      start: [],
      bound: [],
      upper: curves('bound'),
      rates: curves('exact'),
    })}</div>`;
  };
  return html`<figure class="wide" aria-label="${`${words[quantity].title} ${title}. ${label}`}">
<div class="figure-head"><h4>${words[quantity].title} ${title}</h4></div>
<ul class="legend">${names.map((name, i) => html`<li>${sample(styleAt(i))}<span>${name}</span></li>`)}<li>${upperKey}<span>bound that the plugin claims, in the colour of its mean</span></li></ul>
<div class="panels">${groups.filter(({ cells }) => cells.length > 0).map(panelOf)}</div>
<figcaption>Symbols: what was measured; bars: two standard errors. Thin lines without symbols: exact values, where the law is finite.${untold === 0 ? null : html` <strong>${untold} of ${all.length} are too small to be told from zero by so many repetitions</strong>, and are bars alone, up to two standard errors.`}${zeros === 0 ? null : html` <strong>${zeros} of ${all.length} are zero up to rounding</strong>, at most ${formatNumber(roundingShare, 1)} of the largest number shown, and are drawn at the lower end, since a logarithmic axis has no zero.`}</figcaption>
</figure>
`;
}

/** Two standard errors to either side; of a bias, on the scale of its square. */
function span(quantity: Quantity, cell: MeanCell): readonly [number, number] {
  const both = ({
    value,
    standardError,
  }: Pick<Estimated, 'value' | 'standardError'>): readonly [number, number] => [
    value - 2 * standardError,
    value + 2 * standardError,
  ];
  if (quantity === 'variance') return both(cell.variance);
  const [low, high] = both(cell.bias.squared);
  return [Math.sqrt(Math.max(0, low)), Math.sqrt(Math.max(0, high))];
}
