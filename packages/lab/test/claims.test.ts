import { fileURLToPath } from 'node:url';
import { papers } from '@lethe/algorithms';
import { LetheError } from '@lethe/core';
import { defineClaimCheck, holds } from '@lethe/laws';
import { defined } from '@lethe/numerics';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { shippedPapers } from '../src/claims/load.js';
import { labFolder, lethe, type LabFolder } from './support/lab-folder.js';

let folder: LabFolder;
beforeEach(() => {
  folder = labFolder();
});
afterEach(() => {
  folder.remove();
});

const code = (name: string): string => fileURLToPath(new URL(`./plugins/${name}.js`, import.meta.url));

const claims = [
  { id: 'toy:1', item: 'Lemma 1', statement: '2 + 2 = 4', verdict: 'holds', check: 'toy/sum', tier: 'exact' },
  {
    id: 'toy:2',
    item: 'Lemma 2',
    statement: '2 + 2 = 5',
    verdict: 'refuted',
    check: 'toy/five',
    tier: 'exact',
  },
  {
    id: 'toy:3',
    item: 'Theorem 1',
    statement: 'all numbers are even',
    verdict: 'corrected',
    correction: 'twice a number is even',
    check: 'toy/even',
    tier: 'exact',
    counterexample: 'toy/odd',
  },
  { id: 'toy:4', item: 'Remark 9', statement: 'this is the best', verdict: 'open', reason: 'nobody knows' },
] as const;
const toy = { v: 1, paper: 'toy', title: 'A toy paper', rows: 4, claims };
const changed = (...[at, change]: [number, object]): object => ({
  ...toy,
  claims: claims.map((claim, i) => (i === at ? { ...claim, ...change } : claim)),
});

interface Table {
  readonly paper: string;
  readonly expected: number;
  readonly decided: number | null;
  readonly rows: readonly {
    readonly claim: { readonly id: string };
    readonly state: string;
    readonly findings: Record<string, { verdict: string; violation?: { measured: number } }>;
  }[];
  readonly problems: readonly { readonly kind: string }[];
  readonly counts: { readonly verdicts: Record<string, number> };
}
const tables = async (...args: readonly string[]): Promise<readonly Table[]> =>
  JSON.parse((await lethe('claims', ...args, '--json')).out) as readonly Table[];
const kinds = ([table]: readonly Table[]): readonly string[] => table.problems.map(({ kind }) => kind);

describe('lethe claims, reading', () => {
  test('prints a line for each claim, says that nothing was run, and ends well', async () => {
    const outcome = await lethe('claims', folder.write('toy.json', toy));
    expect([outcome.code, outcome.error]).toEqual([0, '']);
    expect(outcome.out).toBe(
      [
        'A toy paper (toy)',
        '· toy:1  Lemma 1    holds      toy/sum',
        '· toy:2  Lemma 2    refuted    toy/five',
        '· toy:3  Theorem 1  corrected  toy/even, toy/odd',
        '· toy:4  Remark 9   open       nobody knows',
        '4 of 4 listed: 1 holds, 1 corrected, 1 refuted, 1 open; 0 paper-only; ' +
          '0 problems; nothing was run: --checks gives the code that decides',
        '',
      ].join('\n'),
    );
  });

  test('says what the paper says and what is right instead, and how many are shown, when asked for one verdict or paper', async () => {
    const path = folder.write('toy.json', changed(1, { note: 'they are four' }));
    const some = await lethe('claims', path, '--verdict', 'corrected');
    expect(some.out.split('\n').slice(1)).toEqual([
      '· toy:3  Theorem 1  corrected  toy/even, toy/odd',
      '    paper     all numbers are even',
      '    corrected twice a number is even',
      expect.stringMatching(/^1 shown; 4 of 4 listed: /u) as string,
      '',
    ]);
    const all = (await lethe('claims', path, '--paper', 'toy')).out;
    expect(all).toContain('\n    paper     2 + 2 = 5\n    refuted   they are four\n');
    expect(all).toContain('\n    corrected twice a number is even\n');
    expect(all).not.toMatch(/shown|2 \+ 2 = 4/u);
  });

  test('tells misprints, repeated rows and rows about the paper alone, and counts no row twice', async () => {
    const path = folder.write('toy.json', {
      ...toy,
      rows: 6,
      claims: [
        { ...claims[0], paperOnly: true },
        ...claims.slice(1),
        {
          ...claims[0],
          id: 'toy:5',
          item: 'Display 5',
          verdict: 'typo',
          correction: 'the sum is over j',
        },
        { id: 'toy:6', item: 'Abstract', statement: 'four it is', verdict: 'repeats', of: 'toy:1' },
      ],
    });
    const lines = (await lethe('claims', path, '--paper', 'toy')).out.split('\n');
    expect(lines).toEqual(
      expect.arrayContaining([
        '· toy:1  Lemma 1    holds      toy/sum (paper-only)',
        '· toy:5  Display 5  typo       toy/sum',
        '    meant     the sum is over j',
        '· toy:6  Abstract   repeats    toy:1',
        '5 of 5 listed: 1 holds, 1 corrected, 1 typo, 1 refuted, 1 open; 1 paper-only; ' +
          '1 more repeats another; 0 problems; nothing was run: --checks gives the code that decides',
      ]),
    );
  });

  test.each<[string, object, readonly string[]]>([
    ['a row without a claim', { ...toy, rows: 5 }, ['missing']],
    ['a claim without a row', { ...toy, rows: 3 }, ['unknown-row']],
    ['a claim that is there twice', { ...toy, claims: [...claims, claims[0]] }, ['duplicate']],
  ])('finds %s, exit 1', async (_name, ledger, expected) => {
    const path = folder.write('toy.json', ledger);
    expect(kinds(await tables(path))).toEqual(expected);
    const { code: exit, out } = await lethe('claims', path);
    expect(exit).toBe(1);
    expect(out).toMatch(/; 1 problem; nothing was run[^\n]*\n {2}\S/u);
  });

  test('keeps the claims of one verdict, and the ledger of one paper', async () => {
    const path = folder.write('toy.json', toy);
    const other = folder.write('other.json', {
      v: 1,
      paper: 'other',
      title: 'Another',
      rows: 1,
      claims: [{ ...claims[3], id: 'other:1' }],
    });
    expect((await tables(path, '--verdict', 'refuted'))[0].rows.map(({ claim }) => claim.id)).toEqual([
      'toy:2',
    ]);
    expect((await tables(path, other)).map(({ paper }) => paper)).toEqual(['toy', 'other']);
    expect((await tables(path, other, '--paper', 'other')).map(({ paper }) => paper)).toEqual(['other']);
    expect((await lethe('claims', folder.write('bad.json', { ...toy, rows: 5 }), other)).code).toBe(1);
  });
});

describe('lethe claims, running', () => {
  test('every verdict that its law bears out is decided, exit 0', async () => {
    const path = folder.write('toy.json', toy);
    const { code: exit, out } = await lethe('claims', path, '--checks', code('checks'));
    expect(exit).toBe(0);
    expect(
      out
        .split('\n')
        .slice(1, 5)
        .map((line) => line[0]),
    ).toEqual(['✓', '✓', '✓', '✓']);
    const grouped = folder.write('grouped.json', {
      ...toy,
      rows: { 'claims of the paper': 3, 'claims of others': ['4'] },
    });
    expect((await lethe('claims', grouped, '--checks', code('checks'))).out).toContain(
      '\n3 of 3 claims of the paper, 0 of 1 claims of others\n3 of 4 decided: ',
    );
    expect(out).toMatch(
      /\n3 of 4 decided: 1 holds, 1 corrected, 1 refuted, 1 open; 0 paper-only; 0 problems\n$/u,
    );
    const [table] = await tables(path, '--checks', code('checks'));
    expect(table.counts.verdicts).toEqual({ holds: 1, corrected: 1, typo: 0, refuted: 1, open: 1 });
    expect(table.rows[2].findings).toMatchObject({
      'toy/even': { verdict: 'holds' },
      'toy/odd': { verdict: 'fails' },
    });
  });

  test('no verdict that it does not bear out is, with why, exit 1', async () => {
    const path = folder.write('toy.json', toy);
    const { code: exit, out } = await lethe('claims', path, '--checks', code('disagreeing-checks'));
    expect(exit).toBe(1);
    expect(
      out
        .split('\n')
        .slice(1, 5)
        .map((line) => line[0]),
    ).toEqual(['✗', '✗', '✗', '✓']);
    expect(out).toContain('\n0 of 4 decided: ');
    for (const why of [
      "the check 'toy/sum' fails: two and two are five",
      "the check 'toy/five' finds no counterexample",
      "'toy/even': the check threw: it fell over",
    ])
      expect(out).toContain(why);
  });

  test.each<[string, object, readonly string[]]>([
    ['a law that is not there', changed(0, { check: 'toy/none' }), ['unknown-check', 'unused-check']],
    ["another tier than the law's", changed(0, { tier: 'nightly' }), ['wrong-tier']],
    ['a law of plugins, run on all that ships', changed(3, { check: 'sampler/size', tier: 'search' }), []],
  ])('%s', async (_name, ledger, expected) => {
    expect(kinds(await tables(folder.write('toy.json', ledger), '--checks', code('checks')))).toEqual(
      expected,
    );
  });

  test('--seed decides what is drawn', async () => {
    const path = folder.write('toy.json', toy);
    const drawn = async (...seed: readonly string[]): Promise<number> =>
      defined(
        (await tables(path, '--checks', code('checks'), ...seed))[0].rows[1].findings['toy/five'].violation,
      ).measured;
    expect(await drawn('--seed', 'a')).toBe(await drawn('--seed', 'a'));
    expect(await drawn('--seed', 'a')).not.toBe(await drawn('--seed', 'b'));
  });
});

describe('papers that ship', () => {
  test('are read from where they are installed, with their checks', async () => {
    const path = folder.write('toy.json', toy);
    const check = defineClaimCheck({
      id: 'toy/sum',
      tier: 'exact',
      statement: 'It is so.',
      run: () => holds(1),
    });
    const [paper] = await shippedPapers([
      { id: 'toy', keys: [], claims: path, checks: () => Promise.resolve([check]) },
    ]);
    expect([paper.ledger, paper.checks]).toEqual([toy, [check]]);
  });

  test.each([
    ['missing', (): string => folder.file('none.json')],
    ['no ledger', (): string => folder.write('other.json', { v: 1 })],
  ])('are refused where the file is %s', async (_name, path) => {
    await expect(
      shippedPapers([{ id: 'toy', keys: [], claims: path(), checks: () => Promise.resolve([]) }]),
    ).rejects.toThrow(LetheError);
  });

  test('go by the names of their folders and by their keys', async () => {
    const named = (await shippedPapers()).map(({ names }) => names);
    expect(named).toContainEqual(['heavy-tails', 'lowy', 'lowy-razaviyayn']);
    expect(named).toEqual(papers.map(({ id, keys }) => [id, ...keys]));
  });

  test('are named where another is asked for', async () => {
    expect(await lethe('claims', '--paper', 'nobody')).toMatchObject({
      code: 2,
      out: '',
      error: expect.stringMatching(
        /there is no ledger of 'nobody'; there are coordinate-descent.* heavy-tails/u,
      ) as string,
    });
  });
});

describe('lethe claims refuses, with exit 2 and nothing on stdout', () => {
  test.each<[string, (file: (content: string | object) => string) => readonly string[], RegExp]>([
    ['a file that is not there', () => ['./no-such-file.json'], /no-such-file\.json cannot be read/u],
    ['a file that is not JSON', (file) => [file('{')], /not JSON/u],
    ['another version', (file) => [file({ ...toy, v: 2 })], /v: is 2; it must be 1/u],
    ['an unknown field', (file) => [file({ ...toy, more: 1 })], /more/u],
    [
      'a correction that does not say it',
      (file) => [file(changed(0, { verdict: 'corrected' }))],
      /claims\.0\.correction/u,
    ],
    ['a verdict without a law', (file) => [file(changed(3, { verdict: 'holds' }))], /claims\.3/u],
    ['rows that run backwards', (file) => [file({ ...toy, rows: ['C9..C1'] })], /not a range/u],
    [
      'an unknown verdict',
      (file) => [file(toy), '--verdict', 'true'],
      /--verdict is 'true'; it must be one of holds, corrected, typo, refuted, open, repeats/u,
    ],
    [
      'an unknown paper',
      (file) => [file(toy), '--paper', 'nobody'],
      /there is no ledger of 'nobody'; there are toy/u,
    ],
    ['checks without a ledger', () => ['--checks', code('checks')], /--checks .* give the ledger/u],
    [
      'code without checks',
      (file) => [file(toy), '--checks', code('nothing')],
      /exports no check; export what defineClaimCheck returns/u,
    ],
    [
      'checks of another paper',
      (file) => [file({ ...toy, paper: 'other', claims: [], rows: ['1'] }), '--checks', code('checks')],
      /'toy\/sum' belongs to none of the ledgers other; its id must begin with the paper/u,
    ],
  ])('%s', async (_name, args, message) => {
    const outcome = await lethe('claims', ...args((content) => folder.write('given.json', content)));
    expect([outcome.code, outcome.out]).toEqual([2, '']);
    expect(outcome.error).toMatch(message);
    expect(outcome.error).toMatch(/^lethe claims: /u);
  });
});
