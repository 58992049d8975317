import { readFileSync } from 'node:fs';
import { adjacencies, LetheError, type Adjacency, type PrivacyEvent } from '@lethe/core';
import { expect, it } from 'vitest';
import { resolveEvent } from '../src/events/index.js';
import { knowers } from '../src/events/kinds/index.js';
import { witnessOf } from '../src/events/pairs/witness.js';

const guide = new URL('../../../docs/guide/accounting.md', import.meta.url);
const core = (kind: string, fields: object = {}): PrivacyEvent => ({ kind: `core/${kind}`, v: 1, ...fields });
const sensitivity = { 'add-remove': 1, 'zero-out': 1, 'replace-one': 2 };
const gaussian = core('gaussian', { sigma: 2, sensitivity });
const laplace = core('laplace', { scale: 4, sensitivity });
const sampled = (kind: string, sampler: object, event = gaussian): PrivacyEvent =>
  core('sampled', { sampler: { kind: `core/${kind}`, ...sampler }, event });
const drawn = (replacement: boolean): object => ({ n: 20, size: 5, replacement });
const pure = core('pure', { epsilon: 0.3 });
const groupOf = (event: PrivacyEvent): PrivacyEvent => core('group', { size: 3, event });
const stream = {
  sigma: 8,
  sensitivity,
  factorisation: 'binary-tree',
  steps: 7,
  participation: { times: 1, gap: 1 },
  columnNorm: 2,
};
const mixture = { means: [0, 1], probabilities: [0.9, 0.1] };

/** The events of the table in the guide. */
const rows: readonly (readonly [text: string, event: PrivacyEvent])[] = [
  ['Gaussian noise', gaussian],
  ['Laplace noise', laplace],
  [
    'discrete Gaussian noise on a grid, one entry',
    core('discrete-gaussian', { sigma: 2, sensitivity, grid: 1, entries: 1 }),
  ],
  ['the same, several entries', core('discrete-gaussian', { sigma: 2, sensitivity, grid: 1, entries: 5 })],
  ['discrete Laplace noise on a grid', core('discrete-laplace', { scale: 4, sensitivity, grid: 1 })],
  ['exponential mechanism', core('exponential', { epsilon: 0.2, sensitivity })],
  ['randomised response', core('randomized-response', { p: 0.5, categories: 3 })],
  ['stated ε', pure],
  ['stated (ε, δ)', core('approximate', { epsilon: 0.3, delta: 1e-6 })],
  ['stated ρ of zCDP', core('zcdp', { rho: 0.1 })],
  ['stated Rényi divergences', core('renyi', { orders: [{ order: 4, divergence: 0.2 }] })],
  [
    'an (ε, δ) verified by sampling',
    core('verified', { epsilon: 1, delta: 1e-6, samples: 9, threshold: 0.5 }),
  ],
  ['stated (ε, δ) of a shuffled protocol', core('shuffled', { epsilon: 0.3, delta: 1e-6, honestUsers: 9 })],
  ['shuffled messages of local randomisers', core('shuffled-local', { epsilon: 1, users: 100 })],
  ['Poisson sample of Gaussian noise', sampled('poisson', { rate: 0.2 })],
  ['Poisson sample of Laplace noise', sampled('poisson', { rate: 0.2 }, laplace)],
  ['draws without replacement', sampled('fixed-size', drawn(false))],
  ['the same, of Laplace noise', sampled('fixed-size', drawn(false), laplace)],
  ['draws with replacement', sampled('fixed-size', drawn(true))],
  ['the same, of Laplace noise', sampled('fixed-size', drawn(true), laplace)],
  ['truncated Poisson sample', sampled('truncated-poisson', { n: 20, rate: 0.2, most: 5 })],
  ['random allocation to one of several steps', sampled('random-allocation', { steps: 3 })],
  ['the same, of Laplace noise', sampled('random-allocation', { steps: 3 }, laplace)],
  ['random allocation to several of the steps', sampled('random-allocation', { steps: 9, times: 3 })],
  ['group of records, noise alone', groupOf(gaussian)],
  ['group in a Poisson sample', groupOf(sampled('poisson', { rate: 0.2 }))],
  ['group in draws', groupOf(sampled('fixed-size', drawn(false)))],
  ['prefix sums', core('prefix-sum', { ...stream, attained: true })],
  ['prefix sums whose column norm is a bound', core('prefix-sum', stream)],
  [
    'two mixtures of Gaussians',
    core('gaussian-mixture-pair', { sigma: 2, first: mixture, second: { means: [0], probabilities: [1] } }),
  ],
  [
    'shifts that a mixture bounds',
    core('gaussian-mixture', { sigma: 2, shifts: [0, 1], probabilities: [0.9, 0.1] }),
  ],
  ['selection of the best run', core('selection', { base: gaussian, stopProbability: 0.5, cap: 9 })],
  ['the same, over a stated ε', core('selection', { base: pure, stopProbability: 0.5, cap: 9 })],
  [
    'the same, a negative binomial number of runs',
    core('negative-binomial-selection', { base: pure, shape: 0, stopProbability: 0.1 }),
  ],
  ['the same, a Poisson number of runs', core('poisson-selection', { base: pure, mean: 5 })],
  ['an event that may fail', core('failing', { delta: 1e-6, event: gaussian })],
  ['composition of such events', core('compose', { parts: [{ event: gaussian, count: 9 }] })],
  ['events on disjoint records', core('parallel', { parts: [gaussian, laplace] })],
  ['what costs at most a limit', core('filtered', { limit: gaussian })],
  ['no noise', core('unprotected')],
  ['nothing', core('free')],
];

/** What is known from below: the bound itself, a witness beside it, or nothing; `–` for no finite bound. */
function lowerEnd(event: PrivacyEvent, adjacency: Adjacency): string {
  const known = <T>(compute: () => T): T | undefined => {
    try {
      return compute();
    } catch (error) {
      if (error instanceof LetheError) return undefined;
      throw error;
    }
  };
  const pairs = known(() => resolveEvent(event, 'pair', { adjacency }));
  if (pairs?.every(({ attained }) => attained)) return 'attained';
  if (pairs?.every((pair) => witnessOf(pair) !== undefined)) return 'witness';
  const isKnown =
    pairs !== undefined ||
    known(() => resolveEvent(event, 'rdp', { adjacency })) !== undefined ||
    known(() => resolveEvent(event, 'approximate', { adjacency })) !== undefined;
  return isKnown ? 'at most' : '–';
}

it('the guide lists which events have a lower end', () => {
  const table = [
    `| event | ${adjacencies.map((adjacency) => `\`${adjacency}\``).join(' | ')} |`,
    '|---|---|---|---|',
    ...rows.map(
      ([text, event]) =>
        `| ${text} | ${adjacencies.map((adjacency) => lowerEnd(event, adjacency)).join(' | ')} |`,
    ),
  ].join('\n');
  expect(readFileSync(guide, 'utf8')).toContain(table);
  const listed = new Set(rows.map(([, { kind }]) => kind));
  expect(Object.keys(knowers).filter((kind) => !listed.has(kind))).toEqual([]);
});
