import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from './json.js';

/** The definition: what JSON.stringify says of a copy whose keys are sorted. */
const defined = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) => {
    if (inner === null || typeof inner !== 'object' || Array.isArray(inner)) return inner;
    const fields = inner as Readonly<Record<string, unknown>>;
    return Object.fromEntries(
      Object.keys(fields)
        .toSorted()
        .map((key) => [key, fields[key]]),
    );
  });

const keys = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('0', '10', '2', '01', '1a', '-1', '4294967294', '4294967295', '__proto__', 'b', 'a'),
);
const leaves = fc.oneof(
  fc.double(),
  fc.maxSafeInteger(),
  fc.string({ unit: 'binary' }),
  fc.boolean(),
  fc.constantFrom<unknown>(
    null,
    undefined,
    -0,
    NaN,
    Infinity,
    Symbol('x'),
    () => 1,
    new Date(0),
    new Date(NaN),
  ),
  fc.float64Array({ maxLength: 12 }),
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'json' },
    leaves,
    fc.array(tie('value'), { maxLength: 4, depthIdentifier: 'json' }),
    fc.dictionary(keys, tie('value'), { maxKeys: 12, depthIdentifier: 'json' }),
    tie('value').map((inner) => ({ toJSON: (key: string) => [key, inner] })),
  ),
}));

describe('canonicalJson', () => {
  it('says what JSON.stringify says of a copy with sorted keys', () => {
    fc.assert(
      fc.property(value, (one) => {
        expect(canonicalJson(one)).toBe(defined(one));
      }),
      { numRuns: 2000 },
    );
  });

  it('sorts keys at any depth and has no text of -0', () => {
    expect(canonicalJson({ b: [-0, { d: 1, c: '"' }], a: null })).toBe(
      '{"a":null,"b":[0,{"c":"\\"","d":1}]}',
    );
  });

  it('refuses a bigint, as JSON.stringify does', () => {
    expect(() => canonicalJson([1n])).toThrow(TypeError);
  });
});
