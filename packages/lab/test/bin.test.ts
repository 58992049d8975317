import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
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

test('takes the bundle, unless a package was built after it', () => {
  const says = (name: string): string => `process.stdout.write('${name}');`;
  folder.write('package.json', { type: 'module' });
  for (const path of ['lab/dist/command', 'lab/bin', 'near/dist'])
    mkdirSync(folder.file(path), { recursive: true });
  folder.write('lab/dist/bin.js', says('modules'));
  folder.write('lab/dist/command/bin.js', says('bundle'));
  const list = folder.write('lab/dist/command/packages.json', {});
  const built = folder.write('near/dist/tsconfig.tsbuildinfo', {});
  const copy = folder.file('lab/bin/lethe.mjs');
  copyFileSync(here(join('..', bin.lethe)), copy);
  const said = (): string => spawnSync(process.execPath, [copy], { encoding: 'utf8' }).stdout;
  utimesSync(list, 100, 100);
  utimesSync(built, 200, 200);
  expect(said()).toBe('modules');
  utimesSync(list, 200, 200);
  expect(said()).toBe('bundle');
});

test('takes the modules where a package of another version than in the bundle is installed', () => {
  const says = (name: string): string => `process.stdout.write('${name}');`;
  for (const path of ['lab/dist/command', 'lab/bin', 'core', 'lab/node_modules/@lethe/core'])
    mkdirSync(folder.file(path), { recursive: true });
  folder.write('package.json', { type: 'module' });
  folder.write('lab/dist/bin.js', says('modules'));
  folder.write('lab/dist/command/bin.js', says('bundle'));
  folder.write('lab/dist/command/packages.json', {});
  folder.write('lab/dist/command/versions.json', { core: '1.0.0' });
  const copy = folder.file('lab/bin/lethe.mjs');
  copyFileSync(here(join('..', bin.lethe)), copy);
  const said = (): string => spawnSync(process.execPath, [copy], { encoding: 'utf8' }).stdout;
  folder.write('core/package.json', { version: '1.0.1' });
  expect(said()).toBe('modules');
  // One of its own comes before the one beside it.
  folder.write('lab/node_modules/@lethe/core/package.json', { version: '1.0.0' });
  expect(said()).toBe('bundle');
});

test('a plugin from outside shares the packages of the command', () => {
  // Inside the package, so that it finds @lethe/core as an installed plugin does.
  const plugin = here('../.sharing.mjs');
  try {
    writeFileSync(
      plugin,
      `import { Unsupported } from '@lethe/core';
import { accountants } from '@lethe/accountants';
const epsilon = () => { throw new Unsupported('not today', {}); };
export const shy = { ...accountants[0], name: 'shy', epsilon };`,
    );
    const event = folder.write('event.json', {
      kind: 'core/gaussian',
      v: 1,
      sigma: 2,
      sensitivity: { 'add-remove': 1 },
    });
    const args = [event, '--adjacency', 'add-remove', '--delta', '1e-6', '--accountant', 'shy'];
    const { status, stderr } = spawnSync(
      process.execPath,
      [here(join('..', bin.lethe)), 'account', ...args, '--plugin', plugin],
      { encoding: 'utf8' },
    );
    expect([status, stderr]).toEqual([2, 'lethe account: no accountant can answer: shy: not today\n']);
  } finally {
    rmSync(plugin, { force: true });
  }
});

test.skipIf(!existsSync(here('../dist/command/packages.json')))(
  'plugins have the marks of their modules in the bundle, and changed ones have others',
  () => {
    const entry = (root: string, name: string): string =>
      JSON.stringify(here(`${root.replace('NAME', name)}`));
    const marksFrom = (root: string): unknown => {
      const code = `
import { pluginMark } from ${entry(root, 'curator')};
import { mechanisms } from ${entry(root, 'mechanisms')};
import { losses } from ${entry(root, 'losses')};
import { optimizers } from ${entry(root, 'algorithms')};
const all = [...mechanisms, ...losses, ...optimizers];
const changed = all.map((one) => ({ ...one, summary: 'Another.' }));
console.log(JSON.stringify([all, changed].map((some) => some.map(pluginMark))));`;
      const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', code], {
        encoding: 'utf8',
      });
      return JSON.parse(stdout);
    };
    const [[bundled, changed], [modules]] = [
      '../dist/command/@lethe/NAME.js',
      '../../NAME/dist/index.js',
    ].map(marksFrom) as [[string[], string[]], [string[]]];
    expect(bundled).toEqual(modules);
    expect(new Set([...bundled, ...changed]).size).toBe(2 * bundled.length);
  },
);
