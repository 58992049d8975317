import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { copyClosure, linkCommands, linkPackage } from './closure.js';
import { readManifest, root } from './repository.js';
import { runOrThrow } from './run.js';

/** Everything under `exports` that can be imported by name. */
function entryPoints(name: string): readonly string[] {
  const { exports, name: scoped } = readManifest(name);
  return Object.keys(exports)
    .filter((path) => !path.endsWith('.json') && !path.includes('*'))
    .map((path) => scoped + path.slice(1));
}

/** Packs every named package into `folder`; tarball path by package name. */
export async function packAll(
  names: readonly string[],
  folder: string,
): Promise<ReadonlyMap<string, string>> {
  const workspaces = names.flatMap((name) => ['--workspace', `@lethe/${name}`]);
  const report = await runOrThrow(
    'npm',
    ['pack', '--json', '--pack-destination', folder, ...workspaces],
    root,
  );
  const packed = JSON.parse(report) as { name: string; filename: string }[];
  return new Map(packed.map(({ name, filename }) => [name.slice('@lethe/'.length), join(folder, filename)]));
}

/** Packs packages that are in none of the workspaces; tarball path by the name of the package. */
export async function packFolders(
  folders: readonly string[],
  folder: string,
): Promise<ReadonlyMap<string, string>> {
  const report = await runOrThrow('npm', ['pack', '--json', '--pack-destination', folder, ...folders], root);
  return new Map(
    (JSON.parse(report) as { name: string; filename: string }[]).map(({ name, filename }) => [
      name,
      join(folder, filename),
    ]),
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

function unpack(tarball: string, folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  return runOrThrow('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1'], root);
}

/**
 * Puts all tarballs, and what they declare, into an empty project, the latter from what is installed here.
 * Installing by npm is tried by `npm run release:rehearsal`. The `types.ts` of the project has one line per
 * entry point, to be checked as `bundler.json` says.
 *
 * @param tarballs - Of this repository's packages.
 * @param others - Of packages that stand for those of users, by name. The compiler and the test runner that
 * these use are put beside them.
 */
export async function install(
  tarballs: ReadonlyMap<string, string>,
  folder: string,
  others: ReadonlyMap<string, string> = new Map(),
): Promise<void> {
  const names = [...tarballs.keys()];
  const modules = join(folder, 'node_modules');
  const own = new Map([...[...tarballs].map(([name, file]) => [`@lethe/${name}`, file] as const), ...others]);
  await Promise.all([...own].map(([name, tarball]) => unpack(tarball, join(modules, name))));
  const siblings = new Set(names.map((name) => join(modules, '@lethe', name)));
  const copy = (from: string, to: string): void => {
    if (!siblings.has(to)) linkPackage(from, to);
  };
  for (const name of names) copyClosure(`@lethe/${name}`, root, folder, copy);
  if (others.size > 0) {
    copyClosure('vitest', root, folder);
    copyClosure('@typescript/native', root, folder);
    renameSync(join(modules, '@typescript/native'), join(modules, 'typescript'));
    for (const name of ['vitest', 'typescript']) linkCommands(name, folder);
  }
  for (const name of own.keys()) linkCommands(name, folder);
  write(folder, {
    'package.json': { name: 'consumer', private: true },
    'types.ts': reexports(names.flatMap(entryPoints)),
    'bundler.json': { compilerOptions: bundler, files: ['types.ts'] },
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
  const entries = entryPoints(name);
  write(folder, {
    'package.json': { name: `consumer-of-${name}`, private: true },
    'esm.mjs': entries
      .map((entry, i) => `import * as entry${i} from '${entry}';\n${probe(`entry${i}`)}`)
      .join(''),
    'require.cjs': entries
      .map((entry, i) => `const entry${i} = require('${entry}');\n${probe(`entry${i}`)}`)
      .join(''),
    'types.ts': reexports(entries),
    '../nodenext.json': { compilerOptions: nodenext, include: ['*/types.ts'] },
  });
}
