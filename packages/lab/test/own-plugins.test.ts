import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import type { PluginModule } from '../src/experiment/environment.js';
import { evaluation, labFolder, lethe, release, type LabFolder } from './support/lab-folder.js';
import { halfSpace, installPlugins, pureEvent, writePlugins } from './support/plain-plugins.js';

let folder: LabFolder;
beforeEach(() => {
  folder = labFolder();
  vi.stubEnv('LETHE_HOME', folder.file('home'));
  // What `--plugin` names is found from here.
  vi.spyOn(process, 'cwd').mockReturnValue(folder.path);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  folder.remove();
});

const [problem] = evaluation.problems;
const [dpSgd] = evaluation.optimizers;
const on = (...names: readonly string[]) => ({
  ...evaluation,
  optimizers: [dpSgd],
  sizes: [60],
  problems: names.map((name) => ({ ...problem, name, domain: { name, params: { least: 0.5 } } })),
});
interface Result {
  readonly environment: { readonly plugins?: readonly PluginModule[] };
  readonly problems: readonly object[];
}
const resultsIn = (out: string): readonly Result[] =>
  JSON.parse(folder.read(`${out}/results.json`)) as readonly Result[];
const refusal = async (...args: readonly string[]): Promise<string> => {
  const { code, out, error } = await lethe(...args);
  expect([code, out]).toEqual([2, '']);
  return error.replaceAll(/:\d+:\d+: /gu, ': ');
};

describe('plugins of an experiment', () => {
  test('come from files beside it and from packages, are recorded, and named in the report', async () => {
    writePlugins(folder, 'lab/parts/near.js', halfSpace('near-space'));
    installPlugins(folder, '@me/far', {}, halfSpace('far-space'));
    const file = folder.write('lab/a.json', {
      ...on('near-space', 'far-space'),
      plugins: ['./parts/near.js', '@me/far'],
    });
    const { code, error } = await lethe('run', file, '--out', folder.file('out'));
    expect(error).toMatch(/tiny: plugins of \.\/parts\/near\.js: domain near-space; mark [0-9a-f]{32}\n/u);
    expect(error).toMatch(/tiny: plugins of @me\/far 1\.2\.3: domain far-space; mark [0-9a-f]{32}\n/u);
    expect(code).toBe(0);
    const [{ environment, problems }] = resultsIn('out') as [Result];
    const mark = expect.stringMatching(/^[0-9a-f]{32}$/u) as string;
    expect(problems).toHaveLength(2);
    expect(environment.plugins).toEqual([
      {
        from: './parts/near.js',
        name: null,
        version: null,
        mark,
        plugins: [{ kind: 'domain', name: 'near-space', mark }],
      },
      {
        from: '@me/far',
        name: '@me/far',
        version: '1.2.3',
        mark,
        plugins: [{ kind: 'domain', name: 'far-space', mark }],
      },
    ]);
    expect(folder.read('out/report.html')).toContain('Plugins of @me/far 1.2.3: domain far-space; mark');
  });

  test('are not recorded where there are none', async () => {
    const file = folder.write('a.json', { ...evaluation, optimizers: [dpSgd], sizes: [60], plugins: [] });
    expect((await lethe('run', file, '--out', folder.file('out'))).code).toBe(0);
    expect(resultsIn('out')[0].environment).not.toHaveProperty('plugins');
  });

  test('are known to that experiment alone; those of --plugin to all, and they stand in the command', async () => {
    writePlugins(folder, 'near.js', halfSpace('near-space'));
    const one = folder.write('one.json', { ...on('near-space'), plugins: ['./near.js'] });
    const two = folder.write('two.json', { ...on('near-space'), name: 'two' });
    expect(await refusal('run', one, two)).toMatch(
      /two\.json: problems\.0\.domain: no domain named 'near-space'/u,
    );
    expect((await lethe('run', two, '--plugin', 'near.js', '--out', folder.file('out'))).code).toBe(0);
    expect(folder.read('out/report.html')).toContain(`lethe run ${two} --plugin near.js`);
  });

  test('may be given twice, and handed on by another module', async () => {
    const near = writePlugins(folder, 'near.js', halfSpace('near-space'));
    writePlugins(folder, 'all.js', `export * from '${near}';`, halfSpace('far-space'));
    const file = folder.write('a.json', {
      ...on('near-space', 'far-space'),
      plugins: ['./near.js', './all.js', './near.js'],
    });
    expect((await lethe('run', file, '--plugin', near, '--out', folder.file('out'))).code).toBe(0);
  });

  test('of one kind and name are refused, with both sources', async () => {
    writePlugins(folder, 'near.js', halfSpace('near-space'));
    writePlugins(folder, 'other.js', halfSpace('near-space'));
    writePlugins(folder, 'box.js', halfSpace('box'));
    const two = folder.write('a.json', { ...on('near-space'), plugins: ['./near.js', './other.js'] });
    expect(await refusal('run', two)).toContain(
      `two plugins are domain 'near-space': one of plugin './near.js' (${two}, line 1), ` +
        `one of plugin './other.js' (${two}, line 1)`,
    );
    const shipped = folder.write('b.json', { ...on('box'), plugins: ['./box.js'] });
    expect(await refusal('run', shipped)).toContain(
      `two plugins are domain 'box': one of Lethe, one of plugin './box.js' (${shipped}, line 1)`,
    );
    expect(await refusal('plugins', '--plugin', 'near.js', '--plugin', 'other.js')).toMatch(
      /one of plugin 'near\.js' \(--plugin\), one of plugin 'other\.js' \(--plugin\); rename one, or leave it out/u,
    );
  });

  test.each<readonly [string, string, RegExp]>([
    [
      'a file that is not there',
      './none.js',
      /plugin '\.\/none\.js' \(.*a\.yaml, line 3\) cannot be read; check the path/u,
    ],
    [
      'a package that is not there',
      'none',
      /plugin 'none' \(.*a\.yaml, line 3\) is no package that Node finds; install it in/u,
    ],
    [
      'a file without its path',
      'near.js',
      /plugin 'near\.js' \(.*a\.yaml, line 3\) is no package .* a file is given by its path: \.\/near\.js/u,
    ],
    [
      'a file without plugins',
      './empty.js',
      /plugin '\.\/empty\.js' \(.*a\.yaml, line 3\) exports no plugin/u,
    ],
    [
      'a file that does not run',
      './broken.js',
      /plugin '\.\/broken\.js' \(.*a\.yaml, line 3\) does not run: it fell over/u,
    ],
    [
      'a folder that is no package',
      './home',
      /plugin '\.\/home' \(.*a\.yaml, line 3\) is a folder without a package\.json/u,
    ],
    [
      'a package without such an entry',
      '@me/far/more',
      /plugin '@me\/far\/more' \(.*a\.yaml, line 3\) cannot be resolved: /u,
    ],
    [
      'references alone',
      './refs.js',
      /plugin '\.\/refs\.js' \(.*a\.yaml, line 3\) exports references alone; export the plugin itself/u,
    ],
  ])('names file and line of %s, before anything runs', async (_name, from, message) => {
    writePlugins(folder, 'near.js', halfSpace('near-space'));
    writePlugins(folder, 'empty.js', 'export const six = 6;');
    writePlugins(folder, 'broken.js', "throw new Error('it fell over');");
    writePlugins(
      folder,
      'refs.js',
      "export const ref = { kind: 'clip', name: 'l2', params: { radius: 1 } };",
    );
    writePlugins(folder, 'home/readme.js', '');
    installPlugins(folder, '@me/far', {}, halfSpace('far-space'));
    const file = folder.write(
      'a.yaml',
      stringify({
        plugins: ['./near.js', from, ...(from === './refs.js' ? [] : ['./none.mjs'])],
        ...on('near-space'),
      }),
    );
    const error = await refusal('run', file);
    expect(error).toMatch(message);
    if (from !== './refs.js')
      expect(error).toMatch(/\n.*a\.yaml: plugin '\.\/none\.mjs' \(.*a\.yaml, line 4\) cannot be read/u);
    expect(folder.has('results')).toBe(false);
  });

  test('that are no list of texts are a mistake of form, told with the others', async () => {
    const file = folder.write('a.json', { ...on('near-space'), plugins: [5], seeds: {} });
    const error = await refusal('run', file);
    expect(error).toMatch(/a\.json: plugins\.0: is 5; it must be a text/u);
    expect(error).toMatch(/a\.json: seeds\.count/u);
  });

  test('can be a package in a folder', async () => {
    installPlugins(folder, 'far', { exports: './lib/main.js' }, halfSpace('far-space'));
    const file = folder.write('a.json', { ...on('far-space'), plugins: ['./node_modules/far'] });
    expect((await lethe('run', file, '--out', folder.file('out'))).code).toBe(0);
    expect(resultsIn('out')[0].environment.plugins).toMatchObject([
      { from: './node_modules/far', name: 'far', version: '1.2.3' },
    ]);
  });
});

describe('a release with plugins', () => {
  const releaseOn = (plugins: readonly string[]) => ({
    ...release,
    plugins,
    problem: { ...release.problem, domain: { name: 'far-space', params: { least: 0.5 } } },
  });
  const run = (...more: readonly string[]) =>
    lethe('run', folder.file('a.json'), '--out', folder.file('out'), ...more);

  test.each<readonly [string, string, string, (path: string) => void]>([
    [
      'a package of another version',
      'far',
      'far',
      () => {
        installPlugins(folder, 'far', { version: '1.2.4' }, halfSpace('far-space'));
      },
    ],
    [
      'a package of other code',
      'far',
      'far',
      (path) => {
        writeFileSync(path, `${readFileSync(path, 'utf8')}// mended\n`);
      },
    ],
    [
      'a file of other code',
      './own.js',
      'own.js',
      () => {
        writePlugins(folder, 'own.js', halfSpace('far-space'), '// mended');
      },
    ],
  ])('does not go on with %s', async (_name, from, key, change) => {
    const far = installPlugins(folder, 'far', {}, halfSpace('far-space'));
    const own = writePlugins(folder, 'own.js', halfSpace('far-space'));
    const before = new Map(
      [far, own, folder.file('node_modules/far/package.json')].map((path) => [path, readFileSync(path)]),
    );
    folder.write('a.json', releaseOn([from]));
    expect((await run()).code).toBe(0);
    const weights = (): unknown =>
      (JSON.parse(folder.read('out/results.json')) as readonly [{ readonly model: object }])[0].model;
    const model = weights();
    change(far);
    const { code, out, error } = await run('--resume');
    expect([code, out]).toEqual([1, '']);
    expect(error).toContain(`began with another version of ${key}:`);
    for (const [path, bytes] of before) writeFileSync(path, bytes);
    expect((await run('--resume')).code).toBe(0);
    expect(weights()).toEqual(model);
  });
});

describe('--plugin', () => {
  test('is known to plan, account, calibrate, ledger and plugins', async () => {
    writePlugins(folder, 'near.js', halfSpace('near-space'), pureEvent('me/pure'));
    const given = ['--plugin', 'near.js'];
    const listed = JSON.parse((await lethe('plugins', '--json', ...given)).out) as readonly {
      readonly name: string;
    }[];
    expect(
      listed
        .slice(-2)
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(['me/pure', 'near-space']);

    const params = JSON.stringify({ steps: 5, rate: 0.2, clipNorm: 1, stepSize: 0.1 });
    const plan = [
      'plan',
      'dp-sgd',
      '--n',
      '100',
      '--d',
      '2',
      '--epsilon',
      '1',
      '--params',
      params,
      '--domain',
      JSON.stringify({ name: 'near-space', params: { least: 1 } }),
    ];
    expect((await lethe(...plan, ...given)).code).toBe(0);
    expect(await refusal(...plan)).toContain("no domain named 'near-space'");

    const event = folder.write('event.json', { kind: 'me/pure', v: 1, epsilon: 0.25 });
    const account = ['account', event, '--adjacency', 'replace-one', '--delta', '0', '--json'];
    expect(JSON.parse((await lethe(...account, ...given)).out)).toMatchObject({ epsilon: { upper: 0.25 } });
    expect(await refusal(...account)).toContain('me/pure');
    const lines = folder.write(
      'lines.jsonl',
      JSON.stringify({
        id: 1,
        event: JSON.parse(folder.read('event.json')) as object,
        adjacency: 'replace-one',
        delta: 0,
      }) + `\n`,
    );
    expect(JSON.parse((await lethe('account', lines, '--lines', ...given)).out)).toMatchObject({
      epsilon: { upper: 0.25 },
    });

    const calibrate = [
      'calibrate',
      event,
      '--free',
      '/epsilon',
      '--epsilon',
      '0.5',
      '--delta',
      '0',
      '--adjacency',
      'replace-one',
      '--json',
    ];
    const { value } = JSON.parse((await lethe(...calibrate, ...given)).out) as { readonly value: number };
    expect(value > 0.499 && value <= 0.5).toBe(true);

    expect((await lethe('ledger', folder.path, ...given)).error).toContain('has no ledgers');
  });

  test('is known to audit', async () => {
    writePlugins(folder, 'near.js', halfSpace('near-space'));
    const file = folder.write('a.json', { ...on('near-space'), plugins: ['./near.js'] });
    const { code, out } = await lethe('audit', file, '--runs', '40', '--out', folder.file('audit'));
    expect([code, out.includes('near-space')]).toEqual([0, true]);
    const other = folder.write('b.json', on('near-space'));
    expect(
      (await lethe('audit', other, '--runs', '40', '--out', folder.file('audit'), '--plugin', 'near.js'))
        .code,
    ).toBe(0);
    expect(await refusal('audit', other)).toContain("no domain named 'near-space'");
  });

  test('brings accountants, which then answer too', async () => {
    writePlugins(
      folder,
      'accountant.js',
      `
export const sure = { kind: 'accountant', name: 'sure', summary: 'x', source: { id: 'test', item: 'x' }, claims: [], params: z.strictObject({}), wants: [],
  epsilon: () => ({ lower: 0.125, upper: 0.125, certificate: 'exact', method: 'sure', assumptions: [] }),
  delta: () => ({ lower: 0, upper: 0, certificate: 'exact', method: 'sure', assumptions: [] }) };`,
    );
    const event = folder.write('event.json', {
      kind: 'core/gaussian',
      v: 1,
      sigma: 2,
      sensitivity: { 'replace-one': 1 },
    });
    const asked = [
      'account',
      event,
      '--adjacency',
      'replace-one',
      '--delta',
      '1e-6',
      '--accountant',
      'sure',
      '--json',
    ];
    expect(JSON.parse((await lethe(...asked, '--plugin', 'accountant.js')).out)).toMatchObject({
      epsilon: { upper: 0.125 },
    });
    expect(await refusal(...asked)).toContain("no accountant named 'sure'");
  });
});

describe('lethe laws', () => {
  const law = ['--law', 'domain/idempotent', '--json'];
  const subjects = async (...args: readonly string[]): Promise<readonly string[]> => {
    const { out } = await lethe('laws', ...args, ...law);
    return (JSON.parse(out) as { readonly reports: readonly { readonly subject: string }[] }).reports.map(
      ({ subject }) => subject,
    );
  };

  test('tries what files and packages export, what experiments name, and without files what --plugin gives', async () => {
    const near = writePlugins(folder, 'near.js', halfSpace('near-space'));
    installPlugins(folder, 'far', {}, halfSpace('far-space'));
    const file = folder.write('a.json', { ...on('near-space'), plugins: ['./near.js', 'far'] });
    expect(await subjects(near, 'far')).toEqual(['near-space', 'far-space']);
    expect(await subjects(file)).toEqual(['near-space', 'far-space']);
    expect(await subjects('--plugin', 'far')).toEqual(['far-space']);
    expect(await subjects(near, '--plugin', 'far')).toEqual(['near-space']);
    expect(await refusal('laws', folder.write('b.json', on('near-space')))).toContain(
      'b.json names no plugins',
    );
    expect(await refusal('laws', near, '--plugin', './none.js')).toContain(
      "plugin './none.js' (--plugin) cannot be read",
    );
  });
});
