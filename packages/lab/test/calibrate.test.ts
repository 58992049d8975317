import { parseEvent } from '@lethe/core';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { labFolder, lethe, type LabFolder } from './support/lab-folder.js';

let folder: LabFolder;
beforeEach(() => {
  folder = labFolder();
});
afterEach(() => {
  folder.remove();
});

const gaussian = { kind: 'core/gaussian', v: 1, sigma: 2, sensitivity: { 'replace-one': 1, 'zero-out': 1 } };
const steps = {
  kind: 'core/compose',
  v: 1,
  parts: [
    {
      count: 100,
      event: { kind: 'core/sampled', v: 1, sampler: { kind: 'core/poisson', rate: 0.05 }, event: gaussian },
    },
  ],
};
const target = ['--epsilon', '1', '--delta', '1e-5', '--adjacency', 'zero-out'];

interface Found {
  readonly value: number;
  readonly integer: boolean;
  readonly direction: string;
  readonly event: object;
  readonly epsilon?: { upper: number; certificate: string };
  readonly delta?: { upper: number };
}
async function calibrated(template: object, ...args: readonly string[]): Promise<Found> {
  const { code, out, error } = await lethe(
    'calibrate',
    folder.write('t.json', template),
    ...target,
    ...args,
    '--json',
  );
  expect([code, error]).toEqual([0, '']);
  return JSON.parse(out) as Found;
}

describe('lethe calibrate', () => {
  test('finds the noise, and gives the event that has it', async () => {
    const { value, integer, direction, event, epsilon } = await calibrated(gaussian, '--free', '/sigma');
    expect(value).toBeCloseTo(3.7306316348, 8);
    expect([integer, direction, defined(epsilon).certificate]).toEqual([false, 'larger-is-private', 'exact']);
    expect(event).toEqual(parseEvent({ ...gaussian, sigma: value }));
    expect(defined(epsilon).upper).toBeLessThanOrEqual(1);
    const again = await lethe(
      'account',
      folder.write('e.json', event),
      '--delta',
      '1e-5',
      '--adjacency',
      'zero-out',
      '--json',
    );
    expect(JSON.parse(again.out)).toEqual({ epsilon });
  });

  test('lands on the private side at any target', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: -30, max: 20 }),
        fc.integer({ min: -100, max: -10 }),
        fc.boolean(),
        async (e, d, byDelta) => {
          const [epsilon, delta] = [10 ** (e / 10), 10 ** (d / 10)];
          const found = await calibrated(
            gaussian,
            '--free',
            'sigma',
            '--epsilon',
            String(epsilon),
            '--delta',
            String(delta),
            '--by',
            byDelta ? 'delta' : 'epsilon',
          );
          expect(defined(byDelta ? found.delta : found.epsilon).upper).toBeLessThanOrEqual(
            byDelta ? delta : epsilon,
          );
        },
      ),
      { numRuns: 15 },
    );
  });

  test('takes whole numbers where the event does, and the most steps that there may be', async () => {
    const { value, integer, direction } = await calibrated(steps, '--free', 'parts.0.count');
    expect([Number.isInteger(value), integer, direction]).toEqual([true, true, 'smaller-is-private']);
    const more = { ...steps, parts: [{ ...steps.parts[0], count: value + 1 }] };
    const { epsilon } = JSON.parse(
      (
        await lethe(
          'account',
          folder.write('e.json', more),
          '--delta',
          '1e-5',
          '--adjacency',
          'zero-out',
          '--json',
        )
      ).out,
    ) as { epsilon: { upper: number } };
    expect(epsilon.upper).toBeGreaterThan(1);
    expect((await calibrated(gaussian, '--free', '/sigma', '--integer')).value).toBe(4);
  });

  test('holds a rate below 1, one number at two places, and what is asked of it', async () => {
    const rate = await calibrated(steps, '--free', '/parts/0/event/sampler/rate');
    expect(rate.value).toBeGreaterThan(0);
    expect(rate.value).toBeLessThanOrEqual(1);
    const two = {
      kind: 'core/compose',
      v: 1,
      parts: [
        { count: 1, event: gaussian },
        { count: 1, event: gaussian },
      ],
    };
    const both = await calibrated(two, '--free', '/parts/0/event/sigma', '--free', '/parts/1/event/sigma');
    expect(both.value).toBeCloseTo(3.7306316348 * Math.SQRT2, 7);
    expect((await calibrated(gaussian, '--free', '/sigma', '--min', '5')).value).toBe(5);
    const named = await calibrated(
      gaussian,
      '--free',
      '/sigma',
      '--accountant',
      'zcdp',
      '--direction',
      'larger-is-private',
    );
    expect(named.value).toBeGreaterThan(3.7306316348);
  });

  test('says it in words without --json', async () => {
    const { code, out } = await lethe(
      'calibrate',
      folder.write('t.json', gaussian),
      ...target,
      '--free',
      '/sigma',
    );
    expect(code).toBe(0);
    expect(out).toMatch(
      /^3\.7306316\d*\nepsilon in \[[\d.]+, [\d.]+\] \(exact, gdp\) at delta 0\.00001; larger is private\n/u,
    );
  });

  test.each<[string, readonly string[]]>([
    ['no free number', []],
    ['a path that leads nowhere', ['--free', '/nothing']],
    ['a path to no number', ['--free', '/kind']],
    ['an unknown accountant', ['--free', '/sigma', '--accountant', 'nobody']],
    ['a wrong adjacency', ['--free', '/sigma', '--adjacency', 'swap']],
    ['an adjacency the event lacks', ['--free', '/sigma', '--adjacency', 'add-remove']],
    ['a negative target', ['--free', '/sigma', '--epsilon', '-1']],
    ['a target that is no number', ['--free', '/sigma', '--delta', 'small']],
    ['a wrong direction', ['--free', '/sigma', '--direction', 'up']],
    ['a wrong side', ['--free', '/sigma', '--by', 'rho']],
    ['an empty range', ['--free', '/sigma', '--min', '3', '--max', '2']],
    ['a range that is not private enough', ['--free', '/sigma', '--max', '3']],
    ['a target nothing meets', ['--free', '/sigma', '--epsilon', '0', '--delta', '0']],
  ])('refuses %s with exit 2', async (_name, args) => {
    const { code, out, error } = await lethe(
      'calibrate',
      folder.write('t.json', gaussian),
      ...target,
      ...args,
    );
    expect([code, out]).toEqual([2, '']);
    expect(error).toMatch(/^lethe calibrate: .{20}/u);
  });

  test.each<[string, readonly string[]]>([
    ['epsilon', ['--delta', '1e-5', '--adjacency', 'zero-out']],
    ['delta', ['--epsilon', '1', '--adjacency', 'zero-out']],
    ['adjacency', ['--epsilon', '1', '--delta', '1e-5']],
  ])('asks for --%s', async (name, args) => {
    const { code, error } = await lethe(
      'calibrate',
      folder.write('t.json', gaussian),
      '--free',
      '/sigma',
      ...args,
    );
    expect(code).toBe(2);
    expect(error).toContain(`--${name} is missing`);
  });

  test.each<[string, string]>([
    ['empty', ''],
    ['another kind', '{"kind":"core/nothing","v":1,"sigma":1}'],
    ['a list', '[]'],
    ['deep', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
  ])('refuses a template that is %s', async (_name, content) => {
    expect(
      await lethe('calibrate', folder.write('t.json', content), ...target, '--free', '/sigma'),
    ).toMatchObject({ code: 2, out: '' });
  });
});
