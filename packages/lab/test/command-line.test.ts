import { execFileSync, spawnSync } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { commands } from '../src/cli/commands/index.js';
import { main } from '../src/cli/main.js';

async function lethe(args: readonly string[], terminal = {}) {
  let out = '';
  let error = '';
  const code = await main(args, {
    out: (text) => (out += text),
    error: (text) => (error += text),
    terminal,
  });
  return { code, out, error };
}

describe('the command line', () => {
  test('prints its help for -h, --help and help, and that of a command', async () => {
    const all = await Promise.all([['-h'], ['--help'], ['help']].map((args) => lethe(args)));
    for (const { code, out, error } of all) expect([code, out, error]).toEqual([0, all[0].out, '']);
    for (const { name } of commands) expect(all[0].out).toContain(`\n  ${name} `);
    const asked = await lethe(['help', 'train']);
    expect(asked).toEqual(await lethe(['train', '--help']));
    expect(asked.out).toContain('Examples:\n  lethe train');
  });

  test('without arguments prints it to stderr and fails', async () => {
    expect(await lethe([])).toEqual({
      code: 2,
      out: '',
      error: `lethe: give a command.\n\n${(await lethe(['-h'])).out}`,
    });
  });

  test.each([['--version'], ['-v']])('%s prints the version', async (flag) => {
    expect(await lethe([flag])).toMatchObject({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/u) });
  });

  test('suggests a command and an option', async () => {
    expect(await lethe(['rnu'])).toMatchObject({
      code: 2,
      error: "lethe: unknown command 'rnu'; is run meant?\n",
    });
    expect(await lethe(['run', 'a.yaml', '--outt', 'x'])).toMatchObject({
      code: 2,
      error: "lethe run: unknown option '--outt'; is --out meant?\n",
    });
  });

  test.each([
    [
      ['account', 'gausian', '--delta', '1e-5'],
      "'gausian' is neither a method nor a file; is 'gaussian' meant?",
    ],
    [['account', 'dp-sgd', '--q', '0.1'], "unknown option '--q'; the sampling rate is --rate"],
    [['calibrate', 'dp-sgd', '--params', '{}'], 'options of their own, such as --sigma'],
    [['ledger', '--params', '{}'], "unknown option '--params'; --help lists what there is"],
    [['plugins', '--kind', 'lower-bound'], "--kind is 'lower-bound'; is 'lowerBound' meant?"],
    [['laws', '--kind', 'optimzer'], "is 'optimizer' meant?"],
    [['laws', '--kind', 'x'], 'it must be one of mechanism, selector'],
    [['laws', 'clip'], "'clip' is a kind of plugin; lethe laws --kind clip"],
    [['laws', 'customers.csv'], 'takes plugins; to train on the records: lethe train customers.csv'],
    [['run', 'customers.csv'], 'takes experiments; to train on the records: lethe train customers.csv'],
  ])('%j: says what is meant', async (args, message) => {
    expect(await lethe(args)).toMatchObject({ code: 2, error: expect.stringContaining(message) });
  });

  test('lists all mistakes in its options at once', async () => {
    const { code, error } = await lethe(['train', '--clip', 'tight', '--epsilon', '0', '--held-out', '2']);
    expect(code).toBe(2);
    for (const mistake of ['one file of records', "--clip is 'tight'", '--epsilon is 0', '--held-out is 2'])
      expect(error).toContain(mistake);
    const plan = await lethe(['plan', 'dp-sgd', '--n', 'many', '--trust', 'nobody']);
    for (const mistake of ["--n is 'many'", '--d is missing', '--epsilon is missing', "--trust is 'nobody'"])
      expect(plan.error).toContain(mistake);
  });

  test('has colours only where the terminal has them', async () => {
    const escape = '\u001B[';
    expect((await lethe(['-h'])).out).not.toContain(escape);
    const coloured = (await lethe(['-h'], { hasColours: true })).out;
    expect(coloured).toContain(escape);
    expect(stripVTControlCharacters(coloured)).toBe((await lethe(['-h'])).out);
  });

  test('wraps help to the terminal', async () => {
    const { out } = await lethe(['train', '-h'], { width: 72 });
    const [, text] = /^([^]*)\nExamples/u.exec(out) ?? [];
    for (const line of text.split('\n')) expect(line.length, line).toBeLessThanOrEqual(72);
  });
});

describe('completion', () => {
  const has = (shell: string): boolean => spawnSync(shell, ['--version']).status === 0;
  const scriptFor = async (shell: string): Promise<string> => (await lethe(['completion', shell])).out;

  test('knows every command and option in every shell', async () => {
    for (const shell of ['bash', 'zsh', 'fish']) {
      const script = await scriptFor(shell);
      for (const { name, options } of commands) {
        expect(script).toContain(name);
        for (const key of Object.keys(options))
          expect(script).toMatch(new RegExp(shell === 'fish' ? ` -l ${key} ` : `--${key}`, 'u'));
      }
    }
    expect(await lethe(['completion', 'tcsh'])).toMatchObject({ code: 2 });
  });

  test.runIf(has('bash')).each([
    [['lethe', 'pre'], ['predict']],
    [['lethe', 'train', 'a.csv', '--eps'], ['--epsilon']],
    [
      ['lethe', 'plan', 'dp-sgd', '--trust', ''],
      ['central', 'shuffle'],
    ],
    [['lethe', 'help', 'eval'], ['evaluate']],
    [['lethe', 'account', 'dp'], ['dp-sgd']],
    [['lethe', 'account', 'dp-sgd', 'dp'], ['']],
  ])('bash completes %j', async (words, found) => {
    const script = `${await scriptFor('bash')}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}
_lethe; printf '%s\\n' "\${COMPREPLY[@]}"`;
    expect(execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim().split('\n')).toEqual(found);
  });

  test.runIf(has('zsh'))('zsh reads its script', async () => {
    execFileSync('zsh', ['-n', '-c', await scriptFor('zsh')]);
  });

  test.runIf(has('fish'))('fish reads its script', async () => {
    execFileSync('fish', ['--no-execute', '-c', await scriptFor('fish')]);
  });
});
