import { normalCdf, normalQuantile } from '@lethe/numerics';
import { gaussianCurve } from '@lethe/laws';
import { afterAll, describe, expect, test } from 'vitest';
import type { AuditResult } from '../src/audit/audit-case.js';
import { mostHits } from '../src/report/audit.js';
import { labFolder, lethe } from './support/lab-folder.js';
import { halfSpace, installPlugins } from './support/plain-plugins.js';

describe('lethe audit', () => {
  const folder = labFolder();
  afterAll(() => {
    folder.remove();
  });
  const experiment = {
    lethe: 1,
    kind: 'evaluation',
    name: 'small',
    title: 'Small <b>',
    problems: [
      {
        name: 'few',
        title: 'Few',
        data: {
          generate: {
            rows: 40,
            columns: 2,
            features: { law: 'gaussian' },
            response: { kind: 'linear', noise: { law: 'gaussian', scale: 1 } },
          },
        },
        loss: { name: 'squared' },
        domain: { name: 'l2-ball', params: { radius: 1 } },
      },
    ],
    optimizers: [
      {
        name: 'noisy-gradient-descent',
        label: 'ngd',
        params: { innerSteps: 2, smoothness: 4, clip: { radius: 1 } },
      },
      { name: 'dp-sgd', params: { steps: 2, rate: 0.5, clipNorm: 1, stepSize: 0.1 } },
    ],
    budgets: [{ epsilon: 2, delta: 0.01 }],
    sizes: [16, 8],
    seeds: { first: 1, count: 1 },
  };

  test('audits what an evaluation plans, at its smallest size, and writes a report', async () => {
    const file = folder.write('small.json', experiment);
    const { code, out, error } = await lethe('audit', file, '--runs', '100', '--out', folder.file('out'));
    expect(code, error).toBe(0);
    expect(out).toMatch(/ngd on few, ε = 2 +replace-one +8 +ε ≤ 2\.000 +ε ≥ \S+ +\S+ +holds\n/u);
    expect(out).toMatch(/dp-sgd on few, ε = 2 /u);
    const page = folder.read('out/audit.html');
    const written = JSON.parse(folder.read('out/audit.json')) as AuditResult;
    expect(written).toMatchObject({ kind: 'audit', name: 'small', environment: { lethe: '0.1.0' } });
    expect(written.environment).not.toHaveProperty('plugins');
    expect(written.command).toBe(`lethe audit ${file} --runs 100`);
    expect(written.cases.map(({ passed, runs }) => [passed, runs])).toEqual([
      [true, 100],
      [true, 100],
    ]);
    expect(page.match(/<svg[^>]*role="img"/gu)).toHaveLength(2);
    expect(page).toContain('No claim is violated, in 2 audits.');
    expect(page).not.toMatch(/NaN|undefined/u);
  });

  test('audits a loss with several outputs', async () => {
    const [first] = experiment.problems;
    const generate = {
      rows: 40,
      columns: 2,
      features: { law: 'gaussian' },
      response: { kind: 'softmax', classes: 3 },
    };
    const loss = { name: 'softmax', params: { classes: 3 } };
    const record = { featureNorm: 3 };
    const several = { ...experiment, problems: [{ ...first, data: { generate }, loss, record }] };
    const { code, out, error } = await lethe(
      'audit',
      folder.write('several.json', several),
      '--optimizer',
      'dp-sgd',
      '--runs',
      '200',
      '--json',
      '--out',
      folder.file('several'),
    );
    expect(code, error).toBe(0);
    const { cases } = JSON.parse(out) as AuditResult;
    expect(cases).toMatchObject([{ passed: true, ledgerMatchesPlan: true, records: 8, unheard: [] }]);
    // Answers of another dimension than the records' are followed, or every run would come out alike.
    expect(cases[0].tradeOff.some(({ falseAlarms, hits }) => falseAlarms < hits && hits < 1)).toBe(true);
  });

  test('records the modules of plugins, with version and mark', async () => {
    installPlugins(folder, 'own-domains', {}, halfSpace('half-space'));
    const content = { ...experiment, plugins: ['own-domains'], optimizers: experiment.optimizers.slice(1) };
    const file = folder.write('own.json', content);
    const { code, error } = await lethe('audit', file, '--runs', '40', '--out', folder.file('own'));
    expect(code, error).toBe(0);
    const { environment } = JSON.parse(folder.read('own/audit.json')) as AuditResult;
    const [mark, kind, name] = [expect.stringMatching(/^[0-9a-f]{32}$/u) as string, 'domain', 'half-space'];
    expect(environment.plugins).toMatchObject([
      { from: 'own-domains', name: 'own-domains', version: '1.2.3', mark, plugins: [{ kind, name }] },
    ]);
    expect(folder.read('own/audit.html')).toMatch(
      /Plugins of own-domains 1\.2\.3: domain half-space; mark /u,
    );
  });

  test('the same seed gives the same numbers, another one others', async () => {
    const file = folder.write('again.json', experiment);
    const of = async (...more: readonly string[]): Promise<unknown> => {
      const options = ['--optimizer', 'ngd', '--runs', '40', '--json', '--out', folder.file('again')];
      return (JSON.parse((await lethe('audit', file, ...options, ...more)).out) as AuditResult).cases;
    };
    expect(await of()).toEqual(await of('--seed', '1'));
    expect(await of()).not.toEqual(await of('--seed', '2'));
  });

  test('takes another number of records and another adjacency', async () => {
    const { out, code } = await lethe(
      'audit',
      folder.write('other.json', experiment),
      '--optimizer',
      'dp-sgd',
      '--runs',
      '40',
      '--records',
      '12',
      '--adjacency',
      'add-remove',
      '--out',
      folder.file('other'),
    );
    expect([code, out.split('\n')[1]]).toEqual([0, expect.stringMatching(/add-remove +12 /u)]);
  });

  test.each([
    [['--optimizer', 'nobody'], /its optimizers are ngd, dp-sgd/u],
    [['--runs', '3'], /at least 10/u],
    [['--confidence', '2'], /confidence is 2/u],
    [['--false-alarm', '0'], /falseAlarm is 0/u],
    [['--adjacency', 'near'], /--adjacency/u],
    [['--records', '0'], /--records/u],
    [['--shipped'], /takes no experiment/u],
  ])('refuses %j', async (options, message) => {
    const { code, error } = await lethe(
      'audit',
      folder.write('bad.json', experiment),
      '--out',
      folder.file('bad'),
      ...options,
    );
    expect(code).toBe(2);
    expect(error).toMatch(message);
    expect(folder.has('bad')).toBe(false);
  });

  test('needs an experiment that plans a run', async () => {
    expect(await lethe('audit')).toMatchObject({
      code: 2,
      error: expect.stringContaining('give one experiment file, or --shipped') as string,
    });
    expect(await lethe('audit', '--shipped', '--records', '4')).toMatchObject({
      code: 2,
      error: expect.stringContaining('is about an experiment') as string,
    });
  });
});

describe('the certificate in the figure', () => {
  test('is never below the trade-off of what is certified, and near it', () => {
    const mu = 1;
    const at = (epsilon: number) => ({ epsilon, delta: gaussianCurve(mu, epsilon).upper });
    const certificate = { claimed: at(2), profile: Array.from({ length: 12 }, (_, i) => at(i / 6)) };
    for (const falseAlarms of [0.001, 0.01, 0.1, 0.3, 0.5, 0.8, 0.99]) {
      const truth = normalCdf(normalQuantile(falseAlarms) + mu);
      const most = mostHits(certificate, falseAlarms);
      expect(most).toBeGreaterThanOrEqual(truth - 1e-9);
      expect(most).toBeLessThan(truth + 0.03);
    }
    expect(mostHits({ claimed: { epsilon: 0, delta: 0 }, profile: [] }, 0.25)).toBe(0.25);
  });
});
