import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseYaml } from '../src/experiment/yaml-text.js';
import { terminalProgress } from '../src/run/progress.js';
import { evaluation, labFolder, lethe, release, type LabFolder } from './support/lab-folder.js';

let folder: LabFolder;
beforeEach(() => {
  folder = labFolder();
});
afterEach(() => {
  folder.remove();
});

/**
 * Clears the screen, sets the title of the window, moves up, turns text round; from one byte and from two.
 */
const hostile = 'a\u001B[2J\u001B]0;pwned\u0007\u009B1A\r\u0008\u007F\u202Egpj.exe\u2028b';
const commands = /(?![\n\t])\p{Cc}|[\u2028\u202E]/u;
const small = { ...evaluation, sizes: [40], seeds: { count: 1 } };

describe('what a terminal is shown', () => {
  test.each<[string, object]>([
    ['the title of an evaluation', { ...small, title: hostile }],
    ['the title of a problem', { ...small, problems: [{ ...small.problems[0], title: hostile }] }],
    ['the label of an optimizer', { ...small, optimizers: [{ ...small.optimizers[0], label: hostile }] }],
    ['the title of a release', { ...release, title: hostile }],
    ['the name of a plugin that is not there', { ...small, optimizers: [{ name: hostile }] }],
    ['a key that is not there', { ...small, [hostile]: 1 }],
    [
      'a path',
      {
        ...release,
        problem: {
          ...release.problem,
          data: {
            file: `${hostile}.csv`,
            read: { columns: { x: 'number' } },
            design: {
              features: [{ column: 'x', encoding: 'scale', lower: 0, upper: 1 }],
              label: { column: 'x' },
            },
          },
        },
      },
    ],
  ])('has no command in it: %s', async (_name, content) => {
    const path = folder.write('a.json', content);
    for (const more of [[], ['--json']]) {
      const { out, error } = await lethe('run', path, '--out', folder.file(`out${more.length}`), ...more);
      expect(out + error).not.toMatch(commands);
      expect(out + error).toContain('pwned');
    }
  });

  test('and neither have the arguments of a command, nor lines that are written over', async () => {
    for (const args of [
      [hostile],
      ['run', `${hostile}.yaml`],
      ['plugins', '--kind', hostile],
      ['run', `--${hostile}`],
    ]) {
      const { code, error } = await lethe(...args);
      expect(code).toBe(2);
      expect(error).not.toMatch(commands);
    }
    let said = '';
    const progress = terminalProgress({
      isTTY: true,
      columns: 200,
      write: (text) => {
        said += text;
      },
    });
    progress.phase(hostile);
    progress.start(1);
    progress.step(hostile);
    progress.end();
    expect(said.replaceAll('\r\u001B[K', '')).not.toMatch(commands);
  });

  test('are names that folders can have: a longer one is bad input', async () => {
    const long = 'a'.repeat(10_000);
    expect(
      await lethe('run', folder.write('a.json', { ...release, name: long }), '--out', folder.file('out')),
    ).toMatchObject({ code: 2, out: '' });
    expect(
      await lethe('run', folder.write('a.json', { ...release, ledger: long }), '--out', folder.file('out')),
    ).toMatchObject({ code: 2, out: '' });
    expect(folder.all()).toEqual(['a.json']);
    expect(await lethe('run', folder.write('a.json', release), '--out', folder.file(long))).toMatchObject({
      code: 2,
      out: '',
    });
    expect(folder.all()).toEqual(['a.json', 'data.ledger']);
  });

  test('quotes nothing of a file that is no experiment', async () => {
    for (const name of ['a.json', 'a.yaml', 'a']) {
      const { code, error } = await lethe(
        'run',
        folder.write(name, 'root:hunter2:0:0:root:/root:/bin/bash\ndaemon:*:1:1\n'),
      );
      expect(code).toBe(2);
      expect(error).not.toMatch(/hunter2|bash|daemon/u);
    }
  });
});

describe('YAML of an experiment', () => {
  test.each<[string, string, RegExp]>([
    [
      'anchors',
      Array.from({ length: 9000 }, (_, i) => `a${i}: &a${i} x`).join('\n'),
      /more than 100 anchors/u,
    ],
    [
      'anchors that anchors hold',
      Array.from({ length: 9000 }, (_, i) => `a${i}: &a${i} [*a${Math.max(0, i - 1)}]`).join('\n'),
      /more than 100 anchors/u,
    ],
    ['tags', '!a '.repeat(60_000), /more than 100 anchors, aliases and tags/u],
    ['maps in maps', '{a: '.repeat(45_000), /more than 64 levels/u],
    ['lists in lists', '['.repeat(190_000), /more than 64 levels/u],
    ['lists on a line', '- '.repeat(95_000), /more than 64 levels in one line/u],
    ['keys of keys', '? '.repeat(95_000), /more than 64 levels in one line/u],
    ['keys', Array.from({ length: 20_000 }, (_, i) => `k${i}: 1`).join('\n'), /more than 2000 keys/u],
    [
      'keys in brackets',
      `{${Array.from({ length: 20_000 }, (_, i) => `k${i}: 1`).join(',')}}`,
      /more than 2000 keys/u,
    ],
    ['documents', '---\n'.repeat(45_000), /more than 40000 parts/u],
    ['items', '- x\n'.repeat(48_000), /more than 40000 parts/u],
    [
      'steps to the right',
      Array.from({ length: 600 }, (_, i) => `${' '.repeat(i)}a:`).join('\n'),
      /more than 64 levels deep/u,
    ],
  ])('with too many %s is refused by what it is made of', (_name, text, message) => {
    expect(text.length).toBeLessThan(250_000);
    expect(() => parseYaml(text, 'a.yaml')).toThrow(message);
  });

  test('may hold in text what would be too much outside of it', () => {
    const about = '& * ! [ { - ? '.repeat(200);
    expect(
      parseYaml(`about: "${about}"\nmore: |\n  ${about}\nlist: [${'1, '.repeat(5000)}2]\n`, 'a.yaml'),
    ).toMatchObject({ about, more: `${about.trimEnd()} \n` });
  });

  test.each(['a.yaml', 'a.json'])(
    'and JSON with a key __proto__ is refused, wherever it stands: %s',
    async (name) => {
      const text = JSON.stringify({
        ...evaluation,
        problems: [{ ...evaluation.problems[0], facts: { placeholder: { value: 1, why: 'x' } } }],
      }).replace('"placeholder"', '"__proto__"');
      expect(await lethe('run', folder.write(name, text), '--out', folder.file('out'))).toMatchObject({
        code: 2,
        error: expect.stringContaining("the key '__proto__'") as string,
      });
    },
  );
});
