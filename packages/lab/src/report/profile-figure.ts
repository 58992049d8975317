import * as Plot from '@observablehq/plot';
import type { Profile, ProfilePoint } from '../profile/profile.js';
import { roundTicks, valueAxis, type LogAxis } from './axis.js';
import { axes, draw, halo } from './drawing.js';
import { html, trusted, type Html } from './escape.js';
import { sample } from './legend.js';
import { formatBound, formatNumber, formatPower, formatTick } from './format.js';
import type { Style } from './series.js';

/** One curve of a figure of profiles. */
export interface Curve {
  readonly name: string;
  readonly style: Style;
  readonly profile: Profile;
}
interface Budget {
  readonly epsilon: number;
  readonly delta: number;
}

/** Content of a figure of privacy profiles. */
export interface ProfileFigure {
  readonly title: string;
  readonly curves: readonly Curve[];
  readonly budget: Budget;
  /** `simulation: no privacy`, or nothing. */
  readonly label: string;
}

/** Figure of δ against ε, with the budget. `null` without a curve. */
export function profileFigure({ title, curves, budget, label }: ProfileFigure): Html | null {
  if (curves.length === 0) return null;
  const methods = [...new Set(curves.flatMap(({ profile }) => profile.methods))].join(', ');
  const open = curves.some(({ profile }) =>
    profile.points.some(({ lower, upper }) => lower === 0 && upper > 0),
  );
  const cross = trusted(
    '<svg class="key" viewBox="0 0 34 14" aria-hidden="true"><path d="M12 2L22 12M22 2L12 12" ' +
      'stroke="var(--ink)" stroke-width="2"/></svg>',
  );
  return html`<figure class="wide" aria-label="${`${title}${label === '' ? '' : `. ${label}`}`}">
<div class="figure-head"><h4>${title}</h4></div>
<ul class="legend">${curves.map(({ name, style }) => html`<li>${sample(style)}<span>${name}</span></li>`)}<li>${cross}<span>budget</span></li></ul>
<div class="panels"><div class="panel">${panel({ title, curves, budget })}</div></div>
<figcaption>The same guarantee at every ε. Lines: certified upper bound on δ. Shaded: down to the certified lower bound${open ? ', or to the axis where nothing is known from below' : ''}. Accountants: ${methods}.${curves.length > 1 ? ' A curve may hide another that is equal to it.' : ''}</figcaption>
</figure>
`;
}

function panel({ title, curves, budget }: Omit<ProfileFigure, 'label'>): Html {
  const points = curves.flatMap(({ profile }) => profile.points);
  const inAxis = budget.delta > 0 ? [budget.delta] : [];
  const y = valueAxis([1, ...points.map(({ upper }) => upper).filter((delta) => delta > 0), ...inAxis]);
  const ticks = roundTicks(Math.max(...points.map(({ epsilon }) => epsilon), budget.epsilon));
  const x: readonly [number, number] = [0, ticks[ticks.length - 1]];
  return draw({
    description:
      `${title}: δ, logarithmic, against ε, for ` +
      `${curves.map(({ name, profile }) => `${name} ${spoken(profile)}`).join('; ')}; ` +
      `the budget is ε = ${budget.epsilon} at δ = ${formatNumber(budget.delta)}`,
    x: { type: 'linear', domain: [...x], label: null },
    y: { type: 'log', domain: [...y.domain], label: null },
    marks: [
      ...axes({
        x: ticks,
        y: y.ticks,
        along: 'ε',
        up: 'δ',
        tick: (delta) => (delta < 0.01 ? formatPower(delta) : formatTick(delta)),
      }),
      ...curves.flatMap((curve) => curveMarks(curve, y)),
      ...budgetMarks({ ...budget, delta: Math.max(budget.delta, y.domain[0]) }, x),
    ],
  });
}

const spoken = ({ points }: Profile): string => {
  const [first, last] = [points[0], points[points.length - 1]];
  return (
    `from at most ${formatBound(first.upper, 'upper')} at ε = ${formatNumber(first.epsilon)} to at most ` +
    `${formatBound(last.upper, 'upper')} at ε = ${formatNumber(last.epsilon)}`
  );
};

function curveMarks(
  { name, style: { colour, symbol, dash }, profile }: Curve,
  { domain: [floor] }: LogAxis,
): Plot.Markish[] {
  const shown = profile.points.map(({ epsilon, lower, upper }) => ({
    epsilon,
    lower: Math.max(lower, floor),
    upper: Math.max(upper, floor),
  }));
  const title = ({ epsilon, lower, upper }: ProfilePoint): string =>
    `${name} at ε = ${formatNumber(epsilon)}: δ in [${formatBound(lower, 'lower')}, ` +
    `${formatBound(upper, 'upper')}]`;
  return [
    Plot.areaY(shown, { x: 'epsilon', y1: 'lower', y2: 'upper', fill: colour, fillOpacity: 0.16 }),
    Plot.line(shown, { x: 'epsilon', y: 'upper', stroke: colour, strokeWidth: 1.75, strokeDasharray: dash }),
    Plot.dot(
      shown.filter((_, i) => i % 6 === 3),
      { x: 'epsilon', y: 'upper', symbol, r: 4, fill: colour, stroke: 'var(--paper)', strokeWidth: 1.25 },
    ),
    Plot.dot(profile.points, {
      x: 'epsilon',
      y: ({ upper }: ProfilePoint) => Math.max(upper, floor),
      r: 5,
      fill: colour,
      fillOpacity: 0,
      title,
    }),
  ];
}

function budgetMarks({ epsilon, delta }: Budget, [, right]: readonly [number, number]): Plot.Markish[] {
  const leftwards = epsilon > 0.75 * right;
  return [
    Plot.dot([{ epsilon, delta }], {
      x: 'epsilon',
      y: 'delta',
      symbol: 'times',
      r: 5,
      stroke: 'var(--ink)',
      strokeWidth: 2,
    }),
    Plot.text([{ epsilon, delta }], {
      x: 'epsilon',
      y: 'delta',
      text: () => 'budget',
      dx: leftwards ? -9 : 9,
      dy: -10,
      textAnchor: leftwards ? 'end' : 'start',
      fill: 'var(--ink)',
      ...halo,
    }),
  ];
}
