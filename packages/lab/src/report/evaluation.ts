import type { Cell, EvaluationResult, ProblemResult } from '../experiment/results.js';
import { bracketRule } from '../run/bracket.js';
import { comparisonTables } from './comparison.js';
import { html, type Html } from './escape.js';
import { dimensionFigure, problemFigures } from './figures.js';
import { formatCount, formatNumber } from './format.js';
import { unboundOn } from './frame.js';
import { findings } from './headline.js';
import { eventTree, epsilonText } from './ledger-view.js';
import { constantOf } from './legend.js';
import { factTable, parameters, runAgain, terms } from './parameters.js';
import { profileFigure } from './profile-figure.js';
import { seriesOf, type Series } from './series.js';
import { cellTable, seedTable, sweepTable } from './tables.js';

/** Section of an evaluation, marked as a simulation. */
export function evaluationArticle(result: EvaluationResult, id: string): Html {
  const { experiment, label, problems } = result;
  return html`<article id="${id}">
${simulationStrip(label)}
<h2>${experiment.title}</h2>
<section aria-label="Findings: ${result.experiment.title}"><ul class="findings">${findings(result).map(
    (finding) => html`<li>${finding}</li>
`,
  )}</ul></section>
${experiment.about === '' ? null : html`<p class="about">${experiment.about}</p>`}
<p class="note">This is a simulation: it reads the raw data to measure errors and draws noise that can be repeated, so the page itself is not private. Each ε is what the same runs would have cost with secret noise.</p>
${sectionsOf(result, id)}
${acrossDimensions(result)}${problems.map((problem, k) => problemSection(problem, result, `${id}-problem-${k + 1}`))}
<section id="${id}-ledger"><h3>Ledger</h3>
<p>What the curator charged for each run, as an event; the accountant turns it into ε. The event is the same for every seed.</p>
${problems.map((problem) => ledgerOf(problem, result))}</section>
<section id="${id}-parameters"><h3>Parameters</h3>${parameters(result)}</section>
<section id="${id}-again"><h3>Run it again</h3>${runAgain(result)}</section>
</article>
`;
}

/** Stays in sight while its article is read. */
export const simulationStrip = (label: string): Html =>
  html`<p class="strip" role="note"><strong>${label}</strong></p>`;

/** Links to the parts of an article. */
const sectionsOf = ({ problems }: EvaluationResult, id: string): Html =>
  html`<nav class="contents" aria-label="Parts of this result">${[
    ...problems.map(({ title }, k) => [`${id}-problem-${k + 1}`, title] as const),
    [`${id}-ledger`, 'Ledger'] as const,
    [`${id}-parameters`, 'Parameters'] as const,
    [`${id}-again`, 'Run it again'] as const,
  ].map(([to, text]) => html`<a href="#${to}">${text}</a> `)}</nav>`;

function acrossDimensions(result: EvaluationResult): Html | null {
  const figure = dimensionFigure(result);
  return figure === null
    ? null
    : html`<section><h3>Across dimensions</h3>${figure}</section>
`;
}

function problemSection(
  problem: ProblemResult,
  { label, experiment, problems }: EvaluationResult,
  id: string,
): Html {
  const { title, loss, dimension, population, optimum, withoutOptimum, startExcess, lowerBound, facts } =
    problem;
  return html`<section id="${id}">
<h3>${title}</h3>
${terms([
  ['loss', loss],
  ['dimension', formatCount(dimension)],
  ...heldOutTerms(problem),
  ['population', population === null ? 'drawn anew for every seed' : `${formatCount(population)} records`],
  ...(optimum === null ? [] : [['optimum’s risk', formatNumber(optimum.risk, 4)] as const]),
  [withoutOptimum === undefined ? 'start’s excess risk' : 'start’s risk', formatNumber(startExcess, 4)],
])}
${withoutOptimum === undefined ? null : html`<p class="note">No optimum is known to compare with, so that every number called excess risk on this problem is the risk itself: ${withoutOptimum}.</p>`}
${problemFigures(problem, { label, experiment, problems })}
${lowerBound === null ? null : html`<p class="fine">${sentence(constantOf(lowerBound.points))}. ${lowerBound.binds === undefined ? 'It speaks of the worst problem of its class; this one may be easier.' : binding[lowerBound.binds]}${privacyOf(problem)} ${lowerBound.statement} (${lowerBound.source}).</p>`}
${cellTable(problem)}
${sweepTable(problem)}
${comparisonTables(problem)}
${problem.cells.some(({ bracket }) => bracket !== undefined) ? html`<p class="fine">${bracketRule}</p>` : null}
${utilitySources(problem)}
${rateSources(problem)}
${seedTable(problem)}
${facts === undefined ? null : html`<details><summary>What the plan was told</summary>${factTable(title, facts)}</details>`}
</section>
`;
}

/** What the non-private optimum attains on records held out. */
function heldOutTerms({ heldOut }: ProblemResult): readonly (readonly [string, string])[] {
  if (heldOut === undefined) return [];
  const { records, optimum } = heldOut;
  const measured = (
    [
      ['AUC', optimum?.auc],
      ['accuracy', optimum?.accuracy],
      ['R²', optimum?.r2],
    ] as const
  ).flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${formatNumber(value, 4)}`]));
  return [
    ['held out', `${formatCount(records)} records`],
    ...(measured.length === 0 ? [] : [['non-private fit, on these', measured.join(', ')] as const]),
  ];
}

const binding = {
  'every-algorithm':
    'These are its own hard instances, with words drawn at random: where its constant is proved, ' +
    'no method has a mean below it.',
  zcdp:
    'These are its own hard instances, with words drawn at random: where its constant is proved, ' +
    'no method has a mean below it that is ρ-zCDP at the budget’s ρ.',
} as const;

/** Note on the scope of a lower bound for ρ-zCDP. */
function privacyOf(problem: ProblemResult): string {
  if (problem.lowerBound?.binds === 'every-algorithm') return '';
  const unbound = unboundOn(problem);
  return (
    ' ρ is that of the Gaussian mechanism that meets the budget exactly.' +
    (unbound.length === 0
      ? ''
      : ` It does not bind ${unbound.join(', ')}: what shuffles, samples in secret or has no privacy ` +
        'keeps its budget, if any, without being ρ-zCDP at that ρ.')
  );
}

const sentence = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

function utilitySources({ cells }: ProblemResult): Html | null {
  const sources = [
    ...new Set(
      cells.flatMap(({ label, plan }) => (plan.utility === null ? [] : [`${label}: ${plan.utility.source}`])),
    ),
  ];
  return sources.length === 0
    ? null
    : html`<p class="fine">Upper bounds are claims of the plans, from the facts they were told: ${sources.join('; ')}.</p>`;
}

function rateSources({ rates = [] }: ProblemResult): Html | null {
  return rates.length === 0
    ? null
    : html`<p class="fine">Rates are what theorems say without their constants, so that slopes count and heights do not: ${rates.map(({ label, title, source, factor }) => `${label}: ${title} (${source})` + (factor === 1 ? '' : `, times ${formatNumber(factor)}`)).join('; ')}.</p>`;
}

function ledgerOf(problem: ProblemResult, { label, problems }: EvaluationResult): Html {
  const series = seriesOf(
    problem,
    problems.flatMap(({ cells }) => cells),
  );
  const entry = (cell: Cell): Html =>
    html`<li><p><b>n = ${formatCount(cell.n)}, ε = ${cell.budget.epsilon}</b>: accounted ${epsilonText(cell.accounted)} at δ = ${formatNumber(cell.budget.delta)} (${cell.accounted.certificate}, ${cell.accounted.method}${
      cell.accounted.assumptions.length === 0 ? '' : `; assuming ${cell.accounted.assumptions.join(', ')}`
    })${cell.ledgerMatchesPlan ? null : html`; <strong class="alarm">differs from the plan, which is:</strong>`}</p>${eventTree(cell.plan.event)}</li>`;
  return html`${guarantees(problem, series, label)}${series.map(
    ({
      name,
      cells,
    }) => html`<details><summary>${problem.title}: ${name}</summary><ul class="charges">${cells.map(entry)}</ul></details>
`,
  )}`;
}

/** Privacy profiles of the headline's settings, all at one budget. */
function guarantees(problem: ProblemResult, series: readonly Series[], label: string): Html | null {
  const found = series.flatMap(({ name, style, cells }) =>
    cells.flatMap(({ profile, budget, n }) =>
      profile === undefined || profile === null ? [] : [{ name, style, profile, budget, n }],
    ),
  );
  const [first] = found;
  return first === undefined
    ? null
    : profileFigure({
        title: `${problem.title}: δ against ε, at n = ${formatCount(first.n)}`,
        curves: found,
        budget: first.budget,
        label,
      });
}
