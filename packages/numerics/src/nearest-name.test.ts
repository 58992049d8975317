import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nearestName } from './nearest-name.js';

const known = ['features', 'labels', 'nulls', 'featureBounds', 'featureNorm'] as const;

test.each([
  ['label', 'labels'],
  ['Labels', 'labels'],
  ['feature', 'features'],
  ['featurebounds', 'featureBounds'],
  ['featureBound', 'featureBounds'],
  ['null', 'nulls'],
  ['labesl', 'labels'],
])('%s is a misspelling of %s', (name, meant) => {
  expect(nearestName(name, known)).toBe(meant);
});

test.each(['', 'weights', 'x', 'feature'.repeat(100), '__proto__'])('no known name is near to %j', (name) => {
  expect(nearestName(name, known)).toBeUndefined();
});

test('a known name is nearest to itself and to itself with one extra letter', () => {
  fc.assert(
    fc.property(fc.constantFrom(...known), fc.nat(), (name, place) => {
      const at = place % (name.length + 1);
      expect(nearestName(name, known)).toBe(name);
      expect(nearestName(`${name.slice(0, at)}q${name.slice(at)}`, known)).toBe(name);
    }),
  );
});

test('the nearer of two names wins; without names the result is undefined', () => {
  expect(nearestName('featureNorms', ['featureBounds', 'featureNorm'])).toBe('featureNorm');
  expect(nearestName('features', [])).toBeUndefined();
});
