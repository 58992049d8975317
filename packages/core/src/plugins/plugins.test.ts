import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import {
  IncompatiblePlugins,
  InvalidParameter,
  Unsupported,
  wholeSpace,
  proximalL1,
  seededRandom,
} from '@lethe/numerics';
import { freeEvent } from '../events/build.js';
import { defineClip } from './clip.js';
import { defineDomain } from './domain.js';
import { defineLinearLoss } from './loss.js';
import { defineOptimizer } from '../optimizer/index.js';
import type { Problem } from './problem.js';
import { assertRegistry, describePlugin, findPlugin, resolvePlugin } from './registry.js';
import { defineRegulariser } from './regulariser.js';
import { defineSampler } from './sampler.js';

const half = defineClip({
  name: 'half',
  summary: 'Halves.',
  source: { id: 'test', item: 'x' },
  params: z.strictObject({ radius: z.number().positive(), label: z.string().default('none') }),
  claims: [{ property: 'radius', statement: 'no longer than radius' }],
  norm: 'l2',
  isProjection: false,
  factor: (_params, norm) => Math.min(0.5, 1 / norm),
  radius: ({ radius }) => radius,
  clipInPlace(_params, vector) {
    vector.fill(0);
  },
  biasBound: () => 0,
  varianceBound: () => 0,
});

describe('a plugin', () => {
  test('is frozen data that can be called to make a reference', () => {
    expect(half({ radius: 2 })).toEqual({ kind: 'clip', name: 'half', params: { radius: 2, label: 'none' } });
    expect(half.name).toBe('half');
    expect(Object.isFrozen(half)).toBe(true);
    expect(Object.isFrozen(half({ radius: 1 }).params)).toBe(true);
    expect(structuredClone(half({ radius: 2 }))).toEqual(half({ radius: 2 }));
  });
  test.each([
    [{ radius: -1 }, /radius/],
    [{ radius: Number.NaN }, /radius/],
    [{ radius: 1, extra: 2 }, /extra/],
    [{}, /radius/],
    [null, /clip 'half'/],
  ])('refuses %j, naming the rule', (params, message) => {
    expect(() => half(params as never)).toThrow(InvalidParameter);
    expect(() => half(params as never)).toThrow(message);
  });
  test.each([
    ['params', {}, /params of clip 'half' is no schema of zod 4/u],
    ['params', undefined, /params of clip 'half' is no schema/u],
    ['claims', {}, /claims of clip 'half' is no array/u],
  ])('is refused with %s of %j, when it is defined and in a registry', (field, value, message) => {
    const { kind: _, ...fields } = Object.fromEntries(Object.entries(half)) as unknown as typeof half;
    const malformed = { ...fields, [field]: value };
    expect(() => defineClip(malformed)).toThrow(InvalidParameter);
    expect(() => defineClip(malformed)).toThrow(message);
    expect(() => {
      assertRegistry([{ ...malformed, kind: 'clip' }]);
    }).toThrow(message);
  });
  test('is refused as a sampler of no known size, and as an accountant that wants no list', () => {
    const { kind: _, ...shared } = Object.fromEntries(Object.entries(half)) as unknown as typeof half;
    const fields = { ...shared, name: 'x', size: 'Hidden' };
    expect(() => defineSampler(fields as never)).toThrow(/size of sampler 'x' is 'Hidden'; it must be/u);
    expect(() => {
      assertRegistry([{ ...fields, kind: 'accountant' } as never]);
    }).toThrow(/wants of accountant 'x' is no array/u);
  });
  test('describes itself in JSON', () => {
    const text = JSON.stringify(describePlugin(half));
    expect(JSON.parse(text)).toMatchObject({
      kind: 'clip',
      name: 'half',
      source: { id: 'test' },
      params: { type: 'object', required: ['radius'] },
      claims: [{ property: 'radius' }],
    });
  });
});

describe('a registry', () => {
  test('finds by kind and name, and parses parameters', () => {
    expect(findPlugin([half], 'clip', 'half')).toBe(half);
    expect(resolvePlugin([half], { kind: 'clip', name: 'half', params: { radius: 3 } }).params).toEqual({
      radius: 3,
      label: 'none',
    });
  });
  test('lists what it has when it has not what was asked', () => {
    expect(() => findPlugin([half], 'clip', 'whole')).toThrow(
      /no clip named 'whole'; this registry has half/,
    );
    expect(() => resolvePlugin([half], { kind: 'mechanism', name: 'half', params: {} })).toThrow(Unsupported);
    expect(() => resolvePlugin([half], { kind: 'clip', name: 'half', params: { radius: 0 } })).toThrow(
      InvalidParameter,
    );
  });
});

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

test('a linear loss gets value and gradient from its margin', () => {
  const at = Float64Array.of(1, 2);
  const record = { features: Float64Array.of(3, 4), label: 2 };
  expect(loss.value({}, at, record)).toBe(22);
  const gradient = new Float64Array(2);
  loss.gradientInto({}, gradient, at, record);
  expect([...gradient]).toEqual([6, 8]);
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
    expect(() => prepare({ facts: {} })).toThrow(/needs the public fact 'diameter' \(step size\)/);
    expect(() =>
      prepare({ facts: { diameter: { value: 2, scope: 'population', provenance: 'computed' } } }),
    ).toThrow(/'diameter' was computed from the records/);
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
