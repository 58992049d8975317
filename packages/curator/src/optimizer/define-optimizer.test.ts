import {
  defineDomain,
  defineLinearLoss,
  defineRegulariser,
  freeEvent,
  type Problem,
  type Run,
} from '@lethe/core';
import {
  IncompatiblePlugins,
  InvalidParameter,
  proximalL1,
  seededRandom,
  Unsupported,
  wholeSpace,
} from '@lethe/numerics';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { defineOptimizer } from './define-optimizer.js';
import { pluginMark } from './plugin-mark.js';

const loss = defineLinearLoss({
  name: 'test-loss',
  summary: 'x',
  source: { id: 'test', item: 'x' },
  params: z.strictObject({}),
  claims: [],
  capabilities: { convex: true, smooth: false },
  linear: { value: (_params, margin, label) => margin * label, slope: (_params, _margin, label) => label },
  facts: () => ({}),
  labels: { rule: 'any', accepts: () => true },
});

const base = {
  name: 'test-optimizer',
  summary: 'x',
  source: { id: 'test', item: 'x' },
  params: z.strictObject({ steps: z.int().positive().default(3) }),
  claims: [],
  adjacencies: ['replace-one'],
  trustModels: ['central'],
  privacyRestsOn: 'clip',
  stopping: 'fixed',
  facts: { diameter: 'step size' },
} as const;
const optimizer = defineOptimizer({
  ...base,
  needs: { convex: true },
  plan: ({ problem, params: { steps } }) => ({
    steps,
    size: problem.facts['diameter']?.value ?? 0,
    event: freeEvent,
    utility: null,
    gradients: steps,
  }),
  *steps({ plan, start }) {
    yield* [];
    return start.map((x) => x + plan.size);
  },
});
const problem: Problem = {
  adjacency: 'replace-one',
  trust: { model: 'central' },
  dimension: 2,
  slots: [5],
  domain: { kind: 'domain', name: 'whole-space', params: {} },
  loss: loss({}),
  capabilities: loss.capabilities,
  facts: { diameter: { value: 2, scope: 'every-record', provenance: 'declared' } },
};
const registry = [
  defineDomain({
    name: 'whole-space',
    summary: 'x',
    source: { id: 'test', item: 'x' },
    params: z.strictObject({}),
    claims: [],
    build: (_params, dimension) => wholeSpace(dimension),
  }),
  defineRegulariser({
    name: 'l1',
    summary: 'x',
    source: { id: 'test', item: 'x' },
    params: z.strictObject({ strength: z.number() }),
    claims: [],
    build: ({ strength }) => proximalL1({ strength }),
  }),
];
const prepare = (change: Partial<Problem> = {}, more: object = {}): unknown =>
  optimizer.prepare({
    registry,
    problem: { ...problem, ...change } as typeof problem & { capabilities: { convex: true } },
    budget: { epsilon: 1, delta: 0 },
    params: {},
    calibrate: () => {
      throw new Error('not asked');
    },
    random: seededRandom(1),
    ...more,
  });

test('an optimizer has the mark that its plans store, and another with other steps', () => {
  expect((prepare() as Run).mark).toBe(pluginMark(optimizer));
  const plan = () => ({ event: freeEvent, utility: null, gradients: 0 });
  const resting = defineOptimizer({
    ...base,
    plan,
    *steps({ start }) {
      yield* [];
      return start;
    },
  });
  const moving = defineOptimizer({
    ...base,
    plan,
    *steps({ start }) {
      yield* [];
      return start.map((x) => x + 1);
    },
  });
  expect(pluginMark(moving)).not.toBe(pluginMark(resting));
});

describe('an optimizer is prepared from public facts', () => {
  test('its plan is frozen JSON with defaults filled in', () => {
    const run = optimizer.prepare({
      registry,
      problem: problem as typeof problem & { capabilities: { convex: true } },
      budget: { epsilon: 1, delta: 0 },
      params: {},
      calibrate: () => {
        throw new Error('not asked');
      },
      random: seededRandom(1),
    });
    expect(run.plan).toEqual({ steps: 3, size: 2, event: freeEvent, utility: null, gradients: 3 });
    expect(Object.isFrozen(run.plan)).toBe(true);
    expect(JSON.parse(JSON.stringify(run.plan))).toEqual(run.plan);
  });
  test.each<readonly [unknown, RegExp]>([
    [5, /'diameter' is 5; a fact is \{ value, scope, provenance \}/],
    [undefined, /'diameter' is undefined;.*left out/],
    [null, /'diameter' is null/],
    [{ value: '2', scope: 'population', provenance: 'declared' }, /has the value '2'; it must be a number/],
    [{ value: Number.NaN, scope: 'population', provenance: 'declared' }, /has the value NaN/],
    [
      { value: 2, provenance: 'declared' },
      /has the scope undefined; it must be 'every-record' or 'population'/,
    ],
    [{ value: 2, scope: 'Population', provenance: 'declared' }, /has the scope 'Population'/],
    ...[undefined, 'private', 'Computed', 'computed ', 'toString'].map(
      (provenance) =>
        [
          { value: 2, scope: 'population', provenance },
          new RegExp(
            `has the provenance ${provenance === undefined ? 'undefined' : `'${provenance}'`}; ` +
              "it must be 'declared' or 'from-domain' or 'released'",
          ),
        ] as const,
    ),
  ])('%j is no public fact, whether it is needed or not', (fact, message) => {
    const good = problem.facts['diameter'];
    for (const facts of [{ diameter: fact }, { other: good, diameter: fact }])
      expect(() => prepare({ facts: facts as never })).toThrow(InvalidParameter);
    expect(() => prepare({ facts: { diameter: fact } as never })).toThrow(message);
    expect(() => prepare({ facts: { diameter: good, unread: fact } as never })).toThrow(/the fact 'unread'/);
  });
  test('facts with known words are taken, computed ones have their own error', () => {
    for (const scope of ['every-record', 'population'] as const)
      for (const provenance of ['declared', 'from-domain', 'released'] as const)
        expect(() =>
          prepare({
            facts: { diameter: { value: 2, scope, provenance }, far: { value: Infinity, scope, provenance } },
          }),
        ).not.toThrow();
    expect(() =>
      prepare({ facts: { diameter: { value: 2, scope: 'population', provenance: 'computed' } } }),
    ).toThrow(Unsupported);
    for (const facts of [undefined, null, 3])
      expect(() => prepare({ facts: facts as never })).toThrow(/problem.facts is .*\{\} for none/);
  });
  test('each mismatch has its error', () => {
    expect(() => prepare({ capabilities: { convex: false } })).toThrow(IncompatiblePlugins);
    expect(() => prepare({ capabilities: {} })).toThrow(/needs a loss that is convex/);
    expect(() => prepare({ adjacency: 'add-remove' })).toThrow(
      /does not support add-remove; it supports replace-one/,
    );
    expect(() => prepare({ trust: { model: 'shuffle', honestUsers: 3 } })).toThrow(
      /does not run in the shuffle model/,
    );
    expect(() => prepare({ facts: {} })).toThrow(
      /needs public facts that the problem does not declare: 'diameter' \(step size\)/,
    );
    expect(() =>
      prepare({ facts: { diameter: { value: 2, scope: 'population', provenance: 'computed' } } }),
    ).toThrow(/computed from the records: diameter\. Declare/);
    expect(() => prepare({ regulariser: { name: 'l1', params: { strength: 1 } } })).toThrow(
      /ignores the regulariser 'l1' of the problem; it takes none/,
    );
    expect(() => prepare({}, { params: { steps: 0 } })).toThrow(InvalidParameter);
    for (const epsilon of [0, -1, Number.NaN, Infinity])
      expect(() => prepare({}, { budget: { epsilon, delta: 0 } })).toThrow(/epsilon/);
    for (const delta of [-1, 1, Number.NaN])
      expect(() => prepare({}, { budget: { epsilon: 1, delta } })).toThrow(/delta/);
  });
});
