import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { copyClosure } from './closure.js';
import { readJson, readManifest, root } from './repository.js';
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

/** Development dependencies of a user's packages, in the versions of this repository. */
function userTools(): Readonly<Record<string, string>> {
  const { devDependencies } = readJson<{ devDependencies: Readonly<Record<string, string>> }>('package.json');
  return {
    vitest: devDependencies['vitest'],
    typescript: devDependencies['@typescript/native'].replace('npm:typescript@', ''),
  };
}

function write(folder: string, files: Readonly<Record<string, string | object>>): void {
  mkdirSync(folder, { recursive: true });
  for (const [file, content] of Object.entries(files)) {
    writeFileSync(join(folder, file), typeof content === 'string' ? content : JSON.stringify(content));
  }
}

/**
 * Installs all tarballs and what they ask for into an empty project. Its `types.ts` has one line per entry
 * point, to be checked as `bundler.json` says.
 *
 * @param tarballs - Of this repository's packages.
 * @param others - Of packages that stand for those of users. The
 * compiler and the test runner that these use are installed with them.
 */
export async function install(
  tarballs: ReadonlyMap<string, string>,
  folder: string,
  others: ReadonlyMap<string, string> = new Map(),
): Promise<void> {
  const names = [...tarballs.keys()];
  const peers = names.map((name) => readManifest(name).peerDependencies ?? {});
  const own = [...names.map((name) => [`@lethe/${name}`, tarballs.get(name)] as const), ...others].map(
    ([name, tarball]): [string, string] => [name, `file:${tarball}`],
  );
  write(folder, {
    'package.json': {
      name: 'consumer',
      private: true,
      dependencies: Object.assign(
        {},
        ...peers,
        Object.fromEntries(own),
        others.size === 0 ? {} : userTools(),
      ) as unknown,
    },
    'types.ts': reexports(names.flatMap(entryPoints)),
    'bundler.json': { compilerOptions: bundler, files: ['types.ts'] },
  });
  const options = ['--prefer-offline', '--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts'];
  await runOrThrow('npm', ['install', ...options], folder);
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
