import { seededRandom } from '@lethe/core';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { forkedDraws } from './planned-sketch.js';

const random = seededRandom('coins');
/** A draw that takes more numbers the larger the first one is. */
const draw = (source: typeof random): string =>
  Array.from({ length: 1 + source.integer(4) }, () => source.integer(1000)).join();

it('gives each step its draw, whatever was asked before', () => {
  const inOrder = forkedDraws(random, draw);
  const all = Array.from({ length: 300 }, (_, step) => inOrder(step));
  expect(new Set(all).size).toBeGreaterThan(290);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 299 }), { minLength: 1, maxLength: 20 }), (steps) => {
      const again = forkedDraws(random, draw);
      for (const step of steps) expect(again(step)).toBe(all[step]);
    }),
  );
});

it('draws once a step', () => {
  let drawn = 0;
  const counted = forkedDraws(random, (source) => {
    drawn++;
    return source.integer(2);
  });
  for (let step = 0; step < 500; step++) counted(step);
  expect(drawn).toBe(500);
});
