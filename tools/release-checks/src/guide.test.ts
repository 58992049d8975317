import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packAll } from './consumer.js';
import { blocksOf, edited, missingLines, type GuideBlock } from './guide-blocks.js';
import { announces } from './readme-examples.js';
import { packageNames, readJson, root, withSiblings } from './repository.js';
import { runOrThrow, runShell, type Outcome } from './run.js';

const folder = mkdtempSync(join(tmpdir(), 'lethe-guide-'));
const { devDependencies } = readJson<{ devDependencies: Readonly<Record<string, string>> }>('package.json');
let tarballs: ReadonlyMap<string, string>;

beforeAll(async () => {
  await runOrThrow(join(root, 'node_modules/.bin/tsc'), ['-b'], root);
  tarballs = await packAll(packageNames, folder);
}, 300_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }), 120_000);

/**
 * What is not published yet comes from tarballs, with its
 * siblings; the rest in the version this repository uses.
 */
const installable = (line: string): string =>
  line.startsWith('npm i ')
    ? `${line
        .replaceAll(/@lethe\/([\w-]+)/g, (_, name: string) =>
          withSiblings(name)
            .map((sibling) => tarballs.get(sibling))
            .join(' '),
        )
        .replaceAll(
          / (zod|vitest)\b/g,
          (_, name: string) => ` ${name}@${devDependencies[name]}`,
        )} --prefer-offline --no-audit --no-fund --ignore-scripts`
    : line;

/** Does what a reader does, and gives what the commands between two `text` blocks printed. */
class Reader {
  place = folder;
  printed = '';
  async follow(block: GuideBlock): Promise<void> {
    if (block.does === 'write') writeFileSync(join(this.place, block.file), block.text);
    else if (block.does === 'edit')
      writeFileSync(
        join(this.place, block.file),
        edited(readFileSync(join(this.place, block.file), 'utf8'), block.text),
      );
    else if (block.does === 'show')
      expect(missingLines(block.text, this.printed, announces), this.printed).toEqual([]);
    else await this.type(block.text, block.exits);
  }
  private async type(commands: string, exits: number): Promise<void> {
    const at = join(folder, 'place');
    const script = `${commands.split('\n').map(installable).join('\n')}\npwd > '${at}'`;
    const { code, stdout, stderr }: Outcome = await runShell(script, this.place);
    expect(code, `${commands}\n${stdout}\n${stderr}`).toBe(exits);
    this.printed = stdout;
    if (code === 0) this.place = readFileSync(at, 'utf8').trim();
  }
}

// The second goes on in the folder of the first, with what is installed there.
describe('the guides to writing a plugin and to its use', () => {
  const blocks = ['write-a-plugin', 'use-your-plugins'].flatMap((name) =>
    blocksOf(readFileSync(join(root, `docs/guide/${name}.md`), 'utf8')),
  );
  const reader = new Reader();

  it('has commands, files and what they print', () => {
    const count = (does: GuideBlock['does']): number => blocks.filter((block) => block.does === does).length;
    expect([count('run') >= 5, count('write') >= 2, count('edit') >= 2, count('show') >= 4]).toEqual([
      true,
      true,
      true,
      true,
    ]);
  });

  it.each(blocks.map((block, i) => [`${i + 1}: ${block.does} ${block.text.split('\n')[0]}`, block] as const))(
    'can be followed, block %s',
    async (_name, block) => {
      await reader.follow(block);
    },
    300_000,
  );
});

describe('following a guide', () => {
  it('reads blocks by their fences', () => {
    expect(
      blocksOf(
        '```sh\na\n```\nx\n```sh exits=2\nb\n```\n```js f.js\nc\n```\n```diff ' +
          'f.js\n-c\n+d\n```\n```text\ne\n```\n',
      ),
    ).toEqual([
      { does: 'run', text: 'a\n', exits: 0 },
      { does: 'run', text: 'b\n', exits: 2 },
      { does: 'write', text: 'c\n', file: 'f.js' },
      { does: 'edit', text: '-c\n+d\n', file: 'f.js' },
      { does: 'show', text: 'e\n' },
    ]);
    expect(() => blocksOf('```js\nc\n```\n')).toThrow('does nothing');
  });

  it('changes what is there once', () => {
    expect(edited('a\nb\nc\n', '-b\n+$&\n+e\n')).toBe('a\n$&\ne\nc\n');
    expect(() => edited('a\n', '-b\n+c\n')).toThrow('exactly once');
    expect(() => edited('b\nb\n', '-b\n+c\n')).toThrow('exactly once');
  });

  it('misses announced lines that are not printed, or not in that order', () => {
    expect(missingLines('a\nc…\n', 'a\nb\ncd\n', announces)).toEqual([]);
    expect(missingLines('a\nx\n', 'a\nb\n', announces)).toEqual(['x']);
    expect(missingLines('b\na\n', 'a\nb\n', announces)).toEqual(['a']);
  });

  it('fails on a command that ends otherwise than it says', async () => {
    const reader = new Reader();
    await expect(reader.follow({ does: 'run', text: 'exit 3\n', exits: 0 })).rejects.toThrow('exit 3');
    await reader.follow({ does: 'run', text: 'exit 3\n', exits: 3 });
    await reader.follow({ does: 'run', text: 'mkdir there && cd there\necho here\n', exits: 0 });
    expect([reader.place.endsWith('/there'), reader.printed]).toEqual([true, 'here\n']);
  });
});
