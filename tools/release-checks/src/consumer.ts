import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { copyClosure, linkCommands, linkFile, linkPackage } from './closure.js';
import { readManifest, root } from './repository.js';
import { runOrThrow } from './run.js';

/** Everything under `exports` that can be imported by name. */
function entryPoints(name: string): readonly string[] {
  const { exports, name: scoped } = readManifest(name);
  return Object.keys(exports)
    .filter((path) => !path.endsWith('.json') && !path.includes('*'))
    .map((path) => scoped + path.slice(1));
}

/**
 * The files that npm publishes of a package: those that its `files` name, and what npm adds to them. At night
 * a test compares them with what npm packs.
 *
 * @param folder - Of the package; what it publishes is built.
 * @returns paths in the folder, sorted.
 * @throws Error for a `files` entry that is neither a name nor `!FOLDER/**` followed by `/*.EXTENSION`.
 */
export function publishedFiles(folder: string): readonly string[] {
  const { files } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly files: readonly string[];
  };
  const left = files
    .filter((entry) => entry.startsWith('!'))
    .map((entry) => {
      const [, place, ending] = /^!(\w+\/)\*\*\/\*(\.[\w.]+)$/u.exec(entry) ?? [];
      if (place === undefined || ending === undefined) throw new Error(`cannot read '${entry}' in ${folder}`);
      return (path: string): boolean => path.startsWith(place) && path.endsWith(ending);
    });
  const named = files.filter((entry) => !entry.startsWith('!'));
  const strange = named.find((entry) => !/^[\w.-]+$/u.test(entry));
  if (strange !== undefined) throw new Error(`cannot read '${strange}' in ${folder}`);
  return ['package.json', 'README.md', 'LICENSE', ...named]
    .filter((entry) => existsSync(join(folder, entry)))
    .flatMap((entry) =>
      statSync(join(folder, entry)).isFile()
        ? [entry]
        : readdirSync(join(folder, entry), { recursive: true, withFileTypes: true })
            .filter((one) => one.isFile())
            .map((one) => relative(folder, join(one.parentPath, one.name))),
    )
    .filter((path) => !left.some((leaves) => leaves(path)))
    .toSorted();
}

/**
 * The files that npm puts into the tarballs of packages.
 *
 * @returns what {@link publishedFiles} says of each, by folder name.
 */
export async function packedFiles(names: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const workspaces = names.flatMap((name) => ['--workspace', `@lethe/${name}`]);
  const report = await runOrThrow('npm', ['pack', '--json', '--dry-run', ...workspaces], root);
  const packed = JSON.parse(report) as { name: string; files: { path: string }[] }[];
  return new Map(
    packed.map(({ name, files }) => [name.slice('@lethe/'.length), files.map(({ path }) => path).toSorted()]),
  );
}

const reexports = (entries: readonly string[]): string =>
  entries.map((entry, i) => `export * as entry${i} from '${entry}';\n`).join('');

/** Fails where an entry point exports nothing, or something undefined. */
const probe = (binding: string): string =>
  [
    `if (Object.keys(${binding}).length === 0) throw new Error('${binding} exports nothing');`,
    `for (const [name, value] of Object.entries(${binding})) if (value === undefined) throw new ` +
      "Error(name + ' is undefined');",
    '',
  ].join('\n');

const compilerOptions = {
  strict: true,
  noEmit: true,
  skipLibCheck: false,
  // The declarations of the language itself are the compiler's.
  skipDefaultLibCheck: true,
  target: 'es2023',
  exactOptionalPropertyTypes: true,
};
const nodenext = { ...compilerOptions, module: 'nodenext' };
const bundler = { ...compilerOptions, module: 'esnext', moduleResolution: 'bundler' };

function write(folder: string, files: Readonly<Record<string, string | object>>): void {
  mkdirSync(folder, { recursive: true });
  for (const [file, content] of Object.entries(files)) {
    writeFileSync(join(folder, file), typeof content === 'string' ? content : JSON.stringify(content));
  }
}

function linkPublished(from: string, to: string): void {
  for (const path of publishedFiles(from)) {
    mkdirSync(dirname(join(to, path)), { recursive: true });
    linkFile(join(from, path), join(to, path));
  }
}

/**
 * Puts what packages publish, and what they declare, into an empty project, the latter from what is installed
 * here. Installing by npm is tried by `npm run release:rehearsal`. The `types.ts` of the project has one line
 * per entry point, to be checked as `bundler.json` says.
 *
 * @param names - Of this repository's packages.
 * @param folder - Of the project.
 * @param others - Folders of packages that stand for those of users. The compiler and the test runner that
 * these use are put beside them.
 */
export function install(names: readonly string[], folder: string, others: readonly string[]): void {
  const modules = join(folder, 'node_modules');
  const own = new Map([
    ...names.map((name) => [`@lethe/${name}`, join(root, 'packages', name)] as const),
    ...others.map((from) => [`lethe-${basename(from)}`, from] as const),
  ]);
  for (const [name, from] of own) linkPublished(from, join(modules, name));
  const siblings = new Set(names.map((name) => join(modules, '@lethe', name)));
  const copy = (from: string, to: string): void => {
    if (!siblings.has(to)) linkPackage(from, to);
  };
  for (const name of names) copyClosure(`@lethe/${name}`, root, folder, copy);
  copyClosure('vitest', root, folder);
  copyClosure('@typescript/native', root, folder);
  renameSync(join(modules, '@typescript/native'), join(modules, 'typescript'));
  for (const name of ['vitest', 'typescript', ...own.keys()]) linkCommands(name, folder);
  write(folder, {
    'package.json': { name: 'consumer', private: true },
    'types.ts': reexports(names.flatMap(entryPoints)),
    'bundler.json': { compilerOptions: bundler, files: ['types.ts'] },
  });
}

/** Writes modules that load all entry points of packages, `esm.mjs` and `require.cjs`, into a project. */
export function writeProbes(names: readonly string[], folder: string): void {
  const entries = names.flatMap(entryPoints);
  write(folder, {
    'esm.mjs': entries
      .map((entry, i) => `import * as entry${i} from '${entry}';\n${probe(`entry${i}`)}`)
      .join(''),
    'require.cjs': entries
      .map((entry, i) => `const entry${i} = require('${entry}');\n${probe(`entry${i}`)}`)
      .join(''),
  });
}

/**
 * A project in which one installed package stands beside what it and its dependencies declare, and nothing
 * else, so that an undeclared import fails. It holds `esm.mjs`, `require.cjs` and `types.ts`; the project
 * `nodenext.json` in the folder above checks the types of all such projects.
 *
 * @param installed - Where {@link install} put everything.
 * @param folder - Not inside `installed`: whatever stands above a file is found from it.
 */
export function writeAlone(name: string, installed: string, folder: string): void {
  copyClosure(`@lethe/${name}`, installed, folder);
  writeProbes([name], folder);
  write(folder, {
    'package.json': { name: `consumer-of-${name}`, private: true },
    'types.ts': reexports(entryPoints(name)),
    '../nodenext.json': { compilerOptions: nodenext, include: ['*/types.ts'] },
  });
}
