import { defined } from '@lethe/numerics';
import { describe, expect, test } from 'vitest';
import type { Case, Prepared } from '../case.mjs';
import type { Reference } from '../python.mjs';
import { runCase } from '../run-case.mjs';
import { shortLine, tableOf } from '../table.mjs';

const options = { pairs: 5, nanoseconds: 10, warmUp: 10 };
const values = [1, 2, -3];
const given = (prepared: Prepared, rest: Partial<Case> = {}): Case => ({
  name: 'group/name',
  what: 'what it is',
  unit: 'µs',
  nanoseconds: 1000,
  parts: 2,
  forms: ['slow', 'fast'],
  of: 'case',
  goal: 0.5,
  prepare: () => prepared,
  ...rest,
});
const reference = (checked = values): Reference => ({
  ask: async ({ do: what, form, repeats }) =>
    what === 'check'
      ? { values: checked }
      : { nanoseconds: (form === 'fast' ? 8000 : 20_000) * Number(repeats) },
  stop() {},
});
const steady = (cost: number): Prepared => ({
  run: (repeats) => cost * repeats,
  check: () => Float64Array.from(values),
});

describe('a case', () => {
  test.each([
    [4000, true],
    [4400, false],
  ])('that takes %i ns meets its goal against the fastest form: %s', async (cost, met) => {
    const result = await runCase(given(steady(cost)), () => reference(), options);
    expect(result).toMatchObject({
      met,
      ours: { median: cost / 2000 },
      ratio: { median: cost / 8000 },
      reference: { form: 'fast', time: { median: 4 } },
    });
    expect(Object.keys(defined(result.reference).forms)).toEqual(['slow', 'fast']);
    expect(tableOf([result])).toContain(met ? '| ≤ 0.5 | met |' : '| ≤ 0.5 | **not met** |');
  });

  test('warms up and is read by numbers of runs where it names them', async () => {
    const asked: number[] = [];
    const run = (repeats: number): number => {
      asked.push(repeats);
      return 4000 * repeats;
    };
    const counted = given({ ...steady(4000), run }, { runs: { warmUp: 7, reading: 3 } });
    await runCase(counted, () => reference(), options);
    expect(asked).toEqual([1, 6, 1, 3, 3, 3, 3, 3]);
  });

  test('whose results differ from the reference’s is not timed', async () => {
    await expect(runCase(given(steady(1)), () => reference([1, 2, -3.0001]), options)).rejects.toThrow(
      'differ by',
    );
    await expect(runCase(given(steady(1)), () => reference([1, 2]), options)).rejects.toThrow('differ');
  });

  test('without a reference is printed alone, its goal not judged', async () => {
    const result = await runCase(given(steady(4000)), () => null, options);
    expect(result.met).toBeUndefined();
    expect(tableOf([result])).toContain('| what it is | 2.00 µs | – | – | – | ≤ 0.5 | not compared |');
  });

  test('that cannot run says why, and is disposed of', async () => {
    let disposed = 0;
    const result = await runCase(
      given({ skipped: 'no threads here', dispose: () => void disposed++ }),
      () => reference(),
      options,
    );
    expect(tableOf([result])).toContain('skipped: no threads here');
    expect(disposed).toBe(1);
  });

  test('that is to run once is not timed, and fails where its answer is wrong', async () => {
    const repeats: number[] = [];
    const run = (n: number): number => repeats.push(n);
    const query = given({ run, answer: () => ({ lower: 1, upper: 2 }) }, { forms: [], known: 1.5 });
    const result = await runCase(query, () => null, { ...options, once: true });
    expect(repeats).toEqual([1]);
    expect(shortLine(result)).toBe('runs');
    await expect(runCase({ ...query, known: 3 }, () => null, { ...options, once: true })).rejects.toThrow(
      '[1, 2] does not contain the known value 3',
    );
  });

  test('may be compared within the process', async () => {
    const result = await runCase(
      given({ run: (n) => 3 * n, other: (n) => 2 * n }, { forms: [], against: 'one thread', goal: 1 }),
      () => null,
      options,
    );
    expect(result).toMatchObject({ met: false, ratio: { median: 1.5 }, reference: { form: 'one thread' } });
  });
});
