import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { copyClosure, linkCommands } from './closure.js';
import { edited, missingLines, type GuideBlock } from './guide-blocks.js';
import { announces } from './readme-examples.js';
import { runShell, type Outcome } from './run.js';

/** What `npx` does with the command of an installed package: by day without a start of npm for each. */
const npx =
  process.env['LETHE_EFFORT'] === 'full'
    ? ''
    : 'npx() { installed="./node_modules/.bin/$1"; shift; "$installed" "$@"; }\n';

/** Where a reader begins. */
export interface Desk {
  readonly folder: string;
  /** A project in which all that a guide has its reader install is installed. */
  readonly consumer: string;
}

/**
 * What `npm i` does with these parameters. Nothing is published yet, so the packages, and only what they
 * declare, are linked from the consumer, which npm has installed.
 */
function installed(parameters: string, { consumer }: Desk, place: string): void {
  for (const name of parameters.split(/\s+/u).filter((word) => word !== '' && !word.startsWith('-'))) {
    copyClosure(name, consumer, place);
    linkCommands(name, place);
  }
}

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
    this.printed = '';
    // Installing is done here, everything before and after it by a shell.
    for (const part of commands.split(/^(npm i .*)\n/mu)) {
      if (part.startsWith('npm i ')) installed(part.slice('npm i '.length), this.desk, this.place);
      else if (part !== '') await this.run(part, exits);
    }
  }
  private async run(commands: string, exits: number): Promise<void> {
    const at = join(this.desk.folder, 'place');
    const { code, stdout, stderr }: Outcome = await runShell(`${npx}${commands}\npwd > '${at}'`, this.place);
    expect(code, `${commands}\n${stdout}\n${stderr}`).toBe(exits);
    this.printed += stdout;
    if (code === 0) this.place = readFileSync(at, 'utf8').trim();
  }
}
