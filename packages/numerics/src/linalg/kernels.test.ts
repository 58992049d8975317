import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { files, unpacked } from '../../../../tools/kernels/build.mjs';
import { defined } from '../defined.js';
import { engineOf, createArena } from './arena.js';
import { kernelModule } from './kernels.js';

test('the committed modules are what the generator writes', async () => {
  for (const { target, text } of files)
    expect(unpacked(await readFile(target, 'utf8'))).toBe(unpacked(await text()));
});

test('compiles once for plain and once for shared memory', () => {
  expect(kernelModule(false)).toBe(kernelModule(false));
  expect(kernelModule(true)).toBe(kernelModule(true));
  expect(kernelModule(false)).not.toBe(kernelModule(true));
});

test('gives the same bits on plain and on shared memory', () => {
  const [plain, shared] = [false, true].map((share) =>
    defined(engineOf(createArena({ doubles: 1, shared: share }).allocate(1))),
  );
  for (let i = 0; i < 8; i++) {
    shared.key[i] = 0x9e3779b9 * i;
    plain.key[i] = shared.key[i];
  }
  for (const { kernels } of [plain, shared]) kernels.block(20, 1, 2, 3, 4);
  expect([...shared.block]).toEqual([...plain.block]);
  expect(new Set(plain.block).size).toBe(16);
});
