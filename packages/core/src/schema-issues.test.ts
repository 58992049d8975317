import { expect, test } from 'vitest';
import { z } from 'zod';
import { InvalidParameter, parseOrThrow } from './errors.js';

const source = z.union([
  z.strictObject({ file: z.string(), design: z.strictObject({ features: z.array(z.discriminatedUnion('encoding', [z.strictObject({ encoding: z.literal('scale'), lower: z.number() }), z.strictObject({ encoding: z.literal('bins') })])) }) }),
  z.strictObject({ generate: z.strictObject({ rows: z.int().positive() }) }),
]);
const schema = z.strictObject({
  data: source.optional(),
  smoothness: z.union([z.enum(['component', 'block']), z.number().positive(), z.array(z.number()).min(1)]).default('component'),
  clip: z.strictObject({ radius: z.number(), note: z.string().optional() }).optional(),
  label: z.union([z.number(), z.strictObject({ column: z.string() })], 'must be a number or {column}').optional(),
  either: z.union([z.strictObject({ a: z.number() }), z.strictObject({ b: z.number() })]).optional(),
});

function issuesOf(input: unknown): readonly string[] {
  try {
    parseOrThrow(schema, input, 'it');
  } catch (error) {
    if (!(error instanceof InvalidParameter)) throw error;
    const { issues } = error.details as { readonly issues: readonly { readonly path: readonly string[]; readonly message: string }[] };
    expect(error.message).toBe(`it is not valid: ${issues.map(({ path, message }) => `${path.join('.') || '(whole value)'}: ${message}`).join('; ')}`);
    return issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  }
  return [];
}

test.each<[string, unknown, readonly string[]]>([
  ['nothing wrong', { data: { generate: { rows: 3 } }, smoothness: [1] }, []],
  ['inside the alternative whose keys were given', { data: { generate: { rows: -3 } } }, ['data.generate.rows: Too small: expected number to be >0']],
  ['inside the other', { data: { file: 'a', design: { features: [{ encoding: 'scale', lower: 'x' }] } } }, ['data.design.features.0.lower: Invalid input: expected number, received string']],
  ['a key too many in an alternative, with those there are', { data: { generate: { rows: 1 }, fil: 'a' } }, ['data: Unrecognized key: "fil"; there are generate']],
  ['a key too many deep in an alternative', { data: { generate: { rows: 1, cols: 2 } } }, ['data.generate: Unrecognized key: "cols"; there are rows']],
  ['an alternative by its name', { data: { file: 'a', design: { features: [{ encoding: 'x' }] } } }, ['data.design.features.0.encoding: Invalid discriminator value. Expected \'scale\' | \'bins\'']],
  ['a key too many in the alternative of that name', { data: { file: 'a', design: { features: [{ encoding: 'bins', lower: 1 }] } } }, ['data.design.features.0: Unrecognized key: "lower"; there are encoding']],
  ['no alternative of that type', { smoothness: 'all' }, ['smoothness: must be one of "component"|"block", or number, or array']],
  ['the alternative of the right type', { smoothness: -1 }, ['smoothness: Too small: expected number to be >0']],
  ['an entry of an alternative', { smoothness: [1, null] }, ['smoothness.1: Invalid input: expected number, received null']],
  ['a key too many', { clip: { radius: 1, size: 2 }, foo: 1 }, ['clip: Unrecognized key: "size"; there are radius, note', ': Unrecognized key: "foo"; there are data, smoothness, clip, label, either']],
  ['what a schema says itself', { label: 'x' }, ['label: must be a number or {column}']],
  ['alternatives that are equally near', { either: { a: '1', b: '2' } }, ['either: must be a: number and Unrecognized key: "b", or b: number and Unrecognized key: "a"']],
])('names %s', (_name, input, expected) => { expect(issuesOf(input)).toEqual(expected); });
