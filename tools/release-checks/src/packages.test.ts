import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { install, packAll, writeAlone } from './consumer.js';
import { packageNames, readManifest, root } from './repository.js';
import { runOrThrow } from './run.js';

const tools = join(root, 'node_modules/.bin');
const folder = mkdtempSync(join(tmpdir(), 'lethe-packages-'));
const consumer = join(folder, 'consumer');
let tarballs: ReadonlyMap<string, string>;

beforeAll(async () => {
  await runOrThrow(join(tools, 'tsc'), ['-b'], root);
  tarballs = await packAll(packageNames, folder);
  await install(tarballs, consumer);
}, 300_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }), 120_000);

/** Ways of resolving that packages of ES modules alone do not serve. */
const unserved: ReadonlySet<unknown> = new Set(['node10', 'node16-cjs']);

describe.each(packageNames)('the tarball of %s', (name) => {
  const alone = join(folder, 'alone', name);
  const installed = join(alone, 'node_modules/@lethe', name);

  it('is complete and well described, says publint', async () => {
    const tarball = readFileSync(tarballs.get(name)!);
    const { messages } = await publint({ strict: true, pack: { tarball: new Uint8Array(tarball).buffer } });
    expect(messages).toEqual([]);
  });

  it('has types that every resolver of ES modules finds, says attw', async () => {
    const analysis = await checkPackage(createPackageFromTarballData(new Uint8Array(readFileSync(tarballs.get(name)!))));
    if (analysis.types === false) throw new Error('it has no types');
    const isServed = (problem: object): boolean => !('resolutionKind' in problem && unserved.has(problem.resolutionKind));
    expect(analysis.problems.filter(isServed)).toEqual([]);
  });

  it('is whole beside what it declares', () => {
    writeAlone(name, consumer, alone);
    expect(existsSync(join(installed, 'README.md')), 'README.md').toBe(true);
    expect(existsSync(join(installed, 'LICENSE')), 'LICENSE').toBe(true);
    const files = readdirSync(installed, { recursive: true }) as string[];
    expect(files.filter((file) => file.includes('.test.') || file.endsWith('.tsbuildinfo'))).toEqual([]);
  });

  it('runs from import', () => runOrThrow(process.execPath, ['esm.mjs'], alone));

  it('runs from require', () => runOrThrow(process.execPath, ['require.cjs'], alone));

  it.each(Object.entries(readManifest(name).bin ?? {}))('has the command %s', async (command, file) => {
    expect(await runOrThrow(process.execPath, [join(installed, file), '--help'], alone)).toContain(command);
    expect(await runOrThrow(join(consumer, 'node_modules/.bin', command), ['--help'], consumer)).toContain(command);
  });
});

// Each package beside what it declares, in one program; then all entry points, as another resolver and an older compiler read them.
describe('the types of all packages', () => {
  it.each([
    ['tsc', 'alone/nodenext.json'],
    ['tsc', 'consumer/bundler.json'],
    ['tsc6', 'consumer/nodenext.json'],
  ])('are right for %s and %s, library files included', async (compiler, project) => {
    await runOrThrow(join(tools, compiler), ['-p', project], folder);
  });
});
