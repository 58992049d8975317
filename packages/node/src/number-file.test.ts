import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InvalidParameter, Unsupported } from '@lethe/core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { numberFile } from './number-file.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lethe-numbers-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

test('numbers come back as they were put, from memory that is shared too', () => {
  const file = numberFile({ folder, expected: 5 });
  file.append(Float64Array.of(1, -0, NaN, Infinity));
  const shared = new Float64Array(new SharedArrayBuffer(24));
  shared.set([5, 6, 7]);
  file.append(shared.subarray(1));
  file.write(3, shared.subarray(0, 1));
  expect(file.length).toBe(6);
  file.read(2, shared);
  expect([...shared]).toEqual([NaN, 5, 6]);
  const all = new Float64Array(6);
  file.read(0, all);
  expect([...all]).toEqual([1, -0, NaN, 5, 6, 7]);
  expect(() => file.read(5, new Float64Array(2))).toThrow(InvalidParameter);
  expect(() => file.write(-1, new Float64Array(1))).toThrow(InvalidParameter);
  file.close();
});

test('numbers of 32 bits take half the room, and come back as they were', () => {
  const file = numberFile({ folder, precision: 32 });
  file.append(Float32Array.of(1, -0, NaN, 0.1));
  file.append(Float32Array.of(5));
  file.write(1, Float32Array.of(7));
  const found = new Float32Array(4);
  file.read(1, found);
  expect(found).toEqual(Float32Array.of(7, NaN, 0.1, 5));
  expect(() => file.read(4, new Float32Array(2))).toThrow(InvalidParameter);
  file.close();
});

test.skipIf(process.platform === 'win32')('nobody finds the file by a name', () => {
  const file = numberFile({ folder });
  file.append(Float64Array.of(1));
  expect(readdirSync(folder)).toEqual([]);
  file.close();
  expect(() => file.read(0, new Float64Array(1))).toThrow(/EBADF/);
});

test('a folder that is none, and a disk without room, are refused', () => {
  expect(() => numberFile({ folder: join(folder, 'none') })).toThrow(InvalidParameter);
  expect(() => numberFile({ folder, expected: 2 ** 60 })).toThrow(Unsupported);
});
