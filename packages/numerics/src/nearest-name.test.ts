import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nearestName } from './nearest-name.js';

const known = ['features', 'labels', 'nulls', 'featureBounds', 'featureNorm'] as const;

test.each([['label', 'labels'], ['Labels', 'labels'], ['feature', 'features'], ['featurebounds', 'featureBounds'], ['featureBound', 'featureBounds'], ['null', 'nulls'], ['labesl', 'labels']])('%s was meant to be %s', (name, meant) => {
  expect(nearestName(name, known)).toBe(meant);
});

test.each(['', 'weights', 'x', 'feature'.repeat(100), '__proto__'])('nothing is near to %j', (name) => {
  expect(nearestName(name, known)).toBeUndefined();
});

test('a known name is nearest to itself, and one wrong letter does not hide it', () => {
  fc.assert(fc.property(fc.constantFrom(...known), fc.nat(), (name, place) => {
    const at = place % (name.length + 1);
    expect(nearestName(name, known)).toBe(name);
    expect(nearestName(`${name.slice(0, at)}q${name.slice(at)}`, known)).toBe(name);
  }));
});

test('of two, the nearer one; of none, none', () => {
  expect(nearestName('featureNorms', ['featureBounds', 'featureNorm'])).toBe('featureNorm');
  expect(nearestName('features', [])).toBeUndefined();
});
