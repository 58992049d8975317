import { accountants, bestOf, calibrator, resolveEvent } from '@lethe/accountants';
import {
  adjacencies,
  clippedMeanEvent,
  normalEvent,
  parseEvent,
  type Accountant,
  type Adjacency,
  type PrivacyEvent,
} from '@lethe/core';
import { canonicalEvent } from '@lethe/core/testing';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectRefused, spoilt, strangeNumbers, typedOutcome } from './refused.js';

const sensitivity = { 'replace-one': 1, 'add-remove': 0.5, 'zero-out': 0.5 };
const gaussian = { kind: 'core/gaussian', v: 1, sensitivity, sigma: 2 };
/** One well-formed event of every kind of core. */
const good = [
  gaussian,
  { kind: 'core/laplace', v: 1, sensitivity, scale: 2 },
  { kind: 'core/discrete-gaussian', v: 1, sensitivity, sigma: 2 },
  { kind: 'core/discrete-laplace', v: 1, sensitivity, scale: 2 },
  { kind: 'core/exponential', v: 1, sensitivity, epsilon: 1 },
  { kind: 'core/randomized-response', v: 1, p: 0.75, categories: 2 },
  { kind: 'core/pure', v: 1, epsilon: 1 },
  { kind: 'core/approximate', v: 1, epsilon: 1, delta: 1e-9 },
  { kind: 'core/zcdp', v: 1, rho: 0.1 },
  {
    kind: 'core/renyi',
    v: 1,
    orders: [
      { order: 2, divergence: 0.1 },
      { order: 8, divergence: 0.3 },
    ],
  },
  {
    kind: 'core/compose',
    v: 1,
    parts: [
      { event: gaussian, count: 3 },
      { event: { kind: 'core/pure', v: 1, epsilon: 0.1 }, count: 1 },
    ],
  },
  { kind: 'core/parallel', v: 1, parts: [gaussian, { kind: 'core/free', v: 1 }] },
  {
    kind: 'core/sampled',
    v: 1,
    sampler: { kind: 'core/poisson', rate: 0.01 },
    event: { kind: 'core/compose', v: 1, parts: [{ event: gaussian, count: 2 }] },
  },
  {
    kind: 'core/sampled',
    v: 1,
    sampler: { kind: 'core/fixed-size', n: 100, size: 5, replacement: false },
    event: gaussian,
  },
  { kind: 'core/shuffled', v: 1, epsilon: 1, delta: 0, honestUsers: 100 },
  {
    kind: 'core/prefix-sum',
    v: 1,
    sensitivity,
    sigma: 2,
    factorisation: 'identity',
    steps: 4,
    participation: { times: 1, gap: 1 },
    columnNorm: 1,
  },
  { kind: 'core/selection', v: 1, base: gaussian, stopProbability: 0.5, cap: 10 },
  { kind: 'core/failing', v: 1, delta: 1e-9, event: gaussian },
  {
    kind: 'core/sampled',
    v: 1,
    sampler: { kind: 'core/fixed-size', n: 100, size: 5, replacement: true },
    event: gaussian,
  },
  { kind: 'core/sampled', v: 1, sampler: { kind: 'core/random-allocation', steps: 5 }, event: gaussian },
  {
    kind: 'core/sampled',
    v: 1,
    sampler: { kind: 'core/truncated-poisson', n: 100, rate: 0.1, most: 12 },
    event: gaussian,
  },
  { kind: 'core/gaussian-mixture', v: 1, sigma: 2, shifts: [0, 1], probabilities: [0.75, 0.25] },
  {
    kind: 'core/gaussian-mixture-pair',
    v: 1,
    sigma: 2,
    first: { means: [0, 1], probabilities: [0.75, 0.25] },
    second: { means: [0, -1], probabilities: [0.5, 0.5] },
  },
  { kind: 'core/shuffled-local', v: 1, epsilon: 1, users: 100 },
  { kind: 'core/group', v: 1, size: 2, event: gaussian },
  { kind: 'core/filtered', v: 1, limit: gaussian },
  { kind: 'core/unprotected', v: 1 },
  { kind: 'core/free', v: 1 },
] as readonly PrivacyEvent[];
const named = good.map(
  (event) =>
    [
      `${event.kind}${'sampler' in event ? ` ${(event.sampler as { kind: string }).kind}` : ''}`,
      event,
    ] as const,
);
const everyAccountant: readonly (readonly [string, Pick<Accountant, 'epsilon' | 'delta'>])[] = [
  ...accountants.map((a) => [a.name, a] as const),
  ['best', bestOf(accountants)],
];

function expectInterval(
  { lower, upper }: { readonly lower: number; readonly upper: number },
  most: number,
): void {
  expect(lower >= 0 && lower <= upper && upper <= most).toBe(true);
}

describe.each(named)('%s', (_name, event) => {
  test('with an invalid value at any position is read back equal, or refused', () => {
    fc.assert(
      fc.property(spoilt(event), (input) => {
        const outcome = typedOutcome(() => parseEvent(input));
        if ('value' in outcome)
          expect(canonicalEvent(parseEvent(JSON.parse(canonicalEvent(outcome.value))))).toBe(
            canonicalEvent(outcome.value),
          );
      }),
      { numRuns: 150 },
    );
  });

  test('with an invalid value anywhere gives an interval or a typed error from every accountant', () => {
    fc.assert(
      fc.property(
        spoilt(event),
        fc.constantFrom(...adjacencies),
        fc.constantFrom(...everyAccountant),
        (input, adjacency, [, accountant]) => {
          const epsilon = typedOutcome(() =>
            accountant.epsilon(input as PrivacyEvent, { adjacency, delta: 1e-6 }),
          );
          if ('value' in epsilon) expectInterval(epsilon.value, Infinity);
          const delta = typedOutcome(() =>
            accountant.delta(input as PrivacyEvent, { adjacency, epsilon: 1 }),
          );
          if ('value' in delta) expectInterval(delta.value, 1);
        },
      ),
      { numRuns: 40 },
    );
  });
});

test('values that are not events are refused', () => {
  fc.assert(
    fc.property(fc.anything(), (input) => {
      expectRefused(() => parseEvent(input));
    }),
    { numRuns: 500 },
  );
  for (const kind of [
    'core/',
    'core/nothing',
    'core/__proto__',
    'constructor',
    'core/toString',
    'acme/unknown',
    'CORE/gaussian',
    '',
  ])
    expectRefused(() => parseEvent({ ...gaussian, kind }));
});

/** The first of these that an accountant supports: Gaussian noise, or pure ε. */
const knownTo = (accountant: Pick<Accountant, 'epsilon'>, events: readonly PrivacyEvent[]): PrivacyEvent =>
  defined(
    events.find((event) => {
      try {
        return accountant.epsilon(event, { adjacency: 'replace-one', delta: 0.1 }) !== undefined;
      } catch {
        return false;
      }
    }),
  );

test.each(everyAccountant)(
  '%s refuses a delta, an epsilon and an adjacency out of range',
  (_name, accountant) => {
    const event = knownTo(accountant, [
      clippedMeanEvent(1, 'replace-one'),
      { kind: 'core/pure', v: 1, epsilon: 1 } as PrivacyEvent,
    ]);
    const context = { adjacency: 'replace-one' } as const;
    for (const delta of [Number.NaN, -1, -1e-300, 1 + 1e-15, 2, Infinity, '0.1', null, undefined, {}, 1n])
      expectRefused(() => accountant.epsilon(event, { ...context, delta: delta as number }));
    for (const epsilon of [Number.NaN, -1, -1e-300, -Infinity, '1', null, undefined, {}, 1n])
      expectRefused(() => accountant.delta(event, { ...context, epsilon: epsilon as number }));
    for (const adjacency of ['replace', '', null, undefined, 5, {}, 'constructor'])
      expectRefused(() => accountant.epsilon(event, { adjacency: adjacency as Adjacency, delta: 0.1 }));
    for (const delta of [0, 5e-324, 1e-300, 1 - 2 ** -53, 1])
      expectInterval(accountant.epsilon(event, { ...context, delta }), Infinity);
    for (const epsilon of [0, 5e-324, 1e-300, 1e300, Infinity])
      expectInterval(accountant.delta(event, { ...context, epsilon }), 1);
  },
);

describe('counts and nesting', () => {
  const many = (event: PrivacyEvent, count: number): PrivacyEvent =>
    ({ kind: 'core/compose', v: 1, parts: [{ event, count }] }) as PrivacyEvent;

  test('a count beyond 2^53 is refused, written out or multiplied', () => {
    for (const count of [0, -1, 0.5, 2 ** 53, 1e308, Infinity, Number.NaN])
      expectRefused(() => parseEvent(many(gaussian, count)));
    expectRefused(() => parseEvent(many(many(gaussian, 2 ** 30), 2 ** 30)));
    const shared = many(gaussian, 2 ** 52);
    expectRefused(() =>
      parseEvent({
        kind: 'core/compose',
        v: 1,
        parts: [
          { event: shared, count: 1 },
          { event: shared, count: 1 },
        ],
      }),
    );
    const most = [gaussian, { kind: 'core/pure', v: 1, epsilon: 1e-9 } as PrivacyEvent].map((event) =>
      parseEvent(many(many(event, 2 ** 26), 2 ** 26 - 1)),
    );
    for (const [, accountant] of everyAccountant)
      expectInterval(
        accountant.epsilon(knownTo(accountant, most), { adjacency: 'replace-one', delta: 1e-6 }),
        Infinity,
      );
  });

  test('a cyclic or infinitely nested event is refused', () => {
    const self: { kind: string; v: number; parts: unknown[] } = { kind: 'core/parallel', v: 1, parts: [] };
    self.parts.push(self, self);
    expectRefused(() => parseEvent(self));
    for (const depth of [33, 100, 20_000]) {
      let deep: PrivacyEvent = gaussian;
      for (let i = 0; i < depth; i++) deep = many(deep, 1);
      expectRefused(() => parseEvent(deep));
      for (const [, accountant] of everyAccountant)
        expectRefused(() => accountant.epsilon(deep, { adjacency: 'replace-one', delta: 0.1 }));
    }
  });

  test('shared parts are counted before they are expanded', () => {
    const unfolded = (depth: number): PrivacyEvent => {
      let event: PrivacyEvent = gaussian;
      for (let i = 0; i < depth; i++)
        event = { kind: 'core/parallel', v: 1, parts: [event, event] } as PrivacyEvent;
      return event;
    };
    for (const depth of [20, 30])
      expectRefused(() =>
        bestOf(accountants).epsilon(unfolded(depth), { adjacency: 'replace-one', delta: 0.1 }),
      );
    expect(canonicalEvent(parseEvent(unfolded(10)))).toBe(canonicalEvent(gaussian));
    // The depth is that of the whole event, also for a deep part that was parsed before at a higher level.
    const chain: PrivacyEvent[] = [gaussian];
    for (let i = 0; i < 100; i++)
      chain.push({ kind: 'core/failing', v: 1, delta: 0, event: chain[i] } as PrivacyEvent);
    expectRefused(() => parseEvent({ kind: 'core/parallel', v: 1, parts: chain }));
  });

  test('compositions of any size that the schema accepts give an interval', () => {
    const event = fc.tuple(
      fc.constantFrom(...good),
      fc.constantFrom(1, 2, 1000, 2 ** 31, 2 ** 50),
      fc.constantFrom(...strangeNumbers.filter((x) => x > 0 && x < 1e301)),
    );
    fc.assert(
      fc.property(
        fc.array(event, { minLength: 1, maxLength: 4 }),
        fc.constantFrom(...adjacencies),
        (list, adjacency) => {
          const parts = list.map(([one, count, sigma]) => ({
            event: one.kind === 'core/gaussian' ? { ...one, sigma } : one,
            count,
          }));
          const outcome = typedOutcome(() =>
            bestOf(accountants).epsilon({ kind: 'core/compose', v: 1, parts } as PrivacyEvent, {
              adjacency,
              delta: 1e-9,
            }),
          );
          if ('value' in outcome) expectInterval(outcome.value, Infinity);
        },
      ),
      // Accounting of such sizes takes seconds for some: most are left to the night.
      { numRuns: process.env['LETHE_EFFORT'] === 'full' ? 60 : 15 },
    );
  });
});

test('the resolver and the normal form handle every event that the schema accepts', () => {
  const wants = ['pure', 'approximate', 'zcdp', 'tcdp', 'rdp', 'gdp', 'pair'] as const;
  fc.assert(
    fc.property(
      fc.constantFrom(...good),
      fc.constantFrom(...wants),
      fc.constantFrom(...adjacencies),
      (event, want, adjacency) => {
        typedOutcome(() => resolveEvent(event, want, { adjacency }));
        normalEvent(event);
      },
    ),
    { numRuns: 200 },
  );
});

test('calibration refuses impossible targets, within a bounded number of probes', () => {
  const calibrate = calibrator(accountants);
  const request = (target: object, make: (x: number) => PrivacyEvent, direction: string) => () =>
    calibrate({ make, target, adjacency: 'replace-one', direction } as never);
  const noisy = (x: number): PrivacyEvent => clippedMeanEvent(x, 'replace-one');
  for (const target of [
    { epsilon: Number.NaN, delta: 0.1 },
    { epsilon: -1, delta: 0.1 },
    { epsilon: 1, delta: 1.5 },
    { epsilon: 1, delta: Number.NaN },
    { epsilon: '1', delta: 0.1 },
    {},
    { epsilon: 1, delta: 0 },
    { epsilon: 0, delta: 0 },
  ]) {
    expectRefused(request(target, noisy, 'larger-is-private'));
  }
  expectRefused(request({ epsilon: 1, delta: 0.1 }, noisy, 'sideways'));
  expectRefused(
    request({ epsilon: 1, delta: 0.1 }, () => ({ kind: 'core/unprotected', v: 1 }), 'larger-is-private'),
  );
});
