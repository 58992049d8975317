import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { edited, missingLines, type GuideBlock } from './guide-blocks.js';
import { announces } from './readme-examples.js';
import { readJson, withSiblings } from './repository.js';
import { runShell, type Outcome } from './run.js';

/** Where a reader begins, and what is not published yet. */
export interface Desk {
  readonly folder: string;
  /** Tarball by name of the package. */
  readonly tarballs: ReadonlyMap<string, string>;
  /** A project in which the tarballs are installed. */
  readonly consumer: string;
}

const { devDependencies } = readJson<{ devDependencies: Readonly<Record<string, string>> }>('package.json');

/**
 * What is not published yet comes from tarballs, with its siblings; the rest in the version this repository
 * uses. Links to what is installed elsewhere spare npm the unpacking; it removes what was not asked for.
 */
const installable = (line: string, { tarballs, consumer }: Desk): string =>
  line.startsWith('npm i ')
    ? `test -d node_modules || cp -Rl '${join(consumer, 'node_modules')}' . 2>/dev/null || true\n${line
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

/** Does what a reader of a guide does, and gives what the commands between two `text` blocks printed. */
export class Reader {
  place: string;
  printed = '';
  private readonly desk: Desk;
  constructor(desk: Desk) {
    this.desk = desk;
    this.place = desk.folder;
  }
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
    const at = join(this.desk.folder, 'place');
    const lines = commands.split('\n').map((line) => installable(line, this.desk));
    const script = `${lines.join('\n')}\npwd > '${at}'`;
    const { code, stdout, stderr }: Outcome = await runShell(script, this.place);
    expect(code, `${commands}\n${stdout}\n${stderr}`).toBe(exits);
    this.printed = stdout;
    if (code === 0) this.place = readFileSync(at, 'utf8').trim();
  }
}
