import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkPackage, Package } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blocksOf, type GuideBlock } from './guide-blocks.js';
import { Reader } from './guide-reader.js';
import { install, packedFiles, publishedFiles, writeAlone, writeProbes } from './consumer.js';
import { packageNames, readManifest, root } from './repository.js';
import { ownFolders, ownFixtures } from './own-parts.js';
import { run, runOrThrow, runShell } from './run.js';

const tools = join(root, 'node_modules/.bin');
const folder = mkdtempSync(join(tmpdir(), 'lethe-packages-'));
const consumer = join(folder, 'consumer');
const isFull = process.env['LETHE_EFFORT'] === 'full';

beforeAll(async () => {
  // A whole run has just built them.
  if (process.env['LETHE_DIST'] === undefined) await runOrThrow(join(tools, 'tsc'), ['-b'], root);
  install(packageNames, consumer, ownFolders);
}, 300_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }), 120_000);

/** A package as attw takes it; what it does not ask for is not read. */
function packageIn(place: string, name: string, files: readonly string[]): Package {
  const contents = {};
  for (const path of files)
    Object.defineProperty(contents, `/node_modules/${name}/${path}`, {
      enumerable: true,
      get: () => readFileSync(join(place, path), 'utf8'),
    });
  return new Package(contents, name, '0.1.0');
}

/** The packages that a built module imports, by a declaration or when it is asked for something. */
const importsOf = (text: string): readonly string[] =>
  [
    ...text.matchAll(
      /^(?:import|export|\})[^'"\n]*?\bfrom\s*['"]([^.'"][^'"\n]*)['"];?$|\bimport\(\s*['"]([^.'"][^'"\n]*)['"]\s*\)/gmu,
    ),
  ]
    .map(([, declared, asked]) => declared ?? asked ?? '')
    .filter((specifier) => !isBuiltin(specifier))
    .map((specifier) => /^(?:@[^/]+\/)?[^/]+/u.exec(specifier)?.[0] ?? specifier);

/** Ways of resolving that packages of ES modules alone do not serve. */
const unserved: ReadonlySet<unknown> = new Set(['node10', 'node16-cjs']);

describe.each(packageNames)('what is published of %s', (name) => {
  const inConsumer = join(consumer, 'node_modules/@lethe', name);
  const alone = join(folder, 'alone', name);
  const installed = join(alone, 'node_modules/@lethe', name);
  const published = publishedFiles(join(root, 'packages', name));

  it('is complete and well described, says publint', async () => {
    const { messages } = await publint({ strict: true, pkgDir: inConsumer, pack: false });
    expect(messages).toEqual([]);
  });

  // By day the compiler reads the types as Node does, below.
  it.runIf(isFull)('has types that every resolver of ES modules finds, says attw', async () => {
    const analysis = await checkPackage(packageIn(inConsumer, `@lethe/${name}`, published));
    if (analysis.types === false) throw new Error('it has no types');
    const isServed = (problem: object): boolean =>
      !('resolutionKind' in problem && unserved.has(problem.resolutionKind));
    expect(analysis.problems.filter(isServed)).toEqual([]);
  });

  it('is whole beside what it declares', () => {
    writeAlone(name, consumer, alone);
    expect(existsSync(join(installed, 'README.md')), 'README.md').toBe(true);
    expect(existsSync(join(installed, 'LICENSE')), 'LICENSE').toBe(true);
    expect(published.filter((file) => file.includes('.test.') || file.endsWith('.tsbuildinfo'))).toEqual([]);
    const { dependencies, peerDependencies } = readManifest(name);
    const declared = new Set([`@lethe/${name}`, ...Object.keys({ ...dependencies, ...peerDependencies })]);
    // The bundle of the command holds what it needs, and its comments name others.
    const modules = published.filter((file) => /^dist\/(?!command\/).*\.js$/u.test(file));
    const undeclared = modules.flatMap((file) =>
      importsOf(readFileSync(join(installed, file), 'utf8'))
        .filter((other) => !declared.has(other))
        .map((other) => `${file} imports ${other}`),
    );
    expect(undeclared).toEqual([]);
  });

  // By day all packages are loaded together, below.
  it.runIf(isFull)('runs alone from require and from import', () =>
    runOrThrow(process.execPath, ['--require', './require.cjs', 'esm.mjs'], alone),
  );

  it.each(Object.entries(readManifest(name).bin ?? {}))('has the command %s', async (command, file) => {
    expect(await runOrThrow(process.execPath, [join(installed, file), '--help'], alone)).toContain(command);
    expect(await runOrThrow(join(consumer, 'node_modules/.bin', command), ['--help'], consumer)).toContain(
      command,
    );
  });
});

describe('all packages', () => {
  it('run from require and from import, in one process', async () => {
    writeProbes(packageNames, consumer);
    await runOrThrow(process.execPath, ['--require', './require.cjs', 'esm.mjs'], consumer);
  });

  it('import only what they declare, where an import is found in any form', () => {
    const text = "import a from 'a/b';\nimport {\n  c,\n} from '@c/d/e';\nexport * from './f.js';\n";
    expect(importsOf(`${text}import { g } from 'node:fs';\nconst h = await import('h');\n`)).toEqual([
      'a',
      '@c/d',
      'h',
    ]);
  });

  it.runIf(isFull)('have the files that npm packs', async () => {
    const packed = await packedFiles(packageNames);
    for (const name of packageNames)
      expect(publishedFiles(join(root, 'packages', name)), name).toEqual(packed.get(name));
  });

  // Each package beside what it declares, in one program; at night all
  // entry points too, as another resolver reads them, in two compilers.
  it.each([
    ['tsc', 'alone/nodenext.json'],
    ...(isFull
      ? [
          ['tsc', 'consumer/bundler.json'],
          ['tsc6', 'consumer/bundler.json'],
        ]
      : []),
  ])('have types that are right for %s and %s, library files included', async (compiler, project) => {
    await runOrThrow(join(tools, compiler), ['-p', project], folder);
  });
});

interface Result {
  readonly environment: {
    readonly plugins: readonly {
      readonly name: string;
      readonly version: string;
      readonly plugins: readonly object[];
    }[];
  };
  readonly problems: readonly {
    readonly cells: readonly { readonly label: string; readonly ledgerMatchesPlan: boolean }[];
  }[];
}

// Clip, sampler, domain, loss, mean and optimizer of a user,
// each in a package of its own, installed beside Lethe.
describe('parts of one’s own, from packages', () => {
  const place = join(consumer, 'own');
  const lethe = (...parameters: readonly string[]) =>
    run(join(consumer, 'node_modules/.bin/lethe'), parameters, place);

  beforeAll(() => {
    mkdirSync(place);
    cpSync(join(ownFixtures, 'own-experiment.yaml'), join(place, 'experiment.yaml'));
  });

  it('written in CommonJS share the code of the command, so that their errors are known', async () => {
    cpSync(join(ownFixtures, 'own-clip.cjs'), join(place, 'own-clip.cjs'));
    const { code, stdout, stderr } = await lethe('laws', './own-clip.cjs', '--law', 'clip/moments-checked');
    expect(code, stdout + stderr).toBe(0);
  });

  it('run together from one experiment file, which records where they are from', async () => {
    const { code, stdout, stderr } = await lethe('run', 'experiment.yaml', '--out', 'out');
    expect(code, stderr).toBe(0);
    expect(stdout).toContain('own-descent');
    const [result] = JSON.parse(readFileSync(join(place, 'out/results.json'), 'utf8')) as [Result];
    const {
      environment: { plugins },
      problems: [problem],
    } = result;
    expect(plugins.map(({ name, version, plugins: brought }) => [name, version, brought.length])).toEqual(
      ownFolders.map((path) => [`lethe-${path.slice(path.lastIndexOf('/') + 1)}`, '1.0.0', 1]),
    );
    expect(problem.cells.map(({ label, ledgerMatchesPlan }) => [label, ledgerMatchesPlan])).toEqual([
      ['own-descent', true],
      ['dp-sgd', true],
    ]);
    expect(readFileSync(join(place, 'out/report.html'), 'utf8')).toContain('Plugins of lethe-own-clip 1.0.0');
  });

  // By day the guide below checks its own.
  it.runIf(isFull)('keep the laws of their kinds, beside one another', async () => {
    const { code, stdout, stderr } = await lethe('laws', 'experiment.yaml', '--effort', '0.1');
    expect(code, stdout + stderr).toBe(0);
    for (const kind of [
      'clip own-smooth',
      'sampler own-coins',
      'domain own-half-space',
      'loss own-pseudo-huber',
      'own-mean',
      'optimizer own-descent',
    ]) {
      expect(stdout).toContain(`${kind}: every claim has a law`);
    }
    expect(stdout).toMatch(/\n\d+ checks: [6-9]\d hold, 0 broken, /u);
  });

  it('are caught when one is wrong', async () => {
    const right = readFileSync(join(consumer, 'node_modules/lethe-own-mean/index.js'), 'utf8');
    writeFileSync(join(place, 'wrong-mean.mjs'), right.replace('if (squares <= 1)', 'if (squares <= 4)'));
    const { code, stdout } = await lethe('laws', 'wrong-mean.mjs', '--tier', 'search', '--effort', '0.25');
    expect(code).toBe(1);
    expect(stdout).toMatch(/✗ \w+\/sensitivity › own-mean/u);
  });

  // What either command writes of any kind passes its tests where it stands: `templates.test.ts`.
  it.each([
    ['lethe new', 'lethe new lower-bound my-bound', 'my-bound', isFull ? 'test' : 'run build'],
    ['npm init @lethe/plugin', 'create-plugin domain my-domain', 'my-domain', 'run build'],
  ])('are begun by %s, and are known by their folder', async (_name, command, name, script) => {
    const bin = join(consumer, 'node_modules/.bin');
    const { code, stdout, stderr } = await runShell(`${bin}/${command}\ncd ${name}\nnpm ${script}`, place);
    expect(code, stdout + stderr).toBe(0);
    if (script === 'test') expect(stdout).toMatch(/Tests +\d+ passed/u);
    const listed = await runOrThrow(join(bin, 'lethe'), ['plugins', '--plugin', `./${name}`], place);
    expect(listed).toContain(` ${name} `);
  });
});

// The second goes on in the folder of the first, with what is installed there.
describe('the guides to writing a plugin and to its use', () => {
  const blocks = ['write-a-plugin', 'use-your-plugins'].flatMap((name) =>
    blocksOf(readFileSync(join(root, `docs/guide/${name}.md`), 'utf8')),
  );
  const place = join(folder, 'guides');
  let reader: Reader;
  beforeAll(() => {
    mkdirSync(place);
    reader = new Reader({ folder: place, consumer });
  });

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
