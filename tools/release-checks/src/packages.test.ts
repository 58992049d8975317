import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packAll, writeConsumer } from './consumer.js';
import { packageNames, readManifest, root, withSiblings } from './repository.js';
import { run, runOrThrow } from './run.js';

const tools = join(root, 'node_modules/.bin');
const folder = mkdtempSync(join(tmpdir(), 'lethe-packages-'));
let tarballs: ReadonlyMap<string, string>;

beforeAll(async () => {
  await runOrThrow(join(tools, 'tsc'), ['-b'], root);
  tarballs = await packAll(packageNames, folder);
}, 300_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }), 120_000);

describe.each(packageNames)('the tarball of %s', (name) => {
  const consumer = join(folder, name);

  it('is complete and well described, says publint', async () => {
    const tarball = readFileSync(tarballs.get(name)!);
    const { messages } = await publint({ strict: true, pack: { tarball: new Uint8Array(tarball).buffer } });
    expect(messages).toEqual([]);
  });

  it('has types that every resolver of ES modules finds, says attw', async () => {
    const { code, stdout } = await run(join(tools, 'attw'), [tarballs.get(name)!, '--profile', 'esm-only', '--format', 'ascii', '--no-emoji'], root);
    expect(code, stdout).toBe(0);
  });

  it('installs alone in an empty folder', async () => {
    writeConsumer(name, tarballs, consumer);
    await runOrThrow('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts'], consumer);
    const installed = join(consumer, 'node_modules/@lethe', name);
    expect(existsSync(join(installed, 'README.md')), 'README.md').toBe(true);
    expect(existsSync(join(installed, 'LICENSE')), 'LICENSE').toBe(true);
    const files = readdirSync(installed, { recursive: true }) as string[];
    expect(files.filter((file) => file.includes('.test.') || file.endsWith('.tsbuildinfo'))).toEqual([]);
  });

  it('runs from import', () => runOrThrow(process.execPath, ['esm.mjs'], consumer));

  it('runs from require', () => runOrThrow(process.execPath, ['require.cjs'], consumer));

  it('type-checks with tsc and nodenext.json, library files included', () => runOrThrow(join(tools, 'tsc'), ['-p', 'nodenext.json'], consumer));

  it.each(Object.keys(readManifest(name).bin ?? {}))('has the command %s', async (command) => {
    expect(await runOrThrow(join(consumer, 'node_modules/.bin', command), ['--help'], consumer)).toContain(command);
  });
});

// What is missing from a package shows above; how the other resolver and the older compiler read it shows where all are installed, at every entry point.
describe('all packages together', () => {
  const consumer = join(folder, packageNames.find((name) => withSiblings(name).length === packageNames.length)!);

  it.each([
    ['tsc', 'bundler.json'],
    ['tsc6', 'nodenext.json'],
  ])('type-check with %s and %s, library files included', async (compiler, project) => {
    await runOrThrow(join(tools, compiler), ['-p', `siblings-${project}`], consumer);
  });
});
