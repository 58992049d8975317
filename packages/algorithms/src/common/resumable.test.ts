import { Corrupt } from '@lethe/core';
import { expect, test } from 'vitest';
import { assertResumable } from './resumable.js';

test.each([0, 1, 7])('step %s of 7 can be resumed from', (step) => { expect(() => assertResumable(step, 7)).not.toThrow(); });
test.each([-1, 8, 0.5, Number.NaN, -1e9, '3' as unknown as number])('step %s of 7 was not written by the optimizer', (step) => { expect(() => assertResumable(step, 7)).toThrow(Corrupt); });
