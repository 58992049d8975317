import { ownerOf } from '../experiment/owner-of.js';
import { assumptionsText } from '../model/model-text.js';
import type { FederationResult, SiloResult } from '../federation/federation-result.js';
import { html, type Html } from './escape.js';
import { formatCount, formatNumber, nounFor } from './format.js';
import { eventTree, intervalText } from './ledger-view.js';
import { page } from './page.js';
import { table } from './tables.js';

/**
 * A federated run as a self-contained page: certificates and ledgers of silos, rounds, bytes, waiting times.
 */
export function renderFederation(result: FederationResult): string {
  const { experiment, label } = result;
  return page({
    title: `${experiment.title} (${label})`,
    entries: [{ id: 'result', title: experiment.title, label }],
    body: article(result),
    data: [result],
    files: ['results.json', ...(result.model === null ? [] : ['model.json'])],
    command: 'lethe federate',
  });
}

/** What the server of a run saw. */
function serverText({ trust, silos }: FederationResult['experiment']): string {
  if (trust === 'trusted')
    return (
      'The server is trusted: silos sent sums without noise, sealed, and the server added one noise to ' +
      'their average. It saw these sums.'
    );
  if (trust === 'untrusted')
    return 'The server is not trusted: each silo added noise of its own before it sent anything.';
  const least = trust.survivors ?? silos.length;
  return (
    `The server is not trusted, and saw sums of at least ${least} silos alone: each silo added a share ` +
    'of the noise, and masks that cancel in the sum.'
  );
}

/** Against whom the numbers of a run hold. */
function adversaryText({ trust }: FederationResult['experiment']): string {
  if (trust === 'trusted') return 'everybody but the server';
  if (trust === 'untrusted')
    return "everybody who sees the silo's messages, the server and the other silos included";
  return (
    `the server and at most ${trust.corrupted} other ${nounFor(trust.corrupted, 'silo')} together, ` +
    'whatever they do, if they cannot ' +
    'break keys and masks'
  );
}

function article(result: FederationResult): Html {
  const { experiment, label, silos, queries, seconds, run, plan, command, output, weights, lostSums } =
    result;
  const { budget, adjacency, gaps, optimizer, problem } = experiment;
  const isOfOwners = ownerOf(problem) !== undefined;
  const total = silos.reduce((sum, { records }) => sum + records, 0);
  const members = isOfOwners ? 'owners in all, each protected with all records' : 'records in all';
  const member = isOfOwners ? 'all records of any one owner' : 'a record';
  const assumptions = [...new Set(silos.flatMap(({ epsilon }) => epsilon.assumptions))];
  const bytes = silos.reduce((sum, { sent, received }) => sum + sent + received, 0);
  return html`<article id="result"><h2>${experiment.title} <span class="quiet">${label}</span></h2>
<p>${experiment.about}</p>
<p>${formatCount(silos.length)} silos, ${formatCount(total)} ${members}; neighbours by ${adjacency}. ${serverText(experiment)}${gaps ? ' Silos that did not answer missed rounds.' : null}</p>
<p>Learnt by ${optimizer.name} on the loss ${problem.loss.name}, within a budget of ε = ${formatNumber(budget.epsilon)} at δ = ${formatNumber(budget.delta)}.</p>
<section><h3>What is certified</h3>
${table<SiloResult>(
  `ε of ${member} of each silo against ${adversaryText(experiment)}; δ = ${formatNumber(budget.delta)}`,
  [
    { head: 'silo', of: ({ name }) => name, words: true },
    { head: isOfOwners ? 'owners' : 'records', of: ({ records }) => formatCount(records) },
    { head: 'ε', of: ({ epsilon }) => intervalText(epsilon) },
    { head: 'by accountant', of: ({ epsilon }) => epsilon.method, words: true },
  ],
  silos,
)}
<p>${assumptions.length === 0 ? 'Nothing is assumed.' : 'Assumed: ' + assumptionsText(assumptions) + '.'}${typeof experiment.trust === 'string' ? null : ' The lower end is of the noise that is counted on, the shares of honest silos in the smallest sum: where more silos add theirs, a record loses less than it says.'} Each silo reserved the whole cost on its own ledger before its first answer, as it worked it out itself.</p></section>
<section><h3>Rounds and messages</h3>
<p>${formatCount(queries)} queries in ${formatNumber(seconds, 3)} s, ${formatNumber(bytes / 1024, 4)} KiB in both directions.${lostSums === 0 ? null : ` ${formatCount(lostSums)} sums have no value; the next ones have what they lacked.`}</p>
${table<SiloResult>(
  'Messages with each silo, those before the first query among them; waiting is from a request to its reply',
  [
    { head: 'silo', of: ({ name }) => name, words: true },
    { head: 'requests', of: ({ requests }) => formatCount(requests) },
    { head: 'rounds without it', of: ({ missed }) => formatCount(missed) },
    { head: 'without a reply', of: ({ requests, replies }) => formatCount(requests - replies) },
    { head: 'KiB to it', of: ({ sent }) => formatNumber(sent / 1024, 4) },
    { head: 'KiB from it', of: ({ received }) => formatNumber(received / 1024, 4) },
    { head: 'waited, s', of: ({ waited }) => formatNumber(waited, 3) },
    { head: 'longest, s', of: ({ longest }) => formatNumber(longest, 3) },
  ],
  silos,
)}</section>
<section><h3>Ledgers</h3>
${silos.map(({ name, spent }) => html`<details><summary>${name}: what its ledger holds of this run</summary>${eventTree(spent)}</details>`)}</section>
<section><h3>Model</h3>
${table<number>(
  'Weights of the features, as the design scales them',
  [
    { head: 'feature', of: (j) => weights[j] ?? `w${j + 1}`, words: true },
    { head: 'weight', of: (j) => formatNumber(output[j], 5) },
  ],
  Array.from({ length: Math.min(output.length, mostShown) }, (_, j) => j),
)}</section>
<section><h3>To make it again</h3>
<p>Run <code>${run}</code>, plan <code>${plan}</code>, signed by the server and every silo. <code>${command} --again</code> makes another run, which each silo is asked about and charged for.</p></section>
</article>
`;
}

/** Weights in the table; the results inside the page have all. */
const mostShown = 100;
