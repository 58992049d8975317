import type { ReleaseResult } from '../experiment/results.js';
import { stoppedText } from '../run/adaptive-account.js';
import { holdsText } from '../run/total-statement.js';
import { html, type Html } from './escape.js';
import { simulationStrip } from './evaluation.js';
import { formatCount, formatNumber, nounFor } from './format.js';
import { epsilonText, eventTree } from './ledger-view.js';
import { profileFigure } from './profile-figure.js';
import { styleAt } from './series.js';
import { factTable, parameters, runAgain, terms } from './parameters.js';
import { table } from './tables.js';
import { largestWeights } from './weights.js';

/** Section of a release: certificate, model, charges, and settings. */
export function releaseArticle(result: ReleaseResult, id: string): Html {
  const { experiment, label, model, spent, total, plan, ledgerMatchesPlan, facts } = result;
  const { shown, all } = largestWeights(model, 200);
  return html`<article id="${id}">
${label === 'release' ? null : simulationStrip(label)}
<h2>${experiment.title}</h2>
${experiment.about === '' ? null : html`<p class="about">${experiment.about}</p>`}
${certificate(result)}
${guarantee(result)}
<section><h3>Model</h3>
<p>${experiment.problem.title}. Learnt by <em>${experiment.optimizer.label ?? experiment.optimizer.name}</em> from noisy answers only. How well it does was not asked, since the answer would cost privacy too.</p>
${table(
  shown.length === all
    ? 'Weights of the released model'
    : `The ${formatCount(shown.length)} largest of ${formatCount(all)} weights of the released model; all are in results.json`,
  [
    { head: 'feature', of: ({ name }) => name, words: true },
    { head: 'weight', of: ({ weight }) => formatNumber(weight, 4) },
  ],
  shown,
)}</section>
<section><h3>Ledger</h3>
<h4>This run</h4>${ledgerMatchesPlan ? null : html`<p><strong class="alarm">The ledger differs from the plan.</strong> The plan was:</p>${eventTree(plan.event)}<p>The ledger holds:</p>`}${eventTree(spent)}
${adaptiveAccount(result)}<h4>The data set in all</h4>${eventTree(total.event)}
<p class="quiet">${formatCount(total.runs.length)} ${nounFor(total.runs.length, 'run')}: <span class="statement">${total.runs.join(', ')}</span></p></section>
<section><h3>Parameters</h3>${parameters(result)}
<details><summary>What the plan was told</summary>${factTable(`${experiment.problem.title}, released`, facts)}</details></section>
<section><h3>Run it again</h3>${runAgain(result)}</section>
</article>
`;
}

const neighbours: Readonly<Record<string, string>> = {
  'replace-one': 'one record replaced (replace-one)',
  'add-remove': 'one record added or removed (add-remove)',
  'zero-out': 'one record made null (zero-out)',
};

const ofOwners: Readonly<Record<string, string>> = {
  'replace-one': 'all records of one owner replaced (replace-one)',
  'zero-out': 'all records of one owner made null (zero-out)',
};

function certificate({ certificate: proof, total, run, ledgerMatchesPlan, label }: ReleaseResult): Html {
  const real = label === 'release';
  return html`<section class="certificate" aria-label="Certificate">
<p class="${real ? 'quiet' : 'stamp'}">${real ? 'certificate' : label}</p>
<p class="epsilon">${epsilonText(proof)}</p>
<p>at δ = ${formatNumber(proof.delta)}, for any two data sets that differ by <b>${(proof.unit === 'owner' ? ofOwners : neighbours)[proof.adjacency] ?? proof.adjacency}</b>${real ? '' : ', had the noise been secret'}</p>
${terms([
  ['how it is known', `${proof.certificate}, ${proof.method}`],
  ['assuming', proof.assumptions.length === 0 ? 'nothing' : proof.assumptions.join(', ')],
  [
    'ledger',
    ledgerMatchesPlan
      ? 'exactly the planned event'
      : html`<strong class="alarm">differs from the plan</strong>`,
  ],
  [
    'data set in all',
    `${epsilonText(total.interval)} at δ = ${formatNumber(proof.delta)}, over ${formatCount(total.runs.length)} run${total.runs.length === 1 ? '' : `s, ${holdsText(total.holds)}`}`,
  ],
  ['run', html`<code>${run}</code>`],
])}
</section>
`;
}

/** Account of an adaptive optimizer. */
function adaptiveAccount({
  adaptive,
  certificate: { delta },
  certificate: planned,
}: ReleaseResult): Html | null {
  if (adaptive === undefined) return null;
  const { steps, most, stopped, charged } = adaptive;
  return html`<h4>How it went</h4>
${terms([
  ['steps', `${formatCount(steps)}${most === null ? '' : ` of at most ${formatCount(most)}`}`],
  ['stopped because', stoppedText(stopped)],
  ['planned', `${epsilonText(planned)} at δ = ${formatNumber(delta)}, the limit of its filter`],
  ['charged', `${epsilonText(charged.interval)} at δ = ${formatNumber(delta)}`],
])}
<p class="quiet">Answers decided how much was charged, so the charge guarantees nothing by itself; the planned limit does.</p>
${eventTree(charged.event)}
`;
}

/** Privacy profiles of the run and of the data set. */
function guarantee({ profiles, experiment: { budget }, label, total }: ReleaseResult): Html | null {
  const named = [
    ['this run', profiles?.run ?? null],
    ...(total.runs.length > 1 ? [['the data set in all', profiles?.total ?? null] as const] : []),
  ] as const;
  const figure = profileFigure({
    title: 'δ against ε',
    budget,
    label: label === 'release' ? '' : label,
    curves: named.flatMap(([name, profile], i) =>
      profile === null ? [] : [{ name, profile, style: styleAt(i) }],
    ),
  });
  return figure === null
    ? null
    : html`<section><h3>The guarantee at other ε</h3>${figure}</section>
`;
}
