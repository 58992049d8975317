import { describe, expect, test } from 'vitest';
import { InvalidParameter } from '@lethe/numerics';
import type { Ref } from '../plugins/plugin.js';
import type { DrawQuery } from './query.js';
import { createIntake, type Taken } from './intake.js';
import { queryIntake } from './query-intake.js';

const draw = (rate: number): DrawQuery => ({
  ask: 'draw',
  sampler: { kind: 'sampler', name: 'test/poisson', params: { rate } },
  from: { id: 'everyone', normaliser: 4, size: 'exact', scope: null } as never,
});
const samplerOf = ({ query }: Taken): Ref => (query as DrawQuery).sampler;

describe('the border of a curator', () => {
  test("makes a copy, in which nothing is the caller's, with references that never change", () => {
    const given = draw(0.5);
    const own = createIntake()(given).query as DrawQuery;
    expect(own).toEqual(given);
    (given.sampler.params as { rate: number }).rate = 0.9;
    expect(own.sampler.params).toEqual({ rate: 0.5 });
    for (const part of [own.sampler, own.sampler.params]) expect(Object.isFrozen(part)).toBe(true);
  });

  test('gives equal references one object, and tells each once', () => {
    const told: Ref[] = [];
    const take = createIntake((ref) => told.push(ref));
    const [first, again, other] = [draw(0.5), draw(0.5), draw(0.25)].map((query) => samplerOf(take(query)));
    expect(again).toBe(first);
    expect(other).not.toBe(first);
    expect(told).toEqual([first, other]);
  });

  test('compares values: an object with changed parameters is another reference', () => {
    const take = createIntake();
    const given = draw(0.5);
    const before = samplerOf(take(given));
    (given.sampler.params as { rate: number }).rate = 0.25;
    expect(samplerOf(take(given))).not.toBe(before);
    expect(samplerOf(take(given)).params).toEqual({ rate: 0.25 });
  });

  test('takes a reference that cannot change by its identity, with the same bytes, and only such a one', () => {
    const take = createIntake();
    const given = draw(0.5);
    const params = { rate: 0.5 };
    const shallow = { ...given, sampler: Object.freeze({ ...given.sampler, params }) };
    const deep = {
      ...given,
      sampler: Object.freeze({ ...given.sampler, params: Object.freeze({ rate: 0.5 }) }),
    };
    const bytes = take(given).bytes.slice();
    for (const query of [shallow, deep, shallow, deep]) {
      expect(take(query).bytes).toEqual(bytes);
      expect(samplerOf(take(query))).toBe(samplerOf(take(given)));
    }
    const inherited = {
      ...given,
      sampler: Object.freeze(Object.create({ ...given.sampler, params })) as Ref,
    };
    expect(samplerOf(take(inherited as DrawQuery))).toBe(samplerOf(take(given)));
    params.rate = 0.25;
    for (const query of [shallow, inherited as DrawQuery])
      expect(samplerOf(take(query)).params).toEqual({ rate: 0.25 });
  });

  test('remembers so many references and no more, without telling another value by it', () => {
    const take = createIntake();
    for (let k = 0; k < 1000; k++)
      expect(samplerOf(take(draw(1 / (k + 1)))).params).toEqual({ rate: 1 / (k + 1) });
  });

  test.each<readonly [string, unknown]>([
    ['a function', { ...draw(0.5), sampler: { kind: 'sampler', name: 's', params: { rate: () => 1 } } }],
    ['an instance of a class', { ...draw(0.5), from: new Map() }],
    ['no query', null],
    ['a query with a field of another type', { ...draw(0.5), from: 'everyone' }],
    ['a reference of another kind', { ...draw(0.5), sampler: { kind: 'clip', name: 'c', params: {} } }],
  ])('refuses %s', (_what, query) => expect(() => createIntake()(query)).toThrow(InvalidParameter));
});

test('a curator of ones own reads a query once', () => {
  let reads = 0;
  const given = {
    ...draw(0.5),
    get sampler() {
      reads += 1;
      return { kind: 'sampler', name: 'test/poisson', params: { rate: reads / 8 } };
    },
  };
  const own = queryIntake()(given) as DrawQuery;
  expect([own.sampler.params, reads]).toEqual([{ rate: 1 / 8 }, 1]);
  expect(() => queryIntake()({ ask: 'nothing' })).toThrow(InvalidParameter);
});
