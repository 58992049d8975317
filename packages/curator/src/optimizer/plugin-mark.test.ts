import { type Clip, defineClip } from '@lethe/core';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import * as mini from 'zod/mini';
import { pluginMark } from './plugin-mark.js';

const definition: Omit<Clip, 'kind'> = {
  name: 'test/clip',
  summary: 'A clip.',
  source: { id: 'test', item: 'clip' },
  claims: [],
  params: z.strictObject({ radius: z.number() }),
  examples: [{ radius: 1 }],
  norm: 'l2',
  isProjection: false,
  factor: null,
  radius: () => 1,
  clipInPlace: (_params, vector) => {
    vector[0] *= 0.5;
  },
  biasBound: () => 0,
  varianceBound: () => 0,
};
const clip = (change: Partial<Omit<Clip, 'kind'>> = {}): Clip =>
  defineClip({ ...definition, ...change } as Omit<Clip, 'kind'>);
/** Functions of one text, told apart by what they close over. */
const closing = (factor: number): Clip =>
  clip({
    clipInPlace: (_params, vector) => {
      vector[0] *= factor;
    },
  });

const ruled = z.strictObject({ radius: z.number().refine((radius) => radius < 1) }) as never;
/** Schemas that differ far inside. */
const nested = (leaf: z.ZodType) => {
  const list: z.ZodType = z.strictObject({
    radius: z.number(),
    leaf,
    get inner() {
      return list.optional();
    },
  });
  return list as never;
};

describe('the mark of a plugin', () => {
  test('is the same for equal definitions, and 128 bits', () => {
    expect(pluginMark(clip())).toBe(pluginMark(clip()));
    expect(pluginMark(clip())).toMatch(/^[0-9a-f]{32}$/u);
  });

  test.each<readonly [string, Clip]>([
    ['another name', clip({ name: 'test/other' })],
    ['another declaration', clip({ norm: 'l1' })],
    ['another schema', clip({ params: z.strictObject({ radius: z.number().positive() }) as never })],
    ['a rule of its own', clip({ params: ruled })],
    ['a schema around itself', clip({ params: nested(z.number()) })],
    ['another claim', clip({ claims: [{ property: 'p', statement: 's' }] })],
    [
      'other code',
      clip({
        clipInPlace: (_params, vector) => {
          vector[0] *= 0.25;
        },
      }),
    ],
  ])('differs under %s', (_what, other) => expect(pluginMark(other)).not.toBe(pluginMark(clip())));

  test('differs with the rules of its parameters, also those far inside', () => {
    const marks = [
      nested(z.number()),
      nested(z.number().max(1)),
      nested(z.string().regex(/a/u)),
      nested(z.string().regex(/b/u)),
      nested(z.bigint().max(1n)),
    ].map((params) => pluginMark(clip({ params })));
    expect(new Set(marks).size).toBe(marks.length);
    expect(pluginMark(clip({ params: nested(z.number()) }))).toBe(marks[0]);
    expect(pluginMark(clip({ params: mini.strictObject({ radius: mini.number() }) as never }))).toBe(
      pluginMark(clip()),
    );
  });

  test('differs between closures of one text that act otherwise', () => {
    expect(pluginMark(closing(0.5))).toBe(pluginMark(closing(0.5)));
    expect(pluginMark(closing(0.25))).not.toBe(pluginMark(closing(0.5)));
  });

  test('exists for a plugin that fails at the record, or has no parameters to try', () => {
    expect(
      pluginMark(
        clip({
          clipInPlace: () => {
            throw new RangeError('no');
          },
        }),
      ),
    ).toMatch(/^[0-9a-f]{32}$/u);
    expect(pluginMark(clip({ examples: [{ radius: 'one' } as never] }))).toMatch(/^[0-9a-f]{32}$/u);
  });
});
