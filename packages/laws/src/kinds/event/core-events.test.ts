import {
  defineEvent,
  parseEvent,
  type Adjacency,
  type CharacterisationKind,
  type EventKind,
  type PrivacyEvent,
  type Resolver,
} from '@lethe/core';
import { anyEventSchema } from '@lethe/core/testing';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { subjectsOf } from '../../law/make-subject.js';
import { failureText } from '../../law/report.js';
import { runLaws } from '../../law/run.js';
import type { Subject } from '../../law/subject.js';
import { eventLaws } from './index.js';
import { endAtFirstViolation } from '../../../test/first-violation.js';

endAtFirstViolation();

const sensitivity = { 'replace-one': 2, 'add-remove': 1, 'zero-out': 1 };
const core = (kind: string, fields: object = {}): PrivacyEvent => ({ kind: `core/${kind}`, v: 1, ...fields });
const gaussian = core('gaussian', { sigma: 1.5, sensitivity });
const laplace = core('laplace', { scale: 2, sensitivity });
const response = core('randomized-response', { p: 0.5, categories: 3 });
const sampled = (sampler: object, event: PrivacyEvent): PrivacyEvent => core('sampled', { sampler, event });
const compose = (...parts: readonly (readonly [PrivacyEvent, number])[]): PrivacyEvent =>
  core('compose', { parts: parts.map(([event, count]) => ({ event, count })) });

/** One event of every kind, and of every shape with its own privacy-loss distribution. */
const events: Readonly<Record<string, PrivacyEvent>> = {
  gaussian,
  laplace,
  response,
  'binary response': core('randomized-response', { p: 0.9, categories: 2 }),
  exponential: core('exponential', {
    epsilon: 0.7,
    sensitivity: { 'replace-one': 1, 'add-remove': 1, 'zero-out': 1 },
  }),
  'discrete gaussian': core('discrete-gaussian', { sigma: 1.5, sensitivity, entries: 1 }),
  'discrete gaussian on a grid': core('discrete-gaussian', {
    sigma: 1.5,
    sensitivity,
    grid: 0.5,
    entries: 1,
  }),
  'discrete laplace': core('discrete-laplace', { scale: 2, sensitivity }),
  'discrete laplace on a grid': core('discrete-laplace', { scale: 2, sensitivity, grid: 0.25 }),
  mixture: core('gaussian-mixture', { sigma: 1, shifts: [0, 1, 2], probabilities: [0.5, 0.3, 0.2] }),
  'two mixtures': core('gaussian-mixture-pair', {
    sigma: 1.5,
    first: { means: [0, 1, 2], probabilities: [0.5, 0.3, 0.2] },
    second: { means: [0, -1], probabilities: [0.9, 0.1] },
  }),
  pure: core('pure', { epsilon: 0.5 }),
  approximate: core('approximate', { epsilon: 0.5, delta: 1e-3 }),
  zcdp: core('zcdp', { rho: 0.3 }),
  renyi: core('renyi', {
    orders: [
      { order: 2, divergence: 0.3 },
      { order: 8, divergence: 1 },
    ],
  }),
  'prefix sum': core('prefix-sum', {
    sigma: 2,
    sensitivity,
    factorisation: 'laws/identity',
    steps: 4,
    participation: { times: 1, gap: 1 },
    columnNorm: 1.5,
    attained: true,
  }),
  free: core('free'),
  unprotected: core('unprotected'),
  failing: core('failing', { delta: 1e-3, event: laplace }),
  filtered: core('filtered', { limit: gaussian }),
  composition: compose([gaussian, 3], [laplace, 2]),
  parallel: core('parallel', { parts: [laplace, gaussian] }),
  'sampled gaussian': sampled({ kind: 'core/poisson', rate: 0.3 }, gaussian),
  'sampled laplace': sampled({ kind: 'core/poisson', rate: 0.3 }, laplace),
  'sampled composition': sampled({ kind: 'core/poisson', rate: 0.3 }, compose([gaussian, 2])),
  'sampled exponential': sampled(
    { kind: 'core/poisson', rate: 0.3 },
    core('exponential', { epsilon: 0.7, sensitivity: { 'replace-one': 1, 'add-remove': 1, 'zero-out': 1 } }),
  ),
  'without replacement': sampled({ kind: 'core/fixed-size', n: 10, size: 3, replacement: false }, gaussian),
  'with replacement': sampled({ kind: 'core/fixed-size', n: 10, size: 3, replacement: true }, gaussian),
  'everybody in a sample': sampled(
    { kind: 'core/fixed-size', n: 10, size: 10, replacement: false },
    gaussian,
  ),
  partition: sampled({ kind: 'core/random-allocation', steps: 3 }, gaussian),
  'truncated sample': sampled({ kind: 'core/truncated-poisson', n: 20, rate: 0.3, most: 10 }, gaussian),
  group: core('group', { size: 3, event: gaussian }),
  'group of samples': core('group', {
    size: 2,
    event: sampled({ kind: 'core/poisson', rate: 0.3 }, gaussian),
  }),
  selection: core('selection', { base: gaussian, stopProbability: 0.1, cap: 100 }),
  'negative binomial selection': core('negative-binomial-selection', {
    base: gaussian,
    shape: 0,
    stopProbability: 0.1,
  }),
  'Poisson selection': core('poisson-selection', { base: core('pure', { epsilon: 0.5 }), mean: 5 }),
  'shuffled messages': core('shuffled-local', { epsilon: 1, users: 100 }),
  shuffled: core('shuffled', { epsilon: 0.5, delta: 1e-6, honestUsers: 100 }),
};

/** Sound bounds that are not tight. */
const countsRuns = [
  {
    law: 'event/renyi',
    because: 'the bound counts the runs once at every order, so that it is best at some order above 1',
  },
];
const known: Readonly<Record<string, readonly { readonly law: string; readonly because: string }[]>> = {
  selection: countsRuns,
  'negative binomial selection': countsRuns,
  'Poisson selection': countsRuns,
  'without replacement': [
    {
      law: 'event/derived',
      because: 'near order 1 the bound is that of whole orders, which concentration beats',
    },
  ],
};

const wants = [
  'pure',
  'approximate',
  'zcdp',
  'tcdp',
  'rdp',
  'gdp',
  'pair',
] as const satisfies readonly CharacterisationKind[];

/** A plugin's kind that is an alias of an event of core, with core's characterisations. */
function alias(inner: PrivacyEvent): EventKind {
  const schema = z.strictObject({
    kind: z.literal('lethe-laws/alias'),
    v: z.literal(1),
    event: anyEventSchema.check(
      z.refine((event) => {
        try {
          parseEvent(event);
          return true;
        } catch {
          return false;
        }
      }),
    ),
  });
  const ask =
    (want: CharacterisationKind) =>
    ({ event }: z.output<typeof schema>, adjacency: Adjacency, resolve: Resolver) =>
      resolve(event, want, adjacency);
  return defineEvent<typeof schema>({
    name: 'lethe-laws/alias',
    version: 1,
    summary: 'An event of core by another name.',
    source: { id: 'lethe', item: 'laws' },
    claims: [],
    schema,
    examples: [{ kind: 'lethe-laws/alias', v: 1, event: inner as never }],
    characterise: Object.fromEntries(wants.map((want) => [want, ask(want)])),
  }) as unknown as EventKind;
}

describe('characterisations of the events of core', () => {
  it.each(Object.entries(events))('satisfy the laws: %s', async (name, event) => {
    const [subject] = subjectsOf(alias(event)) as readonly Subject<'event'>[];
    const reports = await runLaws(eventLaws, subject, { effort: 0.25, skip: known[name] ?? [] });
    const failures = reports
      .filter(({ finding }) => finding.verdict === 'fails')
      .map((report) => failureText(report, 'run'));
    if (failures.length === 1 && failures[0].includes('nothing is known of it under any adjacency')) return;
    expect(failures).toEqual([]);
  });
});
