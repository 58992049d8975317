import { readFileSync } from 'node:fs';
import { normalCdfBounds, normalQuantileBounds } from '@lethe/numerics';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { labFolder, lethe, type LabFolder } from './support/lab-folder.js';

let folder: LabFolder;
beforeEach(() => {
  folder = labFolder();
});
afterEach(() => {
  folder.remove();
});

const sgd = ['dp-sgd', '--n', '60000', '--batch', '256'];
const json = async (...args: readonly string[]): Promise<Record<string, never>> =>
  JSON.parse((await lethe(...args, '--json')).out) as Record<string, never>;

describe('lethe account METHOD', () => {
  test('is the event of the method, under its usual adjacency', async () => {
    const asked = [...sgd, '--epochs', '10', '--sigma', '1.1'];
    const { out, error } = await lethe('account', ...asked, '--delta', '1e-5');
    expect(out).toMatch(/^epsilon in \[0\.9189\d+, 0\.9189\d+\] \(certified, pld/u);
    expect(error).toContain('under add-remove');
    const exported = (await lethe('account', ...asked, '--export')).out;
    expect(exported).toBe(
      'dp_accounting.SelfComposedDpEvent(event=dp_accounting.PoissonSampledDpEvent(' +
        `sampling_probability=${256 / 60_000}, ` +
        'event=dp_accounting.GaussianDpEvent(noise_multiplier=1.1)), count=2344)\n',
    );
    const same = await lethe(
      'account',
      folder.write('event.py', exported),
      '--adjacency',
      'add-remove',
      '--delta',
      '1e-5',
    );
    expect(same.out).toBe(out);
    const both = await lethe('account', ...asked, '--export', '--delta', '1e-5');
    expect([both.code, both.out, both.error]).toEqual([2, '', expect.stringContaining('leave --delta out')]);
  });

  test.each([
    ['poisson', 'add-remove'],
    ['allocation', 'add-remove'],
    ['without-replacement', 'replace-one'],
    ['with-replacement', 'replace-one'],
  ])('batches drawn by %s are accounted under %s', async (sampling, adjacency) => {
    const { code, out, error } = await lethe(
      'account',
      ...sgd,
      '--steps',
      '4',
      '--sigma',
      '2',
      '--sampling',
      sampling,
      '--epsilon',
      '1',
    );
    expect([code, error]).toEqual([0, `under ${adjacency}; --adjacency asks for another\n`]);
    expect(out).toMatch(/^delta /u);
  });

  test('answers for one direction, and says that it is not the cost', async () => {
    const ask = async (...more: readonly string[]) =>
      lethe('account', ...sgd, '--epochs', '10', '--sigma', '1.1', '--delta', '1e-5', '--json', ...more);
    const upper = ({ out }: { readonly out: string }) =>
      (JSON.parse(out) as { readonly epsilon: { readonly upper: number } }).epsilon.upper;
    const [remove, add, both] = [
      await ask('--direction', 'remove'),
      await ask('--direction', 'add'),
      await ask(),
    ];
    expect(add.error).toContain('add alone; the cost is the larger of both directions');
    expect(upper(remove)).toBe(upper(both));
    expect(upper(add)).toBeLessThan(upper(both));
  });

  test('adds Rényi divergences and detection rates', async () => {
    const { out } = await lethe(
      'account',
      'gaussian',
      '--sigma',
      '2',
      '--steps',
      '3',
      '--order',
      '8',
      '--false-alarms',
      '0.05',
    );
    const [divergence, detection] = out.split('\n');
    expect(Number(divergence.split(' ').at(-1))).toBeCloseTo((8 * 3) / (2 * 2 ** 2), 12);
    const most = normalCdfBounds(normalQuantileBounds(0.05).upper + Math.sqrt(3) / 2).upper;
    expect(detection).toContain(`in at most ${Number((100 * most).toPrecision(6))} %`);
  });

  test('ends a question after --seconds with what is known', async () => {
    const asked = [...sgd, '--steps', '7', '--sigma', '1.1', '--delta', '1e-5'];
    const soon = await lethe('account', ...asked, '--seconds', '1e-9');
    expect(soon.out).toBe('epsilon at most Infinity (certified, no answer within 1e-9 s)\n');
    const late = await lethe('account', ...asked, '--seconds', '1e9');
    expect(late.out).toBe((await lethe('account', ...asked)).out);
    for (const [seconds, why] of [
      ['0', /--seconds is not valid/u],
      ['soon', /seconds/u],
    ] as const) {
      const { code, error } = await lethe('account', ...asked, '--seconds', seconds);
      expect([code === 0, error]).toEqual([false, expect.stringMatching(why)]);
    }
  });

  // Papernot, Steinke 2022: the loss of the best of K runs of a pure ε is at most ε and the supremum of
  // log f′(a)/f′(b), f(x) = E x^K, over probabilities a and b that the outputs up to a threshold have. Of
  // Laplace noise on neighbours, outputs above it have s = 1 − a and t = 1 − b = 1 − e^−ε/(4s) in the middle.
  test.each([
    ['poisson', (worse: number) => Math.exp(10 * worse), 1e-6],
    // Tails are known by the divergences of eight orders, which allow .9 % more.
    ['geometric', (worse: number) => (0.1 + 0.9 * (1 - worse)) ** -2, 0.01],
  ] as const)(
    'prices the best of a %s number of runs of Laplace noise',
    async (distribution, slope, slack) => {
      const epsilon = 1;
      const ratios = Array.from({ length: 10_001 }, (_, i) => {
        const s = 0.5 * Math.exp(-epsilon * (1 - i / 10_000));
        return Math.log(slope(1 - s) / slope(Math.exp(-epsilon) / (4 * s)));
      });
      const runs = ['--best-of', '10', '--runs-by', distribution, '--delta', '1e-200', '--json'];
      const { out } = await lethe('account', 'laplace', '--scale', `${1 / epsilon}`, ...runs);
      const { upper } = (JSON.parse(out) as { readonly epsilon: { readonly upper: number } }).epsilon;
      const ratio = upper / (epsilon + Math.max(...ratios));
      expect(ratio).toBeGreaterThan(1 - 1e-6);
      expect(ratio).toBeLessThan(1 + slack);
    },
  );

  test('draws both curves', async () => {
    const path = folder.file('curves.svg');
    const { code } = await lethe('account', 'laplace', '--scale', '3', '--svg', path);
    const text = readFileSync(path, 'utf8');
    expect([code, text.startsWith('<svg xmlns='), text.split('<svg').length - 1]).toEqual([0, true, 3]);
  });

  test.each<readonly [string, readonly string[], RegExp]>([
    ['no noise', [...sgd, '--epochs', '1'], /dp-sgd needs --sigma/u],
    ['steps and epochs', [...sgd, '--epochs', '1', '--steps', '2', '--sigma', '1'], /--steps or --epochs/u],
    ['no size', ['dp-sgd', '--epochs', '1', '--sigma', '1'], /--n and --batch, or --rate/u],
    ['two sizes', [...sgd, '--rate', '.1', '--epochs', '1', '--sigma', '1'], /give one form/u],
    ['a scale', ['gaussian', '--scale', '1'], /gaussian takes no --scale/u],
    [
      'an attack in one direction',
      ['gaussian', '--sigma', '1', '--direction', 'add', '--false-alarms', '.1'],
      /leave --false-alarms/u,
    ],
    ['no method', ['--sigma', '1'], /none is named/u],
    [
      'too large a batch',
      ['dp-sgd', '--n', '5', '--batch', '9', '--steps', '1', '--sigma', '1'],
      /rate is 1.8/u,
    ],
    ['half a step', ['gaussian', '--sigma', '1', '--steps', '0.5'], /--steps is 0.5/u],
    ['the best of one run', ['gaussian', '--sigma', '1', '--best-of', '1'], /--best-of is 1; .* above 1/u],
    ['a distribution of no runs', ['gaussian', '--sigma', '1', '--runs-by', 'poisson'], /give --best-of/u],
    ['noise of zero', ['gaussian', '--sigma', '0'], /noise is 0/u],
    ['an order of 1', ['gaussian', '--sigma', '1', '--order', '1'], /--order/u],
  ])('refuses %s', async (_name, args, message) => {
    const { code, out, error } = await lethe('account', ...args, '--delta', '1e-5');
    expect([code, out]).toEqual([2, '']);
    expect(error).toMatch(message);
  });

  test('--accountant all gives a reason once', async () => {
    const { out } = await lethe(
      'account',
      'gaussian',
      '--sigma',
      '2',
      '--delta',
      '1e-5',
      '--delta',
      '1e-6',
      '--accountant',
      'all',
    );
    expect(out.match(/has no approximate under/gu)).toHaveLength(1);
    expect(out).toContain('no answer, as above');
    expect(out).not.toContain('no accountant can answer');
  });
});

describe('lethe calibrate METHOD', () => {
  test('finds the noise of DP-SGD', async () => {
    const asked = ['calibrate', ...sgd, '--epochs', '2'];
    const { value } = await json(...asked, '--epsilon', '2', '--delta', '1e-5');
    const { epsilon } = await json(
      'account',
      ...sgd,
      '--epochs',
      '2',
      '--sigma',
      String(value),
      '--delta',
      '1e-5',
    );
    expect((epsilon as { upper: number }).upper).toBeLessThanOrEqual(2);
    expect((epsilon as { upper: number }).upper).toBeGreaterThan(1.999);
  });

  test('by advantage and by detection, in closed form for Gaussian noise', async () => {
    const quantile = (p: number): number => normalQuantileBounds(p).upper;
    const advantage = await json('calibrate', 'gaussian', '--advantage', '0.1');
    expect((advantage['value'] as number) * 2 * quantile(0.55)).toBeCloseTo(1, 6);
    const detection = await json(
      'calibrate',
      'gaussian',
      '--by',
      'detection',
      '--detection',
      '0.2',
      '--false-alarms',
      '0.05',
    );
    expect((detection['value'] as number) * (quantile(0.2) - quantile(0.05))).toBeCloseTo(1, 3);
    const { out } = await lethe('calibrate', 'gaussian', '--advantage', '0.1');
    expect(out).toMatch(/\nadvantage of any attack at most 0\.\d+: true positives .*\nshown by delta in /u);
  });

  test.each<readonly [string, readonly string[], RegExp]>([
    ['the noise', ['gaussian', '--sigma', '1', '--epsilon', '1', '--delta', '1e-5'], /leave it out/u],
    ['half a target', ['gaussian', '--epsilon', '1'], /--delta is missing/u],
    [
      'half a target by detection',
      ['gaussian', '--by', 'detection', '--detection', '0.1'],
      /--false-alarms is/u,
    ],
    [
      'two targets',
      ['gaussian', '--by', 'advantage', '--advantage', '0.1', '--delta', '1e-5'],
      /no part of/u,
    ],
    [
      'a path',
      ['gaussian', '--free', '/sigma', '--epsilon', '1', '--delta', '1e-5'],
      /--free is for events/u,
    ],
    ['an advantage above 1', ['gaussian', '--advantage', '1.5'], /--advantage is 1\.5; it must be above 0/u],
    [
      'detection below false alarms',
      ['gaussian', '--by', 'detection', '--detection', '0.1', '--false-alarms', '0.2'],
      /rate of detection is 0.1/u,
    ],
  ])('refuses %s', async (_name, args, message) => {
    const { code, out, error } = await lethe('calibrate', ...args);
    expect([code, out]).toEqual([2, '']);
    expect(error).toMatch(message);
  });
});
