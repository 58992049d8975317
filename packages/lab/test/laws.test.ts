import { fileURLToPath } from 'node:url';
import { lawSets } from '@lethe/laws';
import { defined } from '@lethe/numerics';
import { describe, expect, test } from 'vitest';
import { lethe, type Outcome } from './support/lab-folder.js';

const file = (name: string): string => fileURLToPath(new URL(`./plugins/${name}.js`, import.meta.url));
const laws = (name: string, ...more: readonly string[]): Promise<Outcome> =>
  lethe('laws', file(name), ...more);

interface Report {
  readonly law: string;
  readonly subject: string;
  readonly seed: string;
  readonly finding: { readonly verdict: string; readonly samples: number };
  readonly replay?: string;
}
interface Answer {
  readonly totals: {
    readonly checks: number;
    readonly held: number;
    readonly failed: number;
    readonly skipped: number;
    readonly falseAlarm: number;
    readonly allowedFalseAlarm: number;
  };
  readonly accounts: readonly {
    readonly kind: string;
    readonly name: string;
    readonly untested: readonly string[];
    readonly unclaimed: readonly string[];
  }[];
  readonly reports: readonly Report[];
}
const answer = ({ out }: Outcome): Answer => JSON.parse(out) as Answer;

describe('lethe laws, on a file', () => {
  test('a correct plugin: every law of its kind, exit 0', async () => {
    const { code, out, error } = await laws('green');
    expect([code, error]).toEqual([0, '']);
    for (const { id, onClaim } of lawSets.sampler)
      if (onClaim !== true) expect(out).toContain(` ${id} › green`);
    expect(out).not.toContain('✗');
    expect(out).toMatch(/– sampler\/subsets › green \(not applicable: .+\)/u);
    expect(out).toContain('sampler green: claims without a law: good-humour');
    expect(out).toMatch(/laws it does not claim, demanded by its kind: .*sampler\/positions/u);
    expect(out).toMatch(
      /\n\d+ checks: \d+ hold, 0 broken, \d+ not applicable; \d+ inputs and draws\.\nProbability of any false alarm: at most \S+ \(allowed in one run: 0\.000001\)\.\n$/u,
    );
  });

  test('a wrong one: what is broken, by which input, and a command that shows it again; exit 1', async () => {
    const { code, out } = await laws('red', '--seed', 'a seed');
    expect(code).toBe(1);
    expect(out).toMatch(/✗ sampler\/size › red\n/u);
    expect(out).toMatch(/\nsampler\/size is broken by red: .*the size is public/u);
    expect(out).toMatch(/\n {2}input +\{"slots":\d+/u);
    expect(out).toMatch(/\n {2}seed +a seed/u);
    const [, replay] = defined(/\n {2}replay +npx lethe (laws .* --law sampler\/size .*)\n/u.exec(out));
    expect(replay).toBe(`laws ${file('red')} --law sampler/size --seed 'a seed'`);
    const again = await lethe('laws', file('red'), '--law', 'sampler/size', '--seed', 'a seed');
    expect(again.code).toBe(1);
    const said = (text: string): string =>
      defined(/sampler\/size is broken by red[\s\S]*?replay/u.exec(text))[0];
    expect(said(again.out)).toBe(said(out));
  });

  test('several exports, lists and references: each plugin once, a called one at its parameters', async () => {
    const { code, out } = await laws('several', '--law', 'sampler/size', '--json');
    expect(code).toBe(0);
    const { reports } = JSON.parse(out) as Answer;
    expect(reports.map(({ subject }) => subject)).toEqual(['one', 'two', 'called']);
    const both = await lethe('laws', file('green'), file('red'), '--law', 'sampler/size', '--json');
    expect(both.code).toBe(1);
    expect(answer(both).reports.map(({ subject, finding: { verdict } }) => [subject, verdict])).toEqual([
      ['green', 'holds'],
      ['red', 'fails'],
    ]);
  });

  test('--params takes the place of examples', async () => {
    expect((await laws('green', '--law', 'sampler/size', '--params', '{"parts":3}')).code).toBe(0);
    const refused = await laws('green', '--law', 'sampler/size', '--params', '{"parts":0}');
    expect([refused.code, refused.out]).toEqual([2, '']);
    expect(refused.error).toContain('parts');
  });

  test('--json is one value, with the same verdicts as the lines, and the same at every run', async () => {
    const first = await laws('red', '--json');
    expect([first.code, first.error]).toEqual([1, '']);
    const { totals, accounts, reports } = answer(first);
    expect(totals).toMatchObject({ checks: reports.length, allowedFalseAlarm: 1e-6 });
    expect(totals.held + totals.failed + totals.skipped).toBe(reports.length);
    expect(totals.failed).toBe(reports.filter(({ finding }) => finding.verdict === 'fails').length);
    for (const { finding, replay } of reports) expect(replay !== undefined).toBe(finding.verdict === 'fails');
    expect(accounts).toEqual([
      {
        kind: 'sampler',
        name: 'red',
        untested: ['good-humour'],
        unclaimed: expect.arrayContaining(['sampler/positions']) as string[],
      },
    ]);
    expect((await laws('red', '--json')).out).toBe(first.out);
  });

  test('--tier and --effort choose how much is tried', async () => {
    const samples = async (...more: readonly string[]): Promise<number> =>
      answer(await laws('green', '--law', 'sampler/size', '--json', ...more)).reports[0].finding.samples;
    expect(await samples('--effort', '0.1')).toBeLessThan(await samples());
    const { reports } = answer(await laws('green', '--tier', 'search', '--json'));
    expect(
      new Set(reports.map(({ law }) => defined(lawSets.sampler.find(({ id }) => id === law)).tier)),
    ).toEqual(new Set(['search']));
  });
});

describe('lethe laws, on what ships', () => {
  test('--package and --kind choose; curator has parts that are no plugins', async () => {
    const { code, out } = await lethe(
      'laws',
      '--package',
      'mechanisms',
      '--kind',
      'sampler',
      '--law',
      'sampler/size',
      '--json',
    );
    expect(code).toBe(0);
    expect(new Set(answer({ code, out, error: '' }).accounts.map(({ kind }) => kind))).toEqual(
      new Set(['sampler']),
    );
    const curators = await lethe(
      'laws',
      '--package',
      'curator',
      '--kind',
      'store',
      '--tier',
      'search',
      '--effort',
      '0.05',
      '--json',
    );
    expect(curators.code).toBe(0);
    expect(answer(curators).accounts.map(({ kind, name }) => `${kind} ${name}`)).toEqual(['store memory']);
  });

  test('--power lists every law with the smallest violation it finds, and runs nothing', async () => {
    const { code, out } = await lethe('laws', '--power');
    expect(code).toBe(0);
    const ids = Object.values(lawSets).flatMap((set) => set.map(({ id }) => id as string));
    expect(
      out
        .trimEnd()
        .split('\n')
        .map((line) => line.split(' ')[0]),
    ).toEqual(ids);
    const listed = JSON.parse((await lethe('laws', '--power', '--kind', 'clip', '--json')).out) as {
      id: string;
      power: string;
      tier: string;
      statement: string;
    }[];
    expect(listed.map(({ id }) => id)).toEqual(lawSets.clip.map(({ id }) => id));
    for (const { power, statement } of listed) expect(power.length > 0 && statement.length > 0).toBe(true);
  });
});

describe('lethe laws refuses, with exit 2 and nothing on stdout', () => {
  test.each<[string, readonly string[], RegExp]>([
    ['a file that is not there', ['./no-such-file.js'], /no-such-file\.js cannot be read; check the path/u],
    [
      'a file without a plugin',
      [file('nothing')],
      /exports no plugin; export what a define… function returns/u,
    ],
    ['a file that does not run', [file('broken')], /does not run: it fell over/u],
    [
      'an unknown kind',
      [file('green'), '--kind', 'magic'],
      /--kind is 'magic'; it must be one of mechanism, selector/u,
    ],
    ['a kind the file has not', [file('green'), '--kind', 'clip'], /no law applies to these plugins/u],
    [
      'an unknown law',
      [file('green'), '--law', 'sampler/magic'],
      /there is no law 'sampler\/magic'; `lethe laws --power` lists them/u,
    ],
    [
      'an unknown tier',
      [file('green'), '--tier', 'magic'],
      /--tier is 'magic'; it must be one of exact, search, statistical, nightly/u,
    ],
    [
      'an effort that is none',
      [file('green'), '--effort', '0'],
      /--effort is 0; it must be positive and finite/u,
    ],
    [
      'an effort that is no number',
      [file('green'), '--effort', 'much'],
      /--effort is 'much'; it must be a number/u,
    ],
    ['parameters that are not JSON', [file('green'), '--params', '{'], /--params/u],
    [
      'a file and a package',
      [file('green'), '--package', 'mechanisms'],
      /give plugin files or --package, not both/u,
    ],
    [
      'an unknown package',
      ['--package', 'magic'],
      /--package is 'magic'; it must be one of curator, mechanisms/u,
    ],
    ['parameters without a file', ['--package', 'mechanisms', '--params', '{}'], /give the file/u],
    ['an unknown option', [file('green'), '--colour'], /--colour/u],
  ])('%s', async (_name, args, message) => {
    const { code, out, error } = await lethe('laws', ...args);
    expect([code, out]).toEqual([2, '']);
    expect(error).toMatch(message);
    expect(error).toMatch(/^lethe laws: /u);
  });
});
