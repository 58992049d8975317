import { readFileSync } from 'node:fs';
import { papers } from '@lethe/algorithms';
import type { Json } from '@lethe/core';
import { defined } from '@lethe/numerics';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Profile } from '../src/profile/profile.js';
import { registry } from '../src/registry.js';
import {
  evaluation,
  labFolder,
  lethe,
  release,
  sampledBatches,
  type LabFolder,
} from './support/lab-folder.js';

let folder: LabFolder;
beforeEach(() => {
  folder = labFolder();
});
afterEach(() => {
  folder.remove();
});

const gaussian = { kind: 'core/gaussian', v: 1, sigma: 2, sensitivity: { 'replace-one': 1 } };
const optimizers = registry.filter(({ kind }) => kind === 'optimizer').map(({ name }) => name);
const label = 'simulation: no privacy';

describe('usage', () => {
  test.each([['--version'], ['-v']])('%s prints the version', async (option) => {
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
      readonly version: string;
    };
    expect(await lethe(option)).toEqual({ code: 0, out: `${version}\n`, error: '' });
  });

  test.each([[['--help']], [['-h']], [['help']]])('%j lists the commands on stdout', async (args) => {
    const { code, out, error } = await lethe(...args);
    expect([code, error]).toEqual([0, '']);
    for (const name of ['run', 'plan', 'account', 'calibrate', 'laws', 'claims', 'plugins'])
      expect(out).toContain(`\n  ${name} `);
  });

  test.each(['run', 'plan', 'account', 'plugins', 'calibrate', 'laws', 'claims'])(
    '%s --help names every option of it and does nothing else',
    async (name) => {
      const { code, out, error } = await lethe(name, '--help');
      expect([code, error]).toEqual([0, '']);
      expect(out).toContain(`lethe ${name}`);
      expect(out).toContain('--json');
      expect(folder.all()).toEqual([]);
    },
  );

  test.each([
    [[]],
    [['nothing']],
    [['--versions']],
    [['plugins', '--colour']],
    [['plugins', '--kind']],
    [['plugins', '--kind', 'magic']],
    [['plan']],
    [['plan', 'nobody', '--n', '9', '--d', '1', '--epsilon', '1']],
    [['plan', 'dp-sgd']],
    [['plan', 'dp-sgd', 'dp-sgd']],
    [['run']],
    [['run', 'missing.yaml']],
    [['run', '--out']],
    [['account', 'a', 'b']],
    [['calibrate']],
    [['calibrate', 'missing.json']],
    [['account', 'missing.json', '--delta', '1e-6', '--adjacency', 'replace-one']],
  ])('%j is bad usage: exit 2, said on stderr, nothing on stdout', async (args) => {
    const { code, out, error } = await lethe(...args);
    expect([code, out]).toEqual([2, '']);
    expect(error).toMatch(/^lethe/u);
  });
});

test('a silo makes no keys for a file that is not there, nor without a limit that can be read', async () => {
  const args = ['silo', '--data', folder.file('none.csv'), '--folder', folder.file('silo')];
  expect(await lethe(...args)).toMatchObject({
    code: 2,
    error: expect.stringContaining('none.csv') as string,
  });
  expect((await lethe(...args, '--limit', '1,2')).error).toMatch(/such as 1 or 1,1e-6/u);
  expect(folder.all()).toEqual([]);
});

describe('plugins', () => {
  test('--json lists all of them, each with its source', async () => {
    const { code, out, error } = await lethe('plugins', '--json');
    expect([code, error]).toEqual([0, '']);
    const listed = JSON.parse(out) as {
      kind: string;
      name: string;
      summary: string;
      source: { id: string; item: string };
      params: Json;
    }[];
    expect(listed.map(({ kind, name }) => `${kind} ${name}`)).toEqual(
      registry.map(({ kind, name }) => `${kind} ${name}`),
    );
    for (const { summary, source, params } of listed) {
      expect(
        [summary, source.id, source.item].every((text) => typeof text === 'string' && text.length > 0),
      ).toBe(true);
      expect(params).toHaveProperty('$schema');
    }
  });

  test('--kind keeps one kind, with or without --json', async () => {
    const { out } = await lethe('plugins', '--kind', 'optimizer', '--json');
    expect(
      (JSON.parse(out) as { kind: string; name: string }[]).map(({ kind, name }) => `${kind} ${name}`),
    ).toEqual(optimizers.map((name) => `optimizer ${name}`));
    const plain = await lethe('plugins', '--kind', 'optimizer');
    const lines = plain.out.split('\n');
    expect(lines.filter((line) => line.startsWith('  '))).toHaveLength(optimizers.length);
    expect(plain.out).toMatch(/^Optimizers \(optimizer\)\n {2}dp-sgd /u);
    expect(lines.filter((line) => line.startsWith('Optimizers of the paper'))).toHaveLength(papers.length);
  });
});

describe('account', () => {
  const asked = ['--adjacency', 'replace-one', '--delta', '1e-6'];
  const answered = async (
    ...args: readonly string[]
  ): Promise<Record<string, { lower: number; upper: number }>> =>
    JSON.parse((await lethe('account', ...args, '--json')).out) as never;

  test('answers epsilon at a delta and delta at an epsilon, which undo one another', async () => {
    const path = folder.write('event.json', gaussian);
    const { epsilon } = await answered(path, ...asked);
    expect(epsilon.upper - epsilon.lower).toBeLessThan(1e-6);
    const { delta } = await answered(path, '--adjacency', 'replace-one', '--epsilon', String(epsilon.upper));
    expect(delta.upper).toBeGreaterThan(0.99e-6);
    expect(delta.upper).toBeLessThan(1.01e-6);
    expect((await lethe('account', path, ...asked)).out).toMatch(
      /^epsilon in \[2\.\d+, 2\.\d+\] \(exact, gdp\)/u,
    );
  });

  test('knows the events that plugins bring, and what they assume', async () => {
    const choice = { kind: 'lethe/pure-choice', v: 1, epsilon: 0.5, sensitivity: { 'replace-one': 2 } };
    const { out } = await lethe('account', folder.write('choice.json', choice), ...asked);
    expect(out).toMatch(/^epsilon at most (?:1|0\.99)/u);
    expect(out).toContain('assuming real-arithmetic');
    expect(
      (await answered(folder.write('choice.json', choice), ...asked, '--accountant', 'rdp'))['epsilon'].upper,
    ).toBeGreaterThan(0);
  });

  test('writes an unbounded answer as "Infinity"', async () => {
    expect(
      (await lethe('account', folder.write('e.json', { kind: 'core/unprotected', v: 1 }), ...asked, '--json'))
        .out,
    ).toContain('"upper":"Infinity"');
  });

  test.each<[string, readonly string[]]>([
    ['no question', ['--adjacency', 'replace-one']],
    ['two questions', [...asked, '--epsilon', '1']],
    ['no adjacency', ['--delta', '0.1']],
    ['a wrong adjacency', ['--delta', '0.1', '--adjacency', 'swap']],
    ['a delta above 1', ['--delta', '2', '--adjacency', 'replace-one']],
    ['a delta that is no number', ['--delta', 'small', '--adjacency', 'replace-one']],
    ['an unknown accountant', [...asked, '--accountant', 'nobody']],
    ['an adjacency the event lacks', ['--adjacency', 'add-remove', '--delta', '0.1']],
  ])('refuses %s with exit 2', async (_name, args) => {
    const { code, out } = await lethe('account', folder.write('event.json', gaussian), ...args);
    expect([code, out]).toEqual([2, '']);
  });

  test.each<[string, string | Uint8Array]>([
    ['empty', ''],
    ['cut short', '{"kind":'],
    ['another kind', '{"kind":"core/nothing","v":1}'],
    ['binary', Uint8Array.of(0xff, 0xfe, 0, 1)],
    ['a list', '[]'],
    ['null', 'null'],
    ['deep', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['1e400', '{"kind":"core/pure","v":1,"epsilon":1e400}'],
  ])('refuses an event file that is %s with exit 2', async (_name, content) => {
    const { code, out } = await lethe('account', folder.write('event.json', content), ...asked);
    expect([code, out]).toEqual([2, '']);
  });

  test('--lines answers every line, good or bad, in order and by id', async () => {
    const ask = { event: gaussian, adjacency: 'replace-one', delta: 1e-6 };
    const lines = [
      { id: 'a', ...ask },
      { id: 7, event: gaussian, adjacency: 'replace-one', epsilon: 1 },
      { id: 'infinite', event: { kind: 'core/unprotected', v: 1 }, adjacency: 'replace-one', delta: 0 },
      { id: 'two', ...ask, epsilon: 1 },
      { id: 'none', event: gaussian, adjacency: 'replace-one' },
      { id: 'kind', ...ask, event: { kind: 'core/x', v: 1 } },
      { id: 'adjacency', ...ask, adjacency: 'add-remove' },
      { id: 'named', ...ask, accountant: 'zcdp' },
      { id: 'nobody', ...ask, accountant: 'nobody' },
      { id: 'extra', ...ask, more: 1 },
      { id: { nested: [] }, ...ask },
      { ...ask },
      null,
      [],
      'text',
      5,
    ].map((line) => JSON.stringify(line));
    lines.push(
      '{not json',
      `{"id":"deep","event":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
      `{"id":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
      `{"id":"last","event":${JSON.stringify(gaussian)},"adjacency":"replace-one","delta":1e400}`,
    );
    const { code, out, error } = await lethe(
      'account',
      folder.write('batch.jsonl', `${lines.join('\n\n')}\r\n`),
      '--lines',
    );
    expect([code, error]).toEqual([0, '']);
    const answers = out
      .trim()
      .split('\n')
      .map(
        (line) =>
          JSON.parse(line) as {
            id: unknown;
            epsilon?: { upper: unknown };
            delta?: unknown;
            error?: { type: string; message: string };
          },
      );
    expect(answers.map(({ id }) => id)).toEqual([
      'a',
      7,
      'infinite',
      'two',
      'none',
      'kind',
      'adjacency',
      'named',
      'nobody',
      'extra',
      null,
      null,
      null,
      null,
      null,
      null,
      null,
      null,
      null,
      'last',
    ]);
    expect(answers.map((answer) => Object.keys(answer)[1])).toEqual([
      'epsilon',
      'delta',
      'epsilon',
      'error',
      'error',
      'error',
      'error',
      'epsilon',
      ...Array.from({ length: 12 }, () => 'error'),
    ]);
    expect(defined(answers[2].epsilon).upper).toBe('Infinity');
    for (const { error: said } of answers)
      if (said !== undefined) {
        expect(['InvalidParameter', 'Unsupported']).toContain(said.type);
        expect(said.message.length).toBeLessThan(2000);
      }
  });
});

describe('run: an evaluation', () => {
  test('writes results and a report that both say it protects nobody, and nothing else', async () => {
    const { code, out, error } = await lethe(
      'run',
      folder.write('tiny.json', { ...evaluation, optimizers: [sampledBatches, evaluation.optimizers[1]] }),
      '--out',
      folder.file('out'),
    );
    expect(code).toBe(0);
    expect(folder.all().filter((name) => !name.startsWith('out/cells/'))).toEqual([
      'out/figure-1.svg',
      'out/figure-2.svg',
      'out/report.html',
      'out/results.csv',
      'out/results.json',
      'out/results.ndjson',
      'out/results.parquet',
      'tiny.json',
    ]);
    expect(out).toContain(`[${label}]`);
    expect(error).toContain('report.html');
    const [result] = JSON.parse(folder.read('out/results.json')) as [
      {
        label: string;
        problems: {
          cells: {
            ledgerMatchesPlan: boolean;
            runs: unknown[];
            accounted: { upper: number };
            profile?: Profile;
          }[];
        }[];
      },
    ];
    expect(result.label).toBe(label);
    expect(result.problems[0].cells).toHaveLength(4);
    expect(result.problems[0].cells.map(({ profile }) => profile?.points.length ?? 0)).toEqual([
      0, 0, 21, 21,
    ]);
    for (const { ledgerMatchesPlan, runs, accounted } of result.problems[0].cells)
      expect([ledgerMatchesPlan, runs.length, accounted.upper <= 1]).toEqual([true, 2, true]);
    expect(folder.read('out/report.html')).toContain(label);
    expect(`${out}${error}`).not.toMatch(/NaN|undefined/u);
  });

  test('is the same to the last bit but for its times when run again; --json keeps stdout clean', async () => {
    const path = folder.write('tiny.json', evaluation);
    const first = await lethe('run', path, '--out', folder.file('a'), '--json');
    const second = await lethe('run', path, '--out', folder.file('b'), '--json');
    expect(first.code).toBe(0);
    expect(JSON.parse(first.out)).toEqual(JSON.parse(folder.read('a/results.json')));
    const [withoutTimes, again] = [first, second].map(({ out }) =>
      JSON.stringify(JSON.parse(out), (key, value: unknown) => (key === 'seconds' ? undefined : value)),
    );
    expect(again).toBe(withoutTimes);
    expect((JSON.parse(first.out) as { label: string }[])[0].label).toBe(label);
  });

  test('that does not come out as expected is written, shown, and ends with exit 1', async () => {
    const expected = (gradients: number): object => ({
      ...evaluation,
      sizes: [60],
      seeds: { count: 1 },
      optimizers: [
        {
          ...evaluation.optimizers[0],
          expected: [{ problem: 'line', plan: { gradients }, source: 'five steps of at most 60 records' }],
        },
      ],
    });
    expect(
      await lethe('run', folder.write('right.json', expected(300)), '--out', folder.file('right')),
    ).toMatchObject({ code: 0, out: expect.stringContaining('nothing disagrees') as string });
    expect(
      await lethe('run', folder.write('wrong.json', expected(301)), '--out', folder.file('wrong')),
    ).toMatchObject({ code: 1, out: expect.stringContaining('SOMETHING DISAGREES') as string });
    expect(folder.read('wrong/report.html')).toContain(
      '1 of 1 comparisons with numbers computed beforehand disagree:',
    );
  });

  test('cannot be resumed, and a mistake in the last file runs none', async () => {
    const path = folder.write('tiny.json', evaluation);
    expect(await lethe('run', path, '--out', folder.file('out'), '--resume')).toMatchObject({
      code: 2,
      out: '',
    });
    expect(
      await lethe(
        'run',
        path,
        folder.write('bad.json', { ...evaluation, kind: 'nothing' }),
        '--out',
        folder.file('out'),
      ),
    ).toMatchObject({ code: 2, out: '' });
    expect(folder.has('out')).toBe(false);
  });

  test('that nothing can plan, or that asks for more records than there are, leaves no file', async () => {
    for (const change of [
      { sizes: [121] },
      { optimizers: [{ name: 'nobody' }] },
      { optimizers: [{ name: 'dp-sgd', params: { steps: -1 } }] },
      { budgets: [{ epsilon: 1, delta: 1 }] },
      { lowerBound: { name: 'nobody' } },
    ]) {
      const { code, out } = await lethe(
        'run',
        folder.write('tiny.json', { ...evaluation, ...change }),
        '--out',
        folder.file('out'),
      );
      expect([code, out, folder.has('out')]).toEqual([2, '', false]);
    }
  });
});

describe('run: a release', () => {
  const run = (...more: readonly string[]): ReturnType<typeof lethe> =>
    lethe('run', folder.file('one.json'), '--out', folder.file('out'), ...more);

  test('prints its certificate, charges its ledger once, and leaves no lock', async () => {
    folder.write('one.json', { ...release, optimizer: sampledBatches });
    // Somebody's own, which no report here names.
    folder.write('out/figure-7.svg', '<svg/>');
    const { code, out } = await run();
    expect(code).toBe(0);
    expect(out).toMatch(/privacy +epsilon in \[.*zero-out/u);
    expect(out).toContain('equals the plan');
    expect(out).toContain('over 1 run\n');
    expect(folder.all()).toEqual([
      'data.ledger',
      'one.json',
      'out/figure-1.svg',
      'out/figure-7.svg',
      'out/one/run.json',
      'out/one/transcript.lethe',
      'out/report.html',
      'out/results.csv',
      'out/results.json',
      'out/results.ndjson',
      'out/results.parquet',
    ]);
    const [result] = JSON.parse(folder.read('out/results.json')) as [
      {
        certificate: { upper: number };
        model: { weights: number[] };
        label: string;
        profiles: { run: Profile; total: Profile };
      },
    ];
    const { run: curve, total } = result.profiles;
    expect(curve).toEqual(total);
    for (const { epsilon, upper } of curve.points)
      expect(
        epsilon < result.certificate.upper * (1 - 1e-6) ? upper > 1e-5 : upper < 1.01e-5,
        `${upper} at ${epsilon}`,
      ).toBe(true);
    expect(curve.points[curve.points.length - 1].upper).toBeLessThan(1.2e-10);
    expect(result.certificate.upper).toBeLessThanOrEqual(1);
    expect(result.model.weights).toHaveLength(3);
    expect(result.label).toBe('release');
  });

  test('is not made when another file of the command names something that is not there', async () => {
    folder.write('one.json', release);
    folder.write('two.json', { ...evaluation, optimizers: [{ name: 'dp-sgdd' }] });
    const { code, out, error } = await lethe(
      'run',
      folder.file('one.json'),
      folder.file('two.json'),
      '--out',
      folder.file('out'),
    );
    expect([code, out]).toEqual([2, '']);
    expect(error).toMatch(
      /two\.json:\d+:\d+: optimizers\.0: no optimizer named 'dp-sgdd'; is 'dp-sgd' meant/u,
    );
    folder.write('two.json', {
      ...release,
      problem: { ...release.problem, domain: { name: 'l2-ball', params: { radius: -2 } } },
    });
    const bad = await lethe('run', folder.file('two.json'), '--out', folder.file('out'));
    expect(bad).toMatchObject({ code: 2, out: '' });
    expect(bad.error).toMatch(/two\.json(?::\d+:\d+)?: problem\.domain.*: .*radius/u);
    expect(folder.all()).toEqual(['one.json', 'two.json']);
  });

  test('without noise is refused, and nothing is left behind', async () => {
    folder.write('one.json', {
      ...release,
      optimizer: { name: 'skgd', params: { steps: 3 } },
      problem: { ...release.problem, record: { featureBounds: 1 } },
    });
    expect(await run()).toMatchObject({
      code: 2,
      out: '',
      error: expect.stringContaining("'skgd' releases without noise") as string,
    });
    folder.write('one.json', { ...release, optimizer: { ...release.optimizer, unprotected: true } });
    expect(await run()).toMatchObject({
      code: 2,
      out: '',
      error: expect.stringContaining('unprotected') as string,
    });
    expect(folder.all()).toEqual(['one.json']);
  });

  test('is made by columns as by rows', async () => {
    const weights = async (layout: string): Promise<number[]> => {
      folder.write('one.json', {
        ...release,
        problem: { ...release.problem, data: { ...release.problem.data, layout } },
        ledger: `${layout}.ledger`,
      });
      expect((await lethe('run', folder.file('one.json'), '--out', folder.file(layout))).code).toBe(0);
      return (JSON.parse(folder.read(`${layout}/results.json`)) as [{ model: { weights: number[] } }])[0]
        .model.weights;
    };
    expect(
      [await weights('rows'), await weights('columns')].map((w) => [w.length, w.every(Number.isFinite)]),
    ).toEqual([
      [3, true],
      [3, true],
    ]);
  });

  test('is not made twice into one folder, goes on with --resume at no cost, and another adds to the same ledger', async () => {
    folder.write('one.json', release);
    expect(await run('--resume')).toMatchObject({
      code: 2,
      out: '',
      error: expect.stringContaining('nothing to resume') as string,
    });
    expect(folder.all()).toEqual(['one.json']);
    expect((await run()).code).toBe(0);
    const [ledger, results] = [folder.read('data.ledger'), folder.read('out/results.json')];
    expect(await run()).toMatchObject({
      code: 2,
      out: '',
      error: expect.stringContaining('--resume') as string,
    });
    const again = await run('--resume');
    expect(again.code).toBe(0);
    expect(folder.read('data.ledger')).toBe(ledger);
    expect((JSON.parse(folder.read('out/results.json')) as { model: Json }[])[0].model).toEqual(
      (JSON.parse(results) as { model: Json }[])[0].model,
    );
    const second = await lethe('run', folder.file('one.json'), '--out', folder.file('second'));
    expect(second.out).toContain('over 2 runs');
    expect(await run('--resume', '--again')).toMatchObject({ code: 2, out: '' });
    // An earlier model's, with an earlier certificate; this release has no model file.
    folder.write('out/model.json', '{}');
    expect((await run('--again')).out).toContain('over 3 runs');
    expect(folder.has('out/model.json')).toBe(false);
    expect(
      folder.all().filter((name) => /^out\/one\.[0-9a-f]{12}\/transcript\.lethe$/u.test(name)),
    ).toHaveLength(1);
  });

  test('beyond the limit of its data is refused with exit 1: nothing spent, no folder, no lock', async () => {
    folder.write('one.json', { ...release, limit: { epsilon: 1.2, delta: 1e-5 } });
    expect((await run()).code).toBe(0);
    const ledger = folder.read('data.ledger');
    const { code, out, error } = await lethe('run', folder.file('one.json'), '--out', folder.file('second'));
    expect([code, out]).toEqual([1, '']);
    expect(error).toContain('limit');
    expect(folder.read('data.ledger')).toBe(ledger);
    expect(
      folder
        .all()
        .filter((name) => name.startsWith('second') || name.endsWith('.lock') || name.endsWith('.next')),
    ).toEqual([]);
  });

  test.each<[string, string, (bytes: Uint8Array) => Uint8Array]>([
    [
      'a corrupt ledger',
      'data.ledger',
      (bytes) => bytes.with(bytes.length >> 1, bytes[bytes.length >> 1] ^ 1),
    ],
    ['a ledger that is text', 'data.ledger', () => new TextEncoder().encode('hello')],
    [
      'a corrupt transcript',
      'out/one/transcript.lethe',
      (bytes) => bytes.with(bytes.length - 40, bytes[bytes.length - 40] ^ 1),
    ],
    [
      'a run file of another run',
      'out/one/run.json',
      () => new TextEncoder().encode('{"run":"other","seed":"x"}'),
    ],
  ])('%s ends it with exit 1 and changes nothing', async (_name, file, damage) => {
    folder.write('one.json', release);
    expect((await run()).code).toBe(0);
    folder.write(file, damage(new Uint8Array(readFileSync(folder.file(file)))));
    const before = readFileSync(folder.file('data.ledger'));
    const { code, out, error } = await run('--resume');
    expect([code, out]).toEqual([1, '']);
    expect(error).toMatch(/^lethe run: /mu);
    if (file !== 'out/one/run.json') expect(readFileSync(folder.file('data.ledger'))).toEqual(before);
    expect(folder.all().filter((name) => name.endsWith('.lock') || name.endsWith('.next'))).toEqual([]);
  });

  test('a folder or a ledger that cannot be written is said, with exit 1', async () => {
    folder.write('one.json', release);
    const { code, error } = await lethe('run', folder.file('one.json'), '--out', folder.file('one.json'));
    expect(code).toBe(1);
    expect(error).toMatch(/^lethe run: /mu);
    folder.write('one.json', { ...release, ledger: '.' });
    expect((await lethe('run', folder.file('one.json'), '--out', folder.file('x'))).code).toBe(1);
    expect(folder.has('x')).toBe(false);
  });

  test('two releases in one run are refused before either begins', async () => {
    const path = folder.write('one.json', release);
    expect(await lethe('run', path, path, '--out', folder.file('out'))).toMatchObject({ code: 2, out: '' });
    expect(folder.all()).toEqual(['one.json']);
  });

  test('an interrupt leaves no lock and says how to go on', async () => {
    folder.write('one.json', release);
    const { main } = await import('../src/cli/main.js');
    let said = '';
    const code = await main(
      ['run', folder.file('one.json'), '--out', folder.file('out')],
      {
        out: () => undefined,
        error: (text) => {
          said += text;
        },
      },
      AbortSignal.abort(),
    );
    expect([code, said]).toEqual([1, expect.stringContaining('--resume')]);
    expect(folder.all().filter((name) => name.endsWith('.lock'))).toEqual([]);
    expect((await run('--resume')).code).toBe(0);
  });
});
