import { InvalidParameter, Unsupported, type Problem, type TrustModel } from '@lethe/core';
import { expect, it } from 'vitest';
import { effectiveSize, noiseFactor, silosOf, weightAt } from './silos.js';

const of = (slots: readonly number[], trust: TrustModel): Problem => ({ slots, trust }) as never;
const weights = [0.5, 0.3, 0.2];
const three = { model: 'federated', silos: 3 } as const;
const untrusted: TrustModel = { ...three, server: 'untrusted', weights };
const trusted: TrustModel = { ...three, server: 'trusted', weights };
const secure: TrustModel = { model: 'secure-aggregation', silos: 5, survivors: 4, corrupted: 1 };
const sizes = [4, 2, 1];

it('noise of an average is that of each silo, of the silo that needs most, or of the shares of a sum', () => {
  const each = [0.5 / 4, 0.3 / 2, 0.2 / 1];
  const slots = [40, 20, 10];
  expect(noiseFactor(silosOf(of(slots, untrusted)), sizes)).toBeCloseTo(Math.hypot(...each), 14);
  expect(noiseFactor(silosOf(of(slots, trusted)), sizes)).toBeCloseTo(0.2, 14);
  expect(noiseFactor(silosOf(of(slots, { ...trusted, simulatedShares: 2 })), sizes)).toBeCloseTo(
    0.2 * Math.sqrt(3 / 2),
    14,
  );
  expect(noiseFactor(silosOf(of(slots, untrusted), [1, 2, 4]), sizes)).toBeCloseTo(
    Math.hypot(each[0], 2 * each[1], 4 * each[2]),
    14,
  );
  // Five silos add one of three shares each.
  const five = [4, 2, 1, 1, 2];
  expect(noiseFactor(silosOf(of([9, 9, 9, 9, 9], secure)), five)).toBeCloseTo(Math.sqrt(5 / 3) / 10, 14);
  expect(noiseFactor(silosOf(of([10], { model: 'central' })), [4])).toBe(1 / 4);
});

it('an average is as good as one of so many records', () => {
  const silos = silosOf(of([40, 20, 10], untrusted));
  expect(effectiveSize(silos, sizes)).toBeCloseTo(1 / (0.25 / 4 + 0.09 / 2 + 0.04), 12);
  expect(effectiveSize(silosOf(of([9, 9, 9, 9, 9], secure)), [4, 2, 1, 1, 2])).toBeCloseTo(10, 12);
  const alike = silosOf(of([8, 8, 8], { ...three, server: 'untrusted' }));
  expect([0, 1, 2].map((i) => weightAt(alike, [2, 2, 2], i))).toEqual([1 / 3, 1 / 3, 1 / 3]);
});

it('weights, slots and factors that do not fit the silos are refused', () => {
  for (const wrong of [
    [0.5, 0.5],
    [0.5, 0.3, 0.3],
    [0.5, 0.3, 0.1],
  ])
    expect(() => silosOf(of([4, 4, 4], { ...untrusted, weights: wrong }))).toThrow(InvalidParameter);
  for (const slots of [
    [4, 4],
    [4, 0, 4],
    [4, 4, Number.NaN],
  ])
    expect(() => silosOf(of(slots, untrusted))).toThrow(Unsupported);
  expect(() => silosOf(of([4, 4, 4], untrusted), [1, 2])).toThrow(/one for each silo/u);
  expect(() => silosOf(of([4], { model: 'central' }), [2])).toThrow(/one for each silo/u);
});
