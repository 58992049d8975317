import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { InvalidParameter, LetheError, Unsupported } from '@lethe/numerics';
import { defineEvent } from '../plugins/event.js';
import {
  composedEvent,
  countedEvent,
  freeEvent,
  gaussianEvent,
  parallelEvent,
  repeatedEvent,
  sampledEvent,
} from './build.js';
import { canonicalEvent, normalEvent, sameEvent } from './canonical.js';
import { eventJsonSchemas } from './json-schema.js';
import { parseEvent } from './parse.js';
import type { PrivacyEvent } from './schema.js';

const leaf = fc.oneof(
  fc.integer({ min: 1, max: 4 }).map((sigma): PrivacyEvent => gaussianEvent(sigma, { 'replace-one': 1 })),
  fc.constant<PrivacyEvent>(freeEvent),
  fc.constant<PrivacyEvent>({ kind: 'core/zcdp', v: 1, rho: 0.5 } as PrivacyEvent),
);
const { event: tree } = fc.letrec<{ event: PrivacyEvent }>((tie) => ({
  event: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    leaf,
    fc
      .array(fc.tuple(tie('event'), fc.integer({ min: 1, max: 3 })), { maxLength: 3 })
      .map((parts): PrivacyEvent => countedEvent(parts.map(([event, count]) => ({ event, count })))),
    fc.array(tie('event'), { maxLength: 3 }).map((parts): PrivacyEvent => parallelEvent(parts)),
    tie('event').map((inner): PrivacyEvent => sampledEvent({ kind: 'core/poisson', rate: 0.5 }, inner)),
  ),
}));

describe('normal form', () => {
  test('is idempotent, and parsing does not change it', () => {
    fc.assert(
      fc.property(tree, (event) => {
        expect(canonicalEvent(normalEvent(event))).toBe(canonicalEvent(event));
        expect(canonicalEvent(parseEvent(JSON.parse(JSON.stringify(event))))).toBe(canonicalEvent(event));
      }),
    );
  });
  test('a count equals that many copies, in any order and grouping', () => {
    fc.assert(
      fc.property(tree, tree, fc.integer({ min: 1, max: 5 }), (a, b, count) => {
        const copies = Array.from({ length: count }, () => a);
        expect(sameEvent(repeatedEvent(a, count), composedEvent(copies))).toBe(true);
        expect(sameEvent(composedEvent([...copies, b]), composedEvent([b, repeatedEvent(a, count)]))).toBe(
          true,
        );
        expect(
          sameEvent(composedEvent([composedEvent([a, b]), a]), composedEvent([a, composedEvent([b, a])])),
        ).toBe(true);
      }),
    );
  });
  test('parallel composition is idempotent and commutative; the free event is neutral', () => {
    fc.assert(
      fc.property(tree, tree, (a, b) => {
        expect(sameEvent(parallelEvent([a, a]), a)).toBe(true);
        expect(sameEvent(parallelEvent([a, b, freeEvent]), parallelEvent([b, a]))).toBe(true);
        expect(sameEvent(composedEvent([a, freeEvent]), a)).toBe(true);
      }),
    );
  });
  test('different costs have different normal forms', () => {
    const one = gaussianEvent(1, { 'replace-one': 1 });
    expect(sameEvent(one, repeatedEvent(one, 2))).toBe(false);
    expect(sameEvent(one, gaussianEvent(1, { 'replace-one': 1, 'zero-out': 0.5 }))).toBe(false);
    expect(
      sameEvent(
        sampledEvent({ kind: 'core/poisson', rate: 0.5 }, repeatedEvent(one, 2)),
        repeatedEvent(sampledEvent({ kind: 'core/poisson', rate: 0.5 }, one), 2),
      ),
    ).toBe(false);
  });
});

describe('parsing events', () => {
  test.each([
    [{ kind: 'core/gaussian', v: 1, sigma: 0, sensitivity: {} }, /sigma/],
    [{ kind: 'core/gaussian', v: 1, sigma: Number.NaN, sensitivity: {} }, /sigma/],
    [{ kind: 'core/gaussian', v: 1, sigma: 1, sensitivity: { 'replace-one': -1 } }, /replace-one/],
    [{ kind: 'core/gaussian', v: 1, sigma: 1, sensitivity: {}, extra: 1 }, /extra/],
    [
      { kind: 'core/compose', v: 1, parts: [{ event: { kind: 'core/zcdp', v: 1, rho: -1 }, count: 1 }] },
      /parts\.0/,
    ],
    [{ kind: 'core/compose', v: 1, parts: [{ event: freeEvent, count: 0 }] }, /count/],
    [{ kind: 'core/renyi', v: 1, orders: [] }, /orders/],
    [{ kind: 'core/renyi', v: 1, orders: [{ order: 1, divergence: 0 }] }, /order/],
    [{ kind: 'core/renyi', v: 1, orders: [{ order: 2, divergence: -1 }] }, /divergence/],
    [{ kind: 'core/renyi', v: 1, orders: [{ order: 2, divergence: Infinity }] }, /divergence/],
    [
      {
        kind: 'core/renyi',
        v: 1,
        orders: [
          { order: 3, divergence: 1 },
          { order: 2, divergence: 1 },
        ],
      },
      /ascend/,
    ],
    [
      {
        kind: 'core/renyi',
        v: 1,
        orders: [
          { order: 2, divergence: 1 },
          { order: 2, divergence: 1 },
        ],
      },
      /ascend/,
    ],
    [{ kind: 'core/sampled', v: 1, sampler: { kind: 'core/poisson', rate: 2 }, event: freeEvent }, /rate/],
    [
      {
        kind: 'core/sampled',
        v: 1,
        sampler: { kind: 'core/fixed-size', n: 3, size: 4, replacement: false },
        event: freeEvent,
      },
      /size/,
    ],
    [{ kind: 'gaussian', v: 1 }, /kind/],
    [null, /event/],
    [[], /event/],
    ['x', /event/],
    [{}, /kind/],
  ])('%j is refused, and the error names the field', (event, message) => {
    expect(() => parseEvent(event)).toThrow(InvalidParameter);
    expect(() => parseEvent(event)).toThrow(message);
  });
  test('an unknown kind or version is Unsupported, never a number', () => {
    expect(() => parseEvent({ kind: 'acme/noise', v: 1 })).toThrow(Unsupported);
    expect(() => parseEvent({ kind: 'core/free', v: 2 })).toThrow(LetheError);
  });
  test('very deep nesting is refused', () => {
    let event: unknown = freeEvent;
    for (let i = 0; i < 10_000; i++) event = { kind: 'core/parallel', v: 1, parts: [event] };
    expect(() => parseEvent(event)).toThrow(InvalidParameter);
  });
  test('a plugin can add an event kind', () => {
    const acme = defineEvent({
      name: 'acme/noise',
      version: 2,
      summary: 'x',
      source: { id: 'acme', item: 'x' },
      claims: [],
      characterise: {},
      schema: z.strictObject({ kind: z.literal('acme/noise'), v: z.literal(2), level: z.number() }),
    });
    expect(parseEvent({ kind: 'acme/noise', v: 2, level: 3 }, [acme])).toEqual({
      kind: 'acme/noise',
      v: 2,
      level: 3,
    });
    expect(() => parseEvent({ kind: 'acme/noise', v: 1, level: 3 }, [acme])).toThrow(Unsupported);
    expect(() => parseEvent({ kind: 'acme/noise', v: 2 }, [acme])).toThrow(/level/);
  });
  test('every value is an event or throws a typed error', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        try {
          parseEvent(value);
        } catch (error) {
          expect(error).toBeInstanceOf(LetheError);
        }
      }),
    );
  });
});

describe('JSON schemas', () => {
  test('each kind has one schema, with a version and no additional properties', () => {
    const schemas = eventJsonSchemas() as unknown as Record<
      string,
      {
        readonly properties: { readonly kind: { const: string }; readonly v: { const: number } };
        readonly additionalProperties: boolean;
      }
    >;
    for (const [kind, schema] of Object.entries(schemas)) {
      expect(schema.properties.kind.const).toBe(kind);
      expect(schema.properties.v.const).toBe(1);
      expect(schema.additionalProperties).toBe(false);
    }
    expect(Object.keys(schemas)).toContain('core/gaussian');
  });
});
