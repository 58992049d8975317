import type { Interval, PrivacyEvent } from '@lethe/core';
import { hasLowerEnd } from './bounds-text.js';
import { html, type Content, type Html } from './escape.js';
import { formatBound, formatCount, formatNumber } from './format.js';

/** Trees are cut here; the results inside the page are whole. */
const deepest = 24;
const widest = 40;

/** ε as the interval it is known in, both ends rounded outward, or what it is at most. */
export const intervalText = ({ lower, upper }: Pick<Interval, 'lower' | 'upper'>): string =>
  hasLowerEnd({ lower, upper })
    ? `[${formatBound(lower, 'lower')}, ${formatBound(upper, 'upper')}]`
    : `≤ ${formatBound(upper, 'upper')}`;

/** The same with its name: `ε ∈ [0.99, 1.00]`, `ε ≤ 1.00`. */
export const epsilonText = (interval: Pick<Interval, 'lower' | 'upper'>): string =>
  `ε ${hasLowerEnd(interval) ? '∈ ' : ''}${intervalText(interval)}`;

/** A privacy event as nested lists in plain words. Unknown kinds are shown by their fields. */
export const eventTree = (event: PrivacyEvent): Html => html`<ul class="tree">${node(event, 1, 0)}</ul>`;

type Fields = Readonly<Record<string, unknown>>;
interface Part {
  readonly event: PrivacyEvent;
  readonly count: number;
}

function node(event: PrivacyEvent, count: number, depth: number): Html {
  const parts = partsOf(event);
  const shown = parts.slice(0, widest);
  const times = count === 1 ? null : html`<b>${formatCount(count)} ×</b> `;
  let inside: Html | null;
  if (parts.length === 0) inside = null;
  else if (depth >= deepest) inside = html`<ul><li>…</li></ul>`;
  else
    inside = html`<ul>${shown.map((part) => node(part.event, part.count, depth + 1))}${parts.length > widest ? html`<li>and ${formatCount(parts.length - widest)} more</li>` : null}</ul>`;
  return html`<li>${times}${words(event)}${inside}</li>`;
}

function partsOf(event: PrivacyEvent): readonly Part[] {
  const { parts, event: inner, base, limit } = event as PrivacyEvent & Fields;
  if (event.kind === 'core/compose') return list(parts) as Part[];
  if (event.kind === 'core/parallel')
    return (list(parts) as PrivacyEvent[]).map((part) => ({ event: part, count: 1 }));
  return [inner, base, limit].filter(isEvent).map((part) => ({ event: part, count: 1 }));
}
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const isEvent = (value: unknown): value is PrivacyEvent =>
  typeof value === 'object' && value !== null && 'kind' in value;

const phrases: Readonly<Record<string, (event: Fields) => Content>> = {
  'core/compose': () => 'One after another, costs add up:',
  'core/parallel': () => 'On disjoint records, so that the dearest counts:',
  'core/sampled': ({ sampler }) => html`On a secret sample (${samplerText(sampler)}):`,
  'core/gaussian': ({ sigma, sensitivity }) =>
    html`Gaussian noise, σ = ${figure(sigma)}; ${sensitivityText(sensitivity)}`,
  'core/discrete-gaussian': ({ sigma, sensitivity }) =>
    html`Discrete Gaussian noise, σ = ${figure(sigma)}; ${sensitivityText(sensitivity)}`,
  'core/laplace': ({ scale, sensitivity }) =>
    html`Laplace noise of scale ${figure(scale)}; ${sensitivityText(sensitivity)}`,
  'core/discrete-laplace': ({ scale, sensitivity }) =>
    html`Discrete Laplace noise of scale ${figure(scale)}; ${sensitivityText(sensitivity)}`,
  'core/exponential': ({ epsilon }) => html`Exponential mechanism, ε = ${figure(epsilon)}`,
  'core/randomized-response': ({ p, categories }) =>
    html`Randomised response over ${figure(categories)} categories, p = ${figure(p)}`,
  'core/pure': ({ epsilon }) => html`ε = ${figure(epsilon)}, pure`,
  'core/approximate': ({ epsilon, delta }) => html`ε = ${figure(epsilon)}, δ = ${figure(delta)}`,
  'core/renyi': ({ orders }) =>
    html`Rényi divergence at most ${(orders as readonly { order: number; divergence: number }[]).map(({ order, divergence }) => `${figure(divergence)} of order ${figure(order)}`).join(', ')}`,
  'core/zcdp': ({ rho }) => html`ρ = ${figure(rho)} of zero-concentrated privacy`,
  'core/shuffled': ({ epsilon, delta, honestUsers }) =>
    html`Shuffled among ${figure(honestUsers)} honest users; each ε = ${figure(epsilon)}, δ = ${figure(delta)}`,
  'core/prefix-sum': ({ sigma, factorisation, steps }) =>
    html`Prefix sums over ${figure(steps)} steps by ${String(factorisation)}, σ = ${figure(sigma)}`,
  'core/selection': ({ stopProbability, cap }) =>
    html`Selection of the best of a random number of tries (stops with probability ${figure(stopProbability)}, at most ${figure(cap)}), each:`,
  'core/negative-binomial-selection': ({ shape, stopProbability }) =>
    html`Selection of the best of a negative binomial number of tries (shape ${figure(shape)}, stops with probability ${figure(stopProbability)}), each:`,
  'core/poisson-selection': ({ mean }) =>
    html`Selection of the best of a Poisson number of tries (mean ${figure(mean)}, never none), each:`,
  'core/gaussian-mixture': ({ sigma, shifts }) =>
    html`Gaussian noise, σ = ${figure(sigma)}; moved by one of ${(shifts as readonly number[]).map(figure).join(', ')}, in secret`,
  'core/gaussian-mixture-pair': ({ sigma, first, second }) =>
    html`Gaussian noise, σ = ${figure(sigma)}, about one of ${meansText(first)} for one neighbour and one of ${meansText(second)} for the other, in secret`,
  'core/shuffled-local': ({ epsilon, users }) =>
    html`Messages of ${figure(users)} users, shuffled, by one randomiser of ε = ${figure(epsilon)}`,
  'core/group': ({ size }) => html`For ${figure(size)} records that differ together:`,
  'core/failing': ({ delta }) => html`Fails with probability at most ${figure(delta)}; otherwise:`,
  'core/verified': ({ epsilon, delta, samples }) =>
    html`Verified by ${figure(samples)} samples: ε = ${figure(epsilon)}, δ = ${figure(delta)}`,
  'core/filtered': () => 'Spent adaptively, never beyond:',
  'core/unprotected': () => html`<strong class="alarm">Released without noise: no privacy</strong>`,
  'core/free': () => 'Nothing was released',
};

function words(event: PrivacyEvent): Content {
  const phrase = Object.hasOwn(phrases, event.kind) ? phrases[event.kind] : undefined;
  if (phrase !== undefined) return phrase(event as PrivacyEvent & Fields);
  const { kind, v, event: _inner, base: _base, limit: _limit, ...fields } = event as PrivacyEvent & Fields;
  return html`${kind} (version ${v})${Object.keys(fields).length === 0 ? null : html` <code>${JSON.stringify(fields)}</code>`}`;
}

const figure = (value: unknown): string => {
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? formatCount(value) : formatNumber(value, 4);
  return String(value);
};

const meansText = (mixture: unknown): string =>
  (mixture as { readonly means: readonly number[] }).means.map(figure).join(', ');

function sensitivityText(sensitivity: unknown): string {
  const entries = Object.entries((sensitivity ?? {}) as Readonly<Record<string, number>>);
  return entries.length === 0
    ? 'no sensitivity is declared'
    : `sensitivity ${entries.map(([adjacency, value]) => `${figure(value)} (${adjacency})`).join(', ')}`;
}

function samplerText(sampler: unknown): string {
  const { kind, rate, n, size, replacement } = sampler as Fields;
  if (kind === 'core/poisson') return `each record by itself with probability ${figure(rate)}`;
  if (kind === 'core/random-allocation') {
    const { steps, times = 1 } = sampler as Fields;
    return `each record in ${times === 1 ? 'one' : figure(times)} of ${figure(steps)} batches`;
  }
  if (kind === 'core/truncated-poisson')
    return (
      `each record by itself with probability ${figure(rate)}, at most ` +
      `${figure((sampler as Fields)['most'])} of ${figure(n)}`
    );
  return kind === 'core/fixed-size'
    ? `${figure(size)} of ${figure(n)} records ${replacement === true ? 'with' : 'without'} replacement`
    : JSON.stringify(sampler);
}
