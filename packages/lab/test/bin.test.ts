import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { labFolder, type LabFolder } from './support/lab-folder.js';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const { bin, files } = JSON.parse(readFileSync(here('../package.json'), 'utf8')) as {
  bin: { lethe: string };
  files: string[];
};

let folder: LabFolder;
beforeEach(() => {
  folder = labFolder();
});
afterEach(() => {
  folder.remove();
});

/** Runs the linked file from a package folder that holds nothing else but, perhaps, a build. */
function run(...args: readonly string[]): {
  readonly code: number | null;
  readonly out: string;
  readonly error: string;
} {
  const copy = join(folder.path, bin.lethe);
  mkdirSync(dirname(copy), { recursive: true });
  copyFileSync(here(join('..', bin.lethe)), copy);
  const { status, stdout, stderr } = spawnSync(process.execPath, [copy, ...args], { encoding: 'utf8' });
  return { code: status, out: stdout, error: stderr };
}

test('the command is a file of the sources, which npm links before anything is built', () => {
  expect(bin.lethe).not.toMatch(/dist/u);
  expect(statSync(here(join('..', bin.lethe))).mode & 0o111).toBe(0o111);
  expect(files).toContain(dirname(bin.lethe).replace('./', ''));
});

test('says that it is not built, or hands everything to the build', () => {
  expect(run('plan')).toEqual({
    code: 2,
    out: '',
    error: expect.stringMatching(/not built yet; run npx tsc -b/u) as string,
  });
  mkdirSync(folder.file('dist'));
  folder.write('dist/bin.js', 'process.stdout.write(process.argv.slice(2).join()); process.exitCode = 7;');
  folder.write('package.json', { type: 'module' });
  expect(run('plan', '--json')).toEqual({ code: 7, out: 'plan,--json', error: '' });
});
