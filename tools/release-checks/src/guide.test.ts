import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { blocksOf, edited, missingLines } from './guide-blocks.js';
import { Reader } from './guide-reader.js';
import { announces } from './readme-examples.js';

const folder = mkdtempSync(join(tmpdir(), 'lethe-guide-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

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
    const reader = new Reader({ folder, consumer: folder });
    await expect(reader.follow({ does: 'run', text: 'exit 3\n', exits: 0 })).rejects.toThrow('exit 3');
    await reader.follow({ does: 'run', text: 'exit 3\n', exits: 3 });
    await reader.follow({ does: 'run', text: 'mkdir there && cd there\necho here\n', exits: 0 });
    expect([reader.place.endsWith('/there'), reader.printed]).toEqual([true, 'here\n']);
  });
});
