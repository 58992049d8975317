import {
  defineAccountant,
  InvalidParameter,
  Unsupported,
  unprotectedEvent,
  type PrivacyEvent,
} from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { gaussian, sgd } from '../../test/events.js';
import { inputs } from '../../test/effort.js';
import { calibrator, calibratorOf, rdp, zcdp } from '../index.js';
import type { CalibrationOptions } from './options.js';

const adjacency = 'zero-out';
const budget = fc.record({
  epsilon: fc.double({ min: 0.05, max: 20, noNaN: true }),
  delta: fc.constant(1e-6),
});
const steps = (count: number): PrivacyEvent => sgd(0.01, 2, count);

describe('a calibrator of one accountant', () => {
  test.each([rdp, zcdp])('finds what one of a list finds that holds it alone ($name)', (accountant) => {
    const [one, listed] = [calibratorOf(accountant), calibrator([accountant])];
    fc.assert(
      fc.property(budget, fc.option(fc.constant('larger-is-private' as const)), (target, direction) => {
        const options: CalibrationOptions = {
          make: gaussian,
          target,
          adjacency,
          ...(direction === null ? {} : { direction }),
        };
        expect(one(options)).toEqual(listed(options));
      }),
      { numRuns: inputs(20) },
    );
  });

  test('finds whole numbers, too', () => {
    const options: CalibrationOptions = {
      make: steps,
      target: { epsilon: 1, delta: 1e-6 },
      adjacency,
      integer: true,
      direction: 'smaller-is-private',
    };
    const found = calibratorOf(rdp)(options);
    expect(found).toEqual(calibrator([rdp])(options));
    expect(found.value).toBeGreaterThan(1);
  });

  test('refuses what meets no target', () => {
    const options: CalibrationOptions = {
      make: () => unprotectedEvent,
      target: { epsilon: 1, delta: 1e-6 },
      adjacency,
    };
    expect(() => calibratorOf(rdp)(options)).toThrow(Unsupported);
    expect(() => calibratorOf(rdp)({ ...options, bracket: [2, 1] })).toThrow(InvalidParameter);
  });

  test('takes no estimate for a bound', () => {
    const guess = defineAccountant({
      ...rdp,
      name: 'guess',
      params: z.strictObject({}),
      epsilon: (event, query) => ({ ...rdp.epsilon(event, query), certificate: 'estimate' }),
    });
    expect(() =>
      calibratorOf(guess)({ make: gaussian, target: { epsilon: 1, delta: 1e-6 }, adjacency }),
    ).toThrow(/'guess' only estimates/u);
  });

  test('ends with the signal', () => {
    const signal = {
      throwIfAborted: () => {
        throw new Error('ended');
      },
    };
    expect(() =>
      calibratorOf(rdp, [], { signal })({ make: gaussian, target: { epsilon: 1, delta: 1e-6 }, adjacency }),
    ).toThrow('ended');
  });
});
