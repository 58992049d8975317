import { InvalidParameter, parseEvent } from '@lethe/core';
import { describe, expect, test } from 'vitest';
import { freeNumber } from './free-number.js';

const gaussian = { kind: 'core/gaussian', v: 1, sigma: 2, sensitivity: { 'replace-one': 1 } };
const steps = {
  kind: 'core/compose',
  v: 1,
  parts: [
    {
      count: 100,
      event: { kind: 'core/sampled', v: 1, sampler: { kind: 'core/poisson', rate: 1 }, event: gaussian },
    },
  ],
};
const asEvent = (filled: unknown): ReturnType<typeof parseEvent> => parseEvent(filled);
const at = (path: string, template: unknown = steps): unknown =>
  path
    .split('/')
    .slice(1)
    .reduce<unknown>((inner, key) => (inner as Record<string, unknown>)[key], template);

describe('a free number', () => {
  test('is found by pointer or by dots, and set without touching the template', () => {
    const before = JSON.stringify(steps);
    for (const path of ['/parts/0/count', 'parts.0.count']) {
      const { given, integer, event } = freeNumber(steps, [path], asEvent);
      expect([given, integer]).toEqual([100, true]);
      expect(at('/parts/0/count', event(7))).toBe(7);
    }
    expect(JSON.stringify(steps)).toBe(before);
    expect(
      freeNumber({ ...gaussian, sensitivity: { 'replace-one': 3 } }, ['/sensitivity/replace-one'], asEvent)
        .given,
    ).toBe(3);
  });

  test('stands at all its places', () => {
    const two = {
      kind: 'core/compose',
      v: 1,
      parts: [
        { count: 1, event: gaussian },
        { count: 2, event: gaussian },
      ],
    };
    const { event } = freeNumber(two, ['/parts/0/event/sigma', '/parts/1/event/sigma'], asEvent);
    expect([at('/parts/0/event/sigma', event(5)), at('/parts/1/event/sigma', event(5))]).toEqual([5, 5]);
  });

  test.each([
    ['/parts/0/count', true],
    ['/parts/0/event/event/sigma', false],
    ['/parts/0/event/sampler/rate', false],
  ])('%s is whole: %s', (path, whole) => {
    expect(freeNumber(steps, [path], asEvent).integer).toBe(whole);
  });

  test('may stand where the template has none that makes an event', () => {
    expect(freeNumber({ ...gaussian, sigma: 0 }, ['/sigma'], asEvent)).toMatchObject({
      given: 0,
      integer: false,
    });
  });

  test.each([
    ['', 'write the way'],
    ['/', 'write the way'],
    ['a..b', 'write the way'],
    ['/nothing', 'numbers at /parts/0/count'],
    ['/parts/1/count', 'not in the template'],
    ['/parts', 'no number there'],
    ['/__proto__/x', 'not in the template'],
    ['/constructor/name', 'not in the template'],
    ['/kind', 'no number there'],
  ])('%j is refused with what would do', (path, said) => {
    expect(() => freeNumber(steps, [path], asEvent)).toThrow(InvalidParameter);
    expect(() => freeNumber(steps, [path], asEvent)).toThrow(said);
  });

  test('of a template that is no event at any number is refused for what is wrong there', () => {
    expect(() => freeNumber({ kind: 'core/nothing', v: 1, x: 1 }, ['/x'], asEvent)).toThrow(/core\/nothing/u);
    expect(() => freeNumber(5, ['/x'], asEvent)).toThrow(InvalidParameter);
  });
});
