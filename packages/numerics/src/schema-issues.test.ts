import { expect, test } from 'vitest';
import * as z from 'zod';
import { InvalidParameter, parseOrThrow } from './errors.js';

const source = z.union([
  z.strictObject({
    file: z.string(),
    design: z.strictObject({
      features: z.array(
        z.discriminatedUnion('encoding', [
          z.strictObject({ encoding: z.literal('scale'), lower: z.number() }),
          z.strictObject({ encoding: z.literal('bins') }),
        ]),
      ),
    }),
  }),
  z.strictObject({ generate: z.strictObject({ rows: z.int().positive() }) }),
]);
const schema = z.strictObject({
  data: source.optional(),
  smoothness: z
    .union([z.enum(['component', 'block']), z.number().positive(), z.array(z.number()).min(1)])
    .default('component'),
  clip: z.strictObject({ radius: z.number(), note: z.string().optional() }).optional(),
  label: z
    .union([z.number(), z.strictObject({ column: z.string() })], 'must be a number or {column}')
    .optional(),
  either: z.union([z.strictObject({ a: z.number() }), z.strictObject({ b: z.number() })]).optional(),
  target: z
    .union([
      z.strictObject({ column: z.string() }),
      z.strictObject({ column: z.string(), equals: z.union([z.string(), z.number()]) }),
    ])
    .optional(),
});

function issuesOf(input: unknown): readonly string[] {
  try {
    parseOrThrow(schema, input, 'it');
  } catch (error) {
    if (!(error instanceof InvalidParameter)) throw error;
    const { issues } = error.details as {
      readonly issues: readonly { readonly path: readonly string[]; readonly message: string }[];
    };
    const lines = issues.map(({ path, message }) => [...(path.length > 0 ? [path.join('.')] : []), message]);
    expect(error.message).toBe(`it is not valid: ${lines.map((line) => line.join(': ')).join('; ')}`);
    return issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  }
  return [];
}

test.each<[string, unknown, readonly string[]]>([
  ['no issue of a valid value', { data: { generate: { rows: 3 } }, smoothness: [1] }, []],
  [
    'issues inside the alternative with matching keys',
    { data: { generate: { rows: -3 } } },
    ['data.generate.rows: is -3; it must be above 0'],
  ],
  [
    'issues inside the other alternative',
    { data: { file: 'a', design: { features: [{ encoding: 'scale', lower: 'x' }] } } },
    ["data.design.features.0.lower: is 'x'; it must be a number"],
  ],
  [
    'an unknown key in an alternative, with the known keys',
    { data: { generate: { rows: 1 }, fil: 'a' } },
    ["data: there is no key 'fil'; there are generate"],
  ],
  [
    'an unknown key deep in an alternative',
    { data: { generate: { rows: 1, cols: 2 } } },
    ["data.generate: there is no key 'cols'; there are rows"],
  ],
  [
    'a discriminated alternative by its name',
    { data: { file: 'a', design: { features: [{ encoding: 'x' }] } } },
    ["data.design.features.0.encoding: is 'x'; it must be 'scale' or 'bins'"],
  ],
  [
    'an unknown key in a discriminated alternative',
    { data: { file: 'a', design: { features: [{ encoding: 'bins', lower: 1 }] } } },
    ["data.design.features.0: there is no key 'lower'; there are encoding"],
  ],
  [
    'all alternatives when the type matches none',
    { smoothness: 'all' },
    ["smoothness: is 'all'; it must be 'component' or 'block', or a number, or a list"],
  ],
  ['the alternative of the right type', { smoothness: -1 }, ['smoothness: is -1; it must be above 0']],
  ['an entry of an alternative', { smoothness: [1, null] }, ['smoothness.1: is null; it must be a number']],
  [
    'an unknown key',
    { clip: { radius: 1, size: 2 }, foo: 1 },
    [
      "clip: there is no key 'size'; there are radius, note",
      ": there is no key 'foo'; there are data, smoothness, clip, label, either, target",
    ],
  ],
  [
    'a value that the alternative with its key refuses',
    { target: { column: 'y', equals: true } },
    ['target.equals: is true; it must be a text, or a number'],
  ],
  ['the custom message of a schema', { label: 'x' }, ['label: must be a number or {column}']],
  [
    'alternatives that match equally well',
    { either: { a: '1', b: '2' } },
    ["either: is an object; it must be a: a number and no key 'b', or b: a number and no key 'a'"],
  ],
  [
    'a missing key and a misspelt one',
    { clip: { radiu: 1 } },
    [
      'clip.radius: is missing; it must be a number',
      "clip: there is no key 'radiu'; write 'radius', or leave it out",
    ],
  ],
  [
    'an empty list, and a value that is not a list',
    { smoothness: [], data: { file: 'a', design: { features: 1 } } },
    [
      'data.design.features: is 1; it must be a list',
      'smoothness: is an empty list; it must be a list with at least 1 entry',
    ],
  ],
  [
    'only the length of a long text',
    { clip: 'x'.repeat(99) },
    ['clip: is a text of 99 characters; it must be an object'],
  ],
  [
    'the part of the alternative that is meant, where the union has words of its own',
    { label: { colum: 1 } },
    [
      'label.column: is missing; it must be a text',
      "label: there is no key 'colum'; write 'column', or leave it out",
    ],
  ],
])('names %s', (_name, input, expected) => {
  expect(issuesOf(input)).toEqual(expected);
});
