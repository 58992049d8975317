import { defined } from '@lethe/numerics';
import { expect, test } from 'vitest';
import { epochs } from '../cases/epoch.mjs';
import { makeColumns, makeRecords } from '../data.mjs';
import { findPython, startReference } from '../python.mjs';
import { attach, planCoordinatePass, planDpSgd, planOnePass, runOnce } from '../stack.mjs';

const python = findPython();

test('records have rows of norm about 1 and labels of both signs', () => {
  const { norms, labels, n, d } = makeRecords(400, 50);
  expect(norms.length).toBe(n);
  expect(norms.reduce((sum, norm) => sum + norm ** 2, 0) / n).toBeCloseTo(1, 1);
  expect(new Set(labels)).toEqual(new Set([-1, 1]));
  expect(d).toBe(50);
});

test('a run through the stack ends in a finite point that has moved', () => {
  const data = attach(makeRecords(400, 5));
  for (const run of [
    planDpSgd(data, { steps: 5, rate: 0.1, stepSize: 0.5 }),
    planOnePass(data, { rounds: 4, stepSize: 1 }),
  ]) {
    const point = runOnce(data, run);
    expect(point).toHaveLength(5);
    expect(point.every((value) => Number.isFinite(value) && value !== 0)).toBe(true);
  }
});

test('without noise a pass over coordinates is the same each time, with noise it is another', () => {
  const data = attach(makeColumns(300, 7));
  const [exact, noisy] = [false, true].map((noise) =>
    runOnce(data, planCoordinatePass(data, { stepSize: 1, clip: 0.1, noisy: noise })),
  );
  expect(runOnce(data, planCoordinatePass(data, { stepSize: 1, clip: 0.1, noisy: false }))).toEqual(exact);
  expect(noisy).not.toEqual(exact);
});

test('names are unique within the epoch’s parts', () => {
  expect(new Set(epochs.map(({ name }) => name)).size).toBe(epochs.length);
});

test.skipIf(python === null)(
  'numpy works on the same numbers, in every form, and reports what it cannot do',
  async () => {
    const reference = startReference(defined(python), 1);
    try {
      const { w, norms } = makeRecords(30, 7);
      const size = { n: 30, d: 7, steps: 3, batch: 5, rounds: 3, stepSize: 1 };
      const check = async (of: string, form: string): Promise<number[]> => {
        await reference.ask({ do: 'prepare', case: of, form, size });
        return (await reference.ask({ do: 'check', form })).values as number[];
      };
      for (const form of ['einsum', 'vecdot'])
        (await check('norms', form)).forEach((value, i) => expect(value).toBeCloseTo(norms[i], 12));
      const whole = await check('gradient', 'whole');
      for (const form of ['blocks-5', 'pool-5'])
        (await check('gradient', form)).forEach((value, j) => expect(value).toBeCloseTo(whole[j], 12));
      expect(whole).toHaveLength(w.length);
      for (const [of, form] of [
        ['epoch', 'choice'],
        ['epoch', 'mask'],
        ['one_pass', 'whole'],
        ['one_pass', 'blocks-5'],
        ['one_pass', 'pool-5'],
      ] as const)
        expect((await check(of, form)).every(Number.isFinite)).toBe(true);
      const { X } = makeRecords(30, 7);
      for (const [form, total] of [
        ['sum', Array.from(X.data).reduce((sum, value) => sum + value, 0)],
        ['squares', norms.reduce((sum, norm) => sum + norm ** 2, 0)],
      ] as const) {
        await reference.ask({ do: 'prepare', case: 'reading', form, size: { ...size, times: 2 } });
        expect(((await reference.ask({ do: 'check', form })).values as number[])[0]).toBeCloseTo(total, 10);
      }
      const data = attach(makeColumns(30, 7));
      const pass = runOnce(data, planCoordinatePass(data, { stepSize: 1, clip: 0.1, noisy: false }));
      for (const form of ['whole', 'blocks-3']) {
        await reference.ask({
          do: 'prepare',
          case: 'coordinate_pass',
          form,
          size: { n: 30, d: 7, clip: 0.1, stepSize: 1, noisy: 0 },
        });
        ((await reference.ask({ do: 'check', form })).values as number[]).forEach((value, j) =>
          expect(value).toBeCloseTo(pass[j], 12),
        );
      }
      expect((await reference.ask({ do: 'run', form: 'whole', repeats: 2 })).nanoseconds).toBeGreaterThan(0);
      await expect(reference.ask({ do: 'prepare', case: 'gradient', form: 'no form', size })).rejects.toThrow(
        'reference:',
      );
    } finally {
      reference.stop();
    }
  },
);
