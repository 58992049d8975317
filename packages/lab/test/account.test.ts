import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { main } from '../src/cli/main.js';
import { labFolder, lethe, type LabFolder } from './support/lab-folder.js';

let folder: LabFolder;
beforeEach(() => {
  folder = labFolder();
});
afterEach(() => {
  folder.remove();
});

const gaussian = { kind: 'core/gaussian', v: 1, sigma: 2, sensitivity: { 'replace-one': 1 } };
const under = ['--adjacency', 'replace-one'];
interface Row {
  readonly accountant: string;
  readonly epsilon: number & { lower: number; upper: number };
  readonly delta: number & { lower: number; upper: number | 'Infinity' };
  readonly error?: { type: string; message: string };
}
const rowsOf = async (...args: readonly string[]): Promise<Row[]> =>
  JSON.parse(
    (await lethe('account', folder.write('event.json', gaussian), ...under, ...args, '--json')).out,
  ) as Row[];

describe('lethe account, more than one answer', () => {
  test('answers at several deltas or epsilons, in their order', async () => {
    const rows = await rowsOf('--delta', '1e-3', '--delta', '1e-6');
    expect(rows.map(({ accountant, delta }) => [accountant, delta])).toEqual([
      ['best', 1e-3],
      ['best', 1e-6],
    ]);
    expect(rows[0].epsilon.upper).toBeLessThan(rows[1].epsilon.lower);
    const { out } = await lethe(
      'account',
      folder.file('event.json'),
      ...under,
      '--epsilon',
      '0',
      '--epsilon',
      'Infinity',
    );
    expect(out).toMatch(
      /^best {2}epsilon 0 +delta in \[0\.197\d+, 0\.197\d+\] \(exact, gdp\)\nbest {2}epsilon Infinity {2}delta in \[0, 0\] /u,
    );
  });

  test("--accountant all gives every accountant's answer or its reason, and the best", async () => {
    const rows = await rowsOf('--accountant', 'all', '--delta', '1e-6');
    expect(rows[rows.length - 1].accountant).toBe('best');
    const answers = rows.filter(({ error }) => error === undefined);
    expect(answers.length).toBeGreaterThan(2);
    expect(rows[rows.length - 1].epsilon.upper).toBe(
      Math.min(...answers.map(({ epsilon }) => epsilon.upper)),
    );
    const sampled = {
      kind: 'core/sampled',
      v: 1,
      sampler: { kind: 'core/poisson', rate: 0.1 },
      event: { ...gaussian, sensitivity: { 'add-remove': 1 } },
    };
    const { code, out } = await lethe(
      'account',
      folder.write('s.json', sampled),
      '--adjacency',
      'add-remove',
      '--accountant',
      'all',
      '--delta',
      '1e-6',
    );
    expect(code).toBe(0);
    expect(out).toMatch(/^gdp +delta 0\.000001 {2}no answer: /mu);
    expect(out).toMatch(/^rdp +delta 0\.000001 {2}epsilon at most /mu);
    expect(
      await lethe(
        'account',
        folder.write('none.json', { kind: 'core/filtered', v: 1, limit: { kind: 'acme/x', v: 1 } }),
        ...under,
        '--accountant',
        'all',
        '--delta',
        '0',
      ),
    ).toMatchObject({ code: 2, out: '' });
  });

  test('--profile falls from epsilon 0 to the delta that is asked for', async () => {
    const rows = await rowsOf('--profile', '--delta', '1e-7');
    expect(rows).toHaveLength(21);
    expect(rows[0].epsilon).toBe(0);
    const uppers = rows.map(({ delta }) => delta.upper as number);
    expect(uppers).toEqual(uppers.toSorted((a, b) => b - a));
    expect(Math.abs(Math.log10(uppers[uppers.length - 1]) + 7)).toBeLessThan(0.1);
    expect((await rowsOf('--profile', '--epsilon', '1')).map(({ epsilon }) => epsilon)).toEqual([1]);
    expect(
      (await lethe('account', folder.file('event.json'), ...under, '--profile')).out.match(
        /^best {2}epsilon /gmu,
      ),
    ).toHaveLength(21);
    expect((await rowsOf('--profile', '--accountant', 'all')).length % 21).toBe(0);
  });

  test.each([
    [['--profile', '--delta', '1e-3', '--delta', '1e-4']],
    [['--profile', '--delta', '0']],
    [['--delta', '1e-3', '--epsilon', '1']],
    [['--delta', '-1']],
    [['--epsilon', '-1']],
    [['--epsilon', '1', '--epsilon', 'x']],
  ])('refuses %j with exit 2', async (args) => {
    expect(await lethe('account', folder.write('event.json', gaussian), ...under, ...args)).toMatchObject({
      code: 2,
      out: '',
    });
  });
});

describe('lethe account --lines', () => {
  const line = (id: number): string =>
    `${JSON.stringify({ id, event: gaussian, adjacency: 'replace-one', epsilon: 1 })}\n`;

  /** Runs it on a made-up standard input and tells, after every answer, how many lines had been read. */
  async function streamed(
    count: number,
    drained: (answers: number) => Promise<boolean>,
  ): Promise<{ readonly ids: number[]; readonly ahead: number; readonly code: number }> {
    const ids: number[] = [];
    let read = 0;
    let ahead = 0;
    async function* input(): AsyncGenerator<Uint8Array> {
      for (; read < count; read++) yield await Promise.resolve(new TextEncoder().encode(line(read)));
    }
    const out = (text: string): void => {
      ids.push((JSON.parse(text) as { id: number }).id);
      ahead = Math.max(ahead, read - ids.length);
    };
    const code = await main(['account', '--lines'], {
      out,
      error: () => {},
      input,
      drained: () => drained(ids.length),
    });
    return { ids, ahead, code };
  }

  test('answers each line before it reads on, whatever the length of the input', async () => {
    const { ids, ahead, code } = await streamed(5000, () => Promise.resolve(true));
    expect(code).toBe(0);
    expect(ids).toEqual(Array.from({ length: 5000 }, (_, i) => i));
    expect(ahead).toBeLessThanOrEqual(1);
  });

  test('waits while nobody reads, and ends when nobody will', async () => {
    let release: () => void = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    let waits = 0;
    const running = streamed(10, async (answers) => {
      if (answers === 3) {
        waits++;
        await gate;
      }
      return answers < 7;
    });
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
    expect(waits).toBe(1);
    release();
    expect((await running).ids).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  test('a line that is too long, or no text, gets an error like any other', async () => {
    const bad = Buffer.concat([
      Buffer.from(line(1)),
      Buffer.from([0xff, 0xfe, 10]),
      Buffer.from(`${'x'.repeat(1_000_001)}\n`),
      Buffer.from(line(2)),
    ]);
    const { code, out } = await lethe('account', folder.write('bad.jsonl', bad), '--lines');
    expect(code).toBe(0);
    const answers = out
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text) as { id: unknown; error?: { type: string } });
    expect(answers.map(({ id, error }) => [id, error?.type])).toEqual([
      [1, undefined],
      [null, 'InvalidParameter'],
      [null, 'InvalidParameter'],
      [2, undefined],
    ]);
  });

  test('an unbounded epsilon is read as it is written', async () => {
    const text = JSON.stringify({
      id: 'x',
      event: { kind: 'core/unprotected', v: 1 },
      adjacency: 'replace-one',
      epsilon: 'Infinity',
    });
    expect(JSON.parse((await lethe('account', folder.write('b.jsonl', text), '--lines')).out)).toMatchObject({
      id: 'x',
      delta: { lower: 0 },
    });
    expect(
      (await lethe('account', folder.write('b.jsonl', text.replace('Infinity', 'infinite')), '--lines')).out,
    ).toContain('InvalidParameter');
  });

  test.each([
    [['missing.jsonl']],
    [['--delta', '1']],
    [['--adjacency', 'replace-one']],
    [['--profile']],
    [['--accountant', 'nobody']],
  ])('%j with --lines is exit 2', async (args) => {
    expect(await lethe('account', '--lines', ...args)).toMatchObject({ code: 2, out: '' });
  });
});
