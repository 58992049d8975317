import { InvalidParameter, Unsupported } from '@lethe/numerics';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { defineClip } from './clip.js';
import { defineLinearLoss } from './loss.js';
import { assertRegistry, describePlugin, findPlugin, resolvePlugin } from './registry.js';
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
