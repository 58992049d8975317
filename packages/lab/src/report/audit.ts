import * as Plot from '@observablehq/plot';
import type { AuditedCase, AuditResult } from '../audit/audit-case.js';
import { trustText } from '../run/trust-text.js';
import { axes, draw } from './drawing.js';
import { html, trusted, type Html } from './escape.js';
import { formatBound, formatCount, formatNumber, nounFor } from './format.js';
import { page } from './page.js';
import { madeWith } from './parameters.js';
import { table } from './tables.js';

/** Self-contained page of audits: a table, and a trade-off curve for each. */
export function renderAudit(result: AuditResult): string {
  return page({ title: `${result.name}: audit`, entries: [], body: article(result), data: result });
}

function article({ name: title, command, environment, cases }: AuditResult): Html {
  const violated = cases.filter(({ passed }) => !passed).length;
  return html`<article id="audit">
    <h2>${title}</h2>
    <p class="about">
      Each run was made on two neighbouring data sets by an adversary who chooses the gradient of one record and sees
      every answer. How well the answers tell the two apart bounds ε from below. A bound above the certificate would
      be an error in the code or in the mathematics; a bound below it proves nothing.
    </p>
    <ul class="findings">
      <li>
        ${
          violated === 0
            ? `No claim is violated, in ${formatCount(cases.length)} ${nounFor(cases.length, 'audit')}.`
            : html`<strong class="alarm"
              >${formatCount(violated)} of ${formatCount(cases.length)} audits speak against the claim.</strong
            >`
        }
      </li>
    </ul>
    <section>
      <h3>In numbers</h3>
      ${table(
        'Lower bounds on ε beside the certificates',
        [
          { head: 'audit', of: (one: AuditedCase) => one.title, words: true },
          {
            head: 'adjacency',
            of: ({ adjacency, trust }) =>
              trust.model === 'central' ? adjacency : `${adjacency}, ${trustText(trust)}`,
            words: true,
          },
          { head: 'records', of: ({ records }) => formatCount(records) },
          { head: 'δ', of: ({ claimed }) => formatNumber(claimed.delta) },
          { head: 'certified ε', of: ({ claimed }) => formatBound(claimed.epsilon, 'upper') },
          { head: 'ε at least', of: ({ epsilon }) => formatBound(epsilon.lower, 'lower') },
          { head: 'tightness', of: ({ tightness }) => tightness.toFixed(2) },
          { head: 'runs a side', of: ({ runs }) => formatCount(runs) },
          { head: 'verdict', of: verdictText, words: true },
        ],
        cases,
      )}
      ${certainty(cases)}
    </section>
    <section>
      <h3>Telling neighbours apart</h3>
      ${cases.map(figure)}
    </section>
    <section>
      <h3>Run it again</h3>
      <pre class="command"><code>${command}</code></pre>
      <p class="quiet">${madeWith(environment)} The same seed gives the same numbers.</p>
    </section>
  </article> `;
}

/** Confidence of the numbers, and unused answers. */
function certainty(cases: readonly AuditedCase[]): Html | null {
  const [first] = cases;
  const unheard = [...new Set(cases.flatMap((one) => one.unheard))];
  if (first === undefined) return null;
  return html`<p class="fine">
    ε at least: right with probability ${first.confidence}, for each audit by itself. Verdict: a true claim is called
    violated with probability at most ${formatNumber(first.falseAlarm)}.
    ${
      unheard.length === 0
        ? null
        : `Answers to ${unheard.join(', ')} were not made use of; what they tell is missing.`
    }
  </p>`;
}

function verdictText({ verdict, ledgerMatchesPlan, passed }: AuditedCase): Html {
  if (passed) return html`holds`;
  return html`<strong class="alarm"
    >${verdict.holds ? '' : 'VIOLATION'}${ledgerMatchesPlan ? '' : ' ledger differs from the plan'}</strong
  >`;
}

const shares = [0, 0.25, 0.5, 0.75, 1];
const steps = 100;

/** Largest true-positive rate at a false-positive rate under all certified (ε, δ), in both directions. */
export function mostHits(
  { claimed, profile }: Pick<AuditedCase, 'claimed' | 'profile'>,
  falseAlarms: number,
): number {
  return [claimed, ...profile].reduce(
    (most, { epsilon, delta }) =>
      Math.min(
        most,
        Math.exp(epsilon) * falseAlarms + delta,
        1 - Math.exp(-epsilon) * (1 - delta - falseAlarms),
      ),
    1,
  );
}

const stroke = (colour: string, dash: string): Html =>
  trusted(
    `<svg class="key" viewBox="0 0 34 14" aria-hidden="true"><path d="M1 7H33" stroke="${colour}" ` +
      `stroke-width="2" stroke-dasharray="${dash}"/></svg>`,
  );

function figure(one: AuditedCase): Html {
  const { title, epsilon, claimed } = one;
  return html`<figure class="wide" aria-label="${title}">
    <div class="figure-head">
      <h4>${title}</h4>
      ${one.passed ? null : html`<p class="stamp">VIOLATION</p>`}
    </div>
    <ul class="legend">
      <li>${stroke('var(--ink)', 'none')}<span>certificate</span></li>
      <li>${stroke('var(--series-0)', 'none')}<span>what the adversary attains</span></li>
      <li>${stroke('var(--series-1)', '5 4')}<span>ε = ${formatBound(epsilon.lower, 'lower')}, the bound</span></li>
    </ul>
    <div class="panels"><div class="panel">${panel(one)}</div></div>
    <figcaption>
      Share of runs on one neighbour that an event catches, against the share on the other. No event may lie above the
      certificate. The event that gives the bound caught ${formatCount(epsilon.hits)} of ${formatCount(epsilon.runs)}
      runs and, on the other neighbour, ${formatCount(epsilon.falseAlarms)}; the certificate is ε =
      ${formatBound(claimed.epsilon, 'upper')} at δ = ${formatNumber(claimed.delta)}.
    </figcaption>
  </figure> `;
}

interface Place {
  readonly falseAlarms: number;
  readonly hits: number;
}

function panel(one: AuditedCase): Html {
  const { title, tradeOff, epsilon, claimed } = one;
  const along = Array.from({ length: steps + 1 }, (_, i) => i / steps);
  const certificate = along.map((falseAlarms): Place => ({
    falseAlarms,
    hits: Math.max(0, mostHits(one, falseAlarms)),
  }));
  const bound = along
    .map((falseAlarms): Place => ({
      falseAlarms,
      hits: Math.exp(epsilon.lower) * falseAlarms + claimed.delta,
    }))
    .filter(({ hits }) => hits <= 1);
  const line = (places: readonly Place[], colour: string, dash: string): Plot.Markish =>
    Plot.line(places, {
      x: 'falseAlarms',
      y: 'hits',
      stroke: colour,
      strokeWidth: 1.75,
      strokeDasharray: dash,
    });
  return draw({
    description: `${title}: share of runs caught on one neighbour against the other; the bound is ε at least ${formatBound(
      epsilon.lower,
      'lower',
    )}, the certificate ${formatBound(claimed.epsilon, 'upper')}`,
    x: { type: 'linear', domain: [0, 1], label: null },
    y: { type: 'linear', domain: [0, 1], label: null },
    marks: [
      ...axes({ x: shares, y: shares, along: 'false alarms', up: 'hits', tick: String }),
      line(certificate, 'var(--ink)', 'none'),
      line(bound, 'var(--series-1)', '5 4'),
      line(tradeOff, 'var(--series-0)', 'none'),
      Plot.dot([{ falseAlarms: epsilon.falseAlarms / epsilon.runs, hits: epsilon.hits / epsilon.runs }], {
        x: 'falseAlarms',
        y: 'hits',
        r: 4,
        fill: 'var(--series-1)',
      }),
    ],
  });
}
