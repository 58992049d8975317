import { defined } from '@lethe/numerics';
import type { Estimated, MeanCell, MeanResult } from '../experiment/mean-results.js';
import { targetText } from '../means/target-text.js';
import { html, type Content, type Html } from './escape.js';
import { simulationStrip } from './evaluation.js';
import { formatCount, formatNumber } from './format.js';
import { eventTree } from './ledger-view.js';
import { meanFigures } from './mean-figures.js';
import { runAgain, terms } from './parameters.js';
import { table } from './tables.js';

/** Section of an experiment on means: bias and variance beside their bounds, marked as a simulation. */
export function meanArticle(result: MeanResult, id: string): Html {
  const { experiment, label, laws, rule } = result;
  return html`<article id="${id}">
${simulationStrip(label)}
<h2>${experiment.title}</h2>
${experiment.about === '' ? null : html`<p class="about">${experiment.about}</p>`}
<p class="note">Every number below comes from ${formatCount(experiment.repetitions)} answers of a real curator, each about fresh records of a known law and with seeded noise.</p>
<section aria-label="Findings: ${result.experiment.title}"><ul class="findings"><li>${finding(result)}</li></ul></section>
${laws.map(
  (law) => html`<section>
<h3>${law.title}</h3>
${terms([['dimension', formatCount(law.dimension)], ['length of the mean', formatNumber(law.mean)], ...law.moments.map(({ order, root }) => [`moment of order ${order}, its root`, formatNumber(root)] as const), ['records', law.isFinite ? 'finitely many' : 'a continuum']])}
${meanFigures(law.name, result)}
${cellTable(law.name, law.title, result)}
</section>
`,
)}<p class="fine">${rule}</p>
<section><h3>Ledger</h3>
<p>What one mean of each kind costs.</p>
${ledger(result)}</section>
<section><h3>Parameters</h3>${terms([
    ['neighbouring data sets', experiment.adjacency],
    ['records of a mean', experiment.batches.map(formatCount).join(', ')],
    ['cost of a mean', experiment.targets.map(targetText).join('; ')],
    ...experiment.laws.map(
      ({ name, ...law }) => [html`law ${name}`, html`<code>${JSON.stringify(law)}</code>`] as const,
    ),
    ...experiment.means.map(
      ({ name, label: own = name, params, sweep }) =>
        [html`mean ${own}`, html`${name} <code>${JSON.stringify({ ...params, ...sweep })}</code>`] as const,
    ),
  ])}</section>
<section><h3>Run it again</h3>${runAgain(result)}</section>
</article>
`;
}

function finding({ cells, laws }: MeanResult): Content {
  const all = cells.flatMap((cell) =>
    (['bias', 'variance'] as const).map((quantity) => ({ cell, quantity, found: cell[quantity] })),
  );
  const wrong = all.filter(({ found }) => found.verdict === 'outside');
  const bounded = all.filter(({ found }) => found.bound !== null).length;
  const exact = all.filter(({ found }) => found.exact !== null).length;
  if (wrong.length > 0)
    return html`<strong class="alarm">${formatCount(wrong.length)} of ${formatCount(all.length)} measurements contradict what is claimed or known:</strong> ${wrong.map(({ cell, quantity }) => `the ${quantity} of ${cell.label}${cell.swept === null ? '' : ` at ${cell.swept.name} ${cell.swept.value}`} for s = ${formatCount(cell.s)} on ${defined(laws.find(({ name }) => name === cell.law)).title}`).join('; ')}.`;
  return (
    `Of ${formatCount(all.length)} measured biases and variances none is above its bound ` +
    `(${formatCount(bounded)} have one), or away from the exact value (${formatCount(exact)} have one).`
  );
}

function cellTable(law: string, title: string, { cells }: MeanResult): Html {
  const known = (value: number | null): string => (value === null ? '–' : formatNumber(value));
  const measured = ({ value, standardError }: Pick<Estimated, 'value' | 'standardError'>): string =>
    `${formatNumber(value)} ± ${formatNumber(standardError, 2)}`;
  return table(
    `${title}: bias and variance in numbers`,
    [
      { head: 'mean', of: (cell: MeanCell) => cell.label, words: true },
      { head: 'trust', of: ({ trust }) => trust, words: true },
      { head: 'at', of: ({ swept }) => (swept === null ? '–' : `${swept.name} ${swept.value}`) },
      { head: 's', of: ({ s }) => formatCount(s) },
      { head: 'cost', of: ({ target }) => targetText(target) },
      { head: 'bias² ± s.e.', of: ({ bias }) => measured(bias.squared) },
      { head: 'bias', of: ({ bias }) => formatNumber(bias.value) },
      { head: 'exact', of: ({ bias }) => known(bias.exact) },
      { head: 'bound', of: ({ bias }) => known(bias.bound) },
      { head: 'variance ± s.e.', of: ({ variance }) => measured(variance) },
      { head: 'exact', of: ({ variance }) => known(variance.exact) },
      { head: 'bound', of: ({ variance }) => known(variance.bound) },
      {
        head: 'verdict',
        of: ({ bias, variance }) =>
          bias.verdict === 'within' && variance.verdict === 'within'
            ? 'within'
            : html`<strong class="alarm">outside</strong>`,
        words: true,
      },
    ],
    cells.filter((cell) => cell.law === law),
  );
}

function ledger({ cells }: MeanResult): Html {
  const events = new Map<string, { readonly names: string[]; readonly event: MeanCell['event'] }>();
  for (const { label, s, target, event } of cells) {
    const key = JSON.stringify(event);
    const name = `${label}, s = ${formatCount(s)}, ${targetText(target)}`;
    const known = events.get(key);
    if (known === undefined) events.set(key, { names: [name], event });
    else if (!known.names.includes(name)) known.names.push(name);
  }
  return html`${[...events.values()].map(
    ({
      names,
      event,
    }) => html`<details><summary>${names[0]}${names.length === 1 ? '' : ` and ${formatCount(names.length - 1)} more`}</summary>${eventTree(event)}</details>
`,
  )}`;
}
