import { defined } from '@lethe/numerics';
import { parseHTML } from 'linkedom';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { summaryOf } from '../src/cli/summary.js';
import { checkExperiment } from './support/check-experiment.js';
import { experimentSchema } from '../src/experiment/schema.js';
import { registry } from '../src/registry.js';
import { renderReport } from '../src/report/render.js';
import { lethe, release } from './support/lab-folder.js';
import { runEvaluation } from './support/run-evaluation.js';

const shuffled = {
  name: 'noisy-clipped-ac-sa',
  params: {
    rounds: 2,
    clipNorm: 1,
    mean: {
      name: 'shuffled',
      params: { randomiser: { name: 'shuffled-vector-sum', params: { radius: 1 } } },
    },
  },
};
const content = {
  lethe: 1,
  kind: 'evaluation',
  name: 'a',
  title: 'A',
  problems: [
    {
      name: 'line',
      title: 'Line',
      data: {
        generate: { rows: 4096, columns: 2, features: { law: 'gaussian' }, response: { kind: 'logistic' } },
      },
      loss: { name: 'logistic' },
      domain: { name: 'l2-ball', params: { radius: 1 } },
      record: { featureNorm: 2 },
      facts: { 'gradientMoment.2': { value: 2, why: 'a test' } },
    },
  ],
  optimizers: [
    { name: 'noisy-clipped-ac-sa', params: { rounds: 2, clipNorm: 1 } },
    { ...shuffled, trust: { model: 'shuffle' } },
    { ...shuffled, label: 'few', trust: { model: 'shuffle', honestUsers: 3000 } },
  ],
  budgets: [{ epsilon: 2, delta: 1e-6 }],
  sizes: [4096],
  seeds: { count: 2 },
};
type Change = (same: typeof content) => object;
const check = (change: Change) => (): void => {
  checkExperiment(experimentSchema.parse(change(structuredClone(content))), 'a.yaml', registry);
};

describe('optimizers under two trusts, side by side', async () => {
  const result = await runEvaluation(content);
  const [central, all, few] = result.problems[0].cells;

  test('answer by their own curators, and cost what was planned', () => {
    expect([central.trust, all.trust, few.trust]).toEqual([
      undefined,
      { model: 'shuffle', honestUsers: 4096 },
      { model: 'shuffle', honestUsers: 3000 },
    ]);
    const kinds = [central, all, few].map((cell) =>
      JSON.stringify(cell.plan.event).match(/core\/(?:gaussian|shuffled)/gu),
    );
    expect(kinds.map((found) => [...new Set(found)])).toEqual([
      ['core/gaussian'],
      ['core/shuffled'],
      ['core/shuffled'],
    ]);
    // Of the 2048 users of a batch, all 1096 that are not honest may be in it.
    expect(JSON.stringify(few.plan.event)).toContain('"honestUsers":952');
    for (const cell of [central, all, few]) {
      expect(cell.ledgerMatchesPlan).toBe(true);
      expect(cell.accounted.upper).toBeLessThanOrEqual(2.0001);
    }
  });

  test('fewer honest users take more noise', () => {
    expect(defined(few.plan.utility).bound).toBeGreaterThan(defined(all.plan.utility).bound);
  });

  test('are told apart by label, in the table, the legend and the parameters, and on the terminal', () => {
    expect([central, all, few].map((cell) => cell.label)).toEqual([
      'noisy-clipped-ac-sa',
      'noisy-clipped-ac-sa (shuffle)',
      'few',
    ]);
    const page = parseHTML(renderReport([result])).document as unknown as {
      querySelector(selector: string): { textContent: string };
      querySelectorAll(selector: string): Iterable<{ textContent: string }>;
    };
    expect(
      [...page.querySelectorAll('figure ~ .scroll tbody tr')].map(
        (row) =>
          /central|shuffle, [\d,]+ honest users/u.exec(
            row.textContent.replace(/^noisy-clipped-ac-sa(?: \(shuffle\))?/u, ''),
          )?.[0],
      ),
    ).toEqual(['central', 'shuffle, 4,096 honest users', 'shuffle, 3,000 honest users']);
    expect(page.querySelector('.legend').textContent).toContain('few (shuffle)');
    expect(page.querySelector('main').textContent).toContain('in the shuffle model, 3,000 honest users');
    expect(summaryOf(result)).toMatch(/few \(shuffle\) +4,096/u);
  });

  test('the table has no such column where all is central', async () => {
    const alone = await runEvaluation({
      ...content,
      optimizers: content.optimizers.slice(0, 1),
      seeds: { count: 1 },
    });
    expect(renderReport([alone])).not.toMatch(/<th[^>]*>trust<\/th>/u);
  });
});

describe('silos of unequal size', async () => {
  const oneStep = (trust?: object) => ({
    name: 'parallel-sgd',
    label: JSON.stringify(trust ?? 'central'),
    params: { rounds: 1, stepSize: 0.5, clipNorm: 2, noiseMultiplier: 1e-7 },
    ...(trust === undefined ? {} : { trust }),
  });
  const silos = { model: 'federated', silos: 3, shares: [5, 2, 1], split: 'by-label' };
  const few = { n: 83, sizes: [83], seeds: { count: 1 } };
  const result = await runEvaluation({
    ...content,
    sizes: few.sizes,
    seeds: few.seeds,
    optimizers: [
      oneStep(),
      oneStep({ ...silos, weights: 'records' }),
      oneStep({ ...silos, weights: [52, 21, 10] }),
      oneStep({ ...silos, server: 'trusted', weights: 'records' }),
      oneStep(silos),
      { name: 'dp-mu2-sgd', params: { rounds: 5, noiseFactors: [2, 1, 1] }, trust: silos },
      {
        name: 'dp-mu2-sgd',
        label: 'sums',
        params: { rounds: 5 },
        trust: { ...silos, model: 'secure-aggregation', corrupted: 0 },
      },
    ],
  });
  const [central, byRecords, given, trusted, alike, momentum, sums] = result.problems[0].cells;

  test('weigh as many records as they have, or what is given, and one step is then that of one machine', () => {
    for (const cell of [byRecords, given, trusted]) {
      expect(cell.trust).toMatchObject({ weights: [52 / 83, 21 / 83, 10 / 83] });
      expect(cell.excess.mean).toBeCloseTo(central.excess.mean, 6);
    }
    expect(alike.trust).not.toHaveProperty('weights');
    expect(Math.abs(alike.excess.mean - central.excess.mean)).toBeGreaterThan(1e-3);
  });

  test('have batches in proportion, and noise of their own', () => {
    for (const { plan, ledgerMatchesPlan } of [momentum, sums]) {
      expect(plan).toMatchObject({ batchSizes: [10, 4, 2] });
      expect(ledgerMatchesPlan).toBe(true);
    }
    expect(momentum.plan).toMatchObject({ noiseFactors: [2, 1, 1] });
  });

  test('are named in the report', () => {
    const text = renderReport([result]);
    expect(text).toContain(
      'on 3 silos of 5 : 2 : 1 of the records, split by label, with a trusted server, weights their ' +
        'numbers of records',
    );
    expect(text).toContain('weights 52 : 21 : 10');
  });
});

describe('refused', () => {
  test.each<[string, Change, RegExp]>([
    [
      'an optimizer that does not shuffle',
      (same) => ({
        ...same,
        optimizers: [
          {
            name: 'dp-sgd',
            params: { steps: 1, rate: 0.5, clipNorm: 1, stepSize: 1 },
            trust: { model: 'shuffle' },
          },
        ],
      }),
      /a\.yaml: optimizers\.0\.trust: optimizer 'dp-sgd' does not run in the shuffle model; it runs in central/u,
    ],
    [
      'add-remove',
      (same) => ({ ...same, adjacency: 'add-remove' }),
      /optimizers\.1\.trust: shuffled messages tell how many users there are/u,
    ],
    [
      'shares for other silos',
      (same) => ({
        ...same,
        optimizers: [{ name: 'parallel-sgd', trust: { model: 'federated', silos: 3, shares: [1, 2] } }],
      }),
      /shares: are 2 numbers for 3 silos; give one for each|are 2 numbers for 3 silos/u,
    ],
    [
      'another model',
      (same) => ({ ...same, optimizers: [{ ...same.optimizers[0], trust: 'nobody' }] }),
      /optimizers\[0\]\.trust|optimizers\.0\.trust/u,
    ],
    [
      'a stranger',
      (same) => ({ ...same, optimizers: [{ ...same.optimizers[0], trust: { model: 'shuffle', users: 3 } }] }),
      /users/u,
    ],
  ])('%s', (_name, change, message) => {
    let said = '';
    try {
      check(change)();
    } catch (error) {
      said = error instanceof z.ZodError ? z.prettifyError(error) : (error as Error).message;
    }
    expect(said).toMatch(message);
  });

  test('more honest users than records, with both numbers', async () => {
    await expect(
      runEvaluation({
        ...content,
        optimizers: [{ ...shuffled, trust: { model: 'shuffle', honestUsers: 5000 } }],
      }),
    ).rejects.toThrow(/honestUsers is 5000, and there are 4096 records/u);
  });

  test('in a release, with the reason', () => {
    const { error } = experimentSchema.safeParse({
      ...release,
      optimizer: { ...release.optimizer, trust: { model: 'shuffle' } },
    });
    expect(z.prettifyError(defined(error))).toMatch(
      /one machine that holds all records[^]*optimizer\.trust/u,
    );
    expect(
      experimentSchema.safeParse({ ...release, optimizer: { ...release.optimizer, trust: 'central' } })
        .success,
    ).toBe(true);
  });
});

describe('lethe plan', () => {
  const asked = [
    'plan',
    'noisy-clipped-ac-sa',
    '--n',
    '4096',
    '--d',
    '2',
    '--epsilon',
    '2',
    '--loss',
    '{"name":"logistic"}',
    '--fact',
    'gradientMoment.2=2',
    '--json',
  ];
  const params = ['--params', JSON.stringify(shuffled.params)];
  test('plans under either trust', async () => {
    const honest = async (...more: readonly string[]): Promise<unknown> =>
      (
        JSON.parse((await lethe(...asked, ...params, '--trust', 'shuffle', ...more)).out) as {
          problem: { trust: unknown };
        }
      ).problem.trust;
    expect(await honest()).toEqual({ model: 'shuffle', honestUsers: 4096 });
    expect(await honest('--honest-users', '3000')).toEqual({ model: 'shuffle', honestUsers: 3000 });
  });
  test.each([
    [['--honest-users', '3000'], /add --trust shuffle/u],
    [[...params, '--trust', 'shuffle', '--honest-users', '5000'], /honestUsers is 5000/u],
    [['--trust', 'nobody'], /--trust/u],
    [[...params, '--trust', 'shuffle', '--honest-users', '0.5'], /--honest-users/u],
  ])('refuses %j', async (more, message) => {
    const { code, out, error } = await lethe(...asked, ...more);
    expect([code, out]).toEqual([2, '']);
    expect(error).toMatch(message);
  });
});
