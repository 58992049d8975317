import { expect, test } from 'vitest';
import * as z from 'zod';
import * as mini from 'zod/mini';
import { fieldsOf, type ZodSchema } from './zod-schema.js';

test('both makers of schemas are told alike: the fields of objects, with their checks', () => {
  const schemas: readonly ZodSchema[] = [
    z.strictObject({ radius: z.number().positive() }).refine(({ radius }) => radius < 9),
    mini
      .strictObject({ radius: mini.number().check(mini.positive()) })
      .check(mini.refine(({ radius }) => radius < 9)),
  ];
  for (const schema of schemas) {
    const { radius, ...others } = fieldsOf(schema) ?? {};
    expect(Object.keys(others)).toEqual([]);
    expect([1, 0].map((value) => radius?.safeParse(value).success)).toEqual([true, false]);
    expect([1, 10].map((value) => schema.safeParse({ radius: value }).success)).toEqual([true, false]);
  }
  for (const schema of [z.number(), z.array(z.object({})), mini.record(mini.string(), mini.number())])
    expect(fieldsOf(schema)).toBeNull();
});
