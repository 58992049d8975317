import { accountants, bestOf } from '@lethe/accountants';
import { drive, driveSync, freeEvent, InvalidParameter, LetheError, seededRandom } from '@lethe/core';
import { attachData, centralCurator, openLedger } from '@lethe/curator';
import { readTable } from '@lethe/losses/node';
import { describe, expect, test } from 'vitest';
import { world } from '../world.js';

/** Missing arguments: the whole options object, or its main field. */
const nothing: readonly unknown[] = [undefined, null, 3, 'text'];
const empty: readonly unknown[] = [...nothing, {}];
const call =
  (f: unknown, ...given: unknown[]) =>
  (): unknown =>
    (f as (...all: unknown[]) => unknown)(...given);

describe('entry points name missing arguments', () => {
  test.each(empty.map((value) => [value]))('opening and attaching %j', (value) => {
    for (const door of [openLedger, attachData, centralCurator])
      expect(call(door, value)).toThrow(LetheError);
  });
  test.each(nothing.map((value) => [value]))('accountants asked with %j', (value) => {
    for (const { epsilon, delta } of [...accountants, bestOf(accountants)]) {
      expect(call(epsilon, freeEvent, value)).toThrow(LetheError);
      expect(call(delta, freeEvent, value)).toThrow(LetheError);
    }
  });
  test('drivers without a run, a curator, options or randomness', async () => {
    const { curator } = world();
    const run = { steps: () => undefined };
    for (const given of [
      [],
      [run],
      [run, curator],
      [run, curator, {}],
      [{}, curator, { random: seededRandom(1) }],
      [run, {}, { random: seededRandom(1) }],
    ]) {
      expect(call(driveSync, ...given)).toThrow(InvalidParameter);
      await expect(call(drive, ...given)()).rejects.toThrow(InvalidParameter);
    }
    expect(curator.recorded()).toBe(0);
  });
  test('reading no path', async () => {
    await expect(call(readTable, undefined)()).rejects.toThrow(InvalidParameter);
  });
});
