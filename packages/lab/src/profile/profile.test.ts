import { bestOf, accountants } from '@lethe/accountants';
import {
  freeEvent,
  gaussianEvent,
  unprotectedEvent,
  type Accountant,
  type PrivacyEvent,
  Unsupported,
} from '@lethe/core';
import { defined } from '@lethe/numerics';
import { describe, expect, test } from 'vitest';
import { profileGrid, profileOf } from './profile.js';

const options = { accountant: bestOf(accountants), adjacency: 'replace-one' } as const;
const gaussian = gaussianEvent(1, { 'replace-one': 1 });
const failing = { kind: 'core/failing', v: 1, delta: 1e-5, event: gaussian } as PrivacyEvent;

describe('the profile of an event', () => {
  test('goes down from ε = 0 to where δ is as small as asked', () => {
    const { v, methods, points } = defined(profileOf(gaussian, { ...options, depth: 1e-6 }));
    expect([v, methods, points.length]).toEqual([1, ['gdp'], 21]);
    expect(points[0].epsilon).toBe(0);
    expect(points[0].upper).toBeCloseTo(0.3829249, 6);
    expect(points[points.length - 1].upper).toBeGreaterThan(0.9e-6);
    expect(points[points.length - 1].upper).toBeLessThan(1.2e-6);
    points.slice(1).forEach(({ epsilon, lower, upper }, i) => {
      expect(epsilon).toBeGreaterThan(points[i].epsilon);
      expect(upper).toBeLessThan(points[i].upper);
      expect(lower).toBeLessThanOrEqual(upper);
    });
  });

  test('asks no more often than it may', () => {
    let asked = 0;
    const count =
      <T extends unknown[], R>(ask: (...args: T) => R) =>
      (...args: T): R => {
        asked++;
        return ask(...args);
      };
    const accountant: Pick<Accountant, 'epsilon' | 'delta'> = {
      epsilon: count(options.accountant.epsilon),
      delta: count(options.accountant.delta),
    };
    profileOf(gaussian, { ...options, accountant, points: 9 });
    expect(asked).toBe(10);
  });

  test.each<[string, PrivacyEvent, number]>([
    ['protects nobody', unprotectedEvent, 1],
    ['is free', freeEvent, 0],
  ])('is level for an event that %s', (_, event, delta) => {
    const { points } = defined(profileOf(event, options));
    expect(points.map(({ upper }) => upper)).toEqual(points.map(() => delta));
  });

  test('of what fails with more than the wanted δ stops at that', () => {
    const grid = profileGrid(failing, options);
    expect(grid.at(-1)).toBeGreaterThan(3);
    expect(defined(profileOf(failing, options)).points.every(({ upper }) => upper >= 1e-5)).toBe(true);
  });

  test('is not there where no accountant can answer', () => {
    const refuse = (): never => {
      throw new Unsupported('no', {});
    };
    expect(profileOf(gaussian, { ...options, accountant: { epsilon: refuse, delta: refuse } })).toBeNull();
  });
});
