import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InvalidParameter } from '@lethe/core';
import { exportedByImport } from './export-conditions.js';

/** A resolved module with its package; files named by path have none. */
export interface FoundModule {
  /** Absolute path of the file to import. */
  readonly file: string;
  readonly package: { readonly name: string; readonly version: string | null } | null;
}

interface Manifest {
  readonly name?: unknown;
  readonly version?: unknown;
  readonly exports?: unknown;
}

const isPath = (specifier: string): boolean =>
  /^\.{0,2}[/\\]|^\.{1,2}$|^file:/u.test(specifier) || isAbsolute(specifier);

/**
 * Finds the module that a path or the name of a package means from a folder, as Node does for an import in a
 * file there. The path of a folder with a package.json means the package in it.
 *
 * @param specifier - `./my-sampler.js`, `../my-package`, `file:///…`, `some-npm-package`,
 *   `@scope/name/subpath`.
 * @throws {InvalidParameter} when there is none; the message begins with the verb.
 */
export function resolveModule(specifier: string, folder: string): FoundModule {
  return isPath(specifier) ? atPath(specifier, folder) : inPackages(specifier, folder);
}

function atPath(specifier: string, folder: string): FoundModule {
  const path = specifier.startsWith('file:') ? fileURLToPath(specifier) : resolve(folder, specifier);
  if (!existsSync(path)) throw new InvalidParameter('cannot be read; check the path', { path });
  if (!statSync(path).isDirectory()) return { file: realpathSync(path), package: null };
  const manifest = manifestIn(path);
  if (manifest === null) {
    throw new InvalidParameter('is a folder without a package.json; give the file that exports the plugins', {
      path,
    });
  }
  const entry = typeof manifest.name === 'string' && manifest.exports !== undefined ? manifest.name : path;
  return { file: nodeResolves(entry, path, path), package: nameOf(manifest) };
}

function inPackages(specifier: string, folder: string): FoundModule {
  const name = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
  const {
    resolve: { paths },
  } = createRequire(join(folder, 'experiment'));
  const place = (paths(specifier) ?? []).map((one) => join(one, name)).find((one) => existsSync(one));
  if (place === undefined) {
    const isFile = existsSync(resolve(folder, specifier));
    const hint = isFile
      ? `a file is given by its path: ./${specifier}`
      : `install it in ${folder} or a folder above`;
    throw new InvalidParameter(`is no package that Node finds; ${hint}`, { specifier, folder });
  }
  return { file: nodeResolves(specifier, folder, place), package: nameOf(manifestIn(place) ?? { name }) };
}

/** Node's own resolution from a folder; `place` is where the package lies. */
function nodeResolves(specifier: string, folder: string, place: string): string {
  try {
    return createRequire(join(folder, 'experiment')).resolve(specifier);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // Node resolves for `require` here; a package may be there for `import` alone.
    const file = exportedByImport(manifestIn(place)?.exports, subpathOf(specifier));
    if (file !== undefined && existsSync(join(place, file))) return realpathSync(join(place, file));
    const [reason] = message.split('\n');
    throw new InvalidParameter(
      `cannot be resolved: ${code === 'MODULE_NOT_FOUND' ? 'its package has no such entry' : reason}`,
      { specifier, folder },
      { cause: error },
    );
  }
}

/** `@scope/name/sub` is `./sub` of its package. */
function subpathOf(specifier: string): string {
  if (isPath(specifier)) return '.';
  return ['.', ...specifier.split('/').slice(specifier.startsWith('@') ? 2 : 1)].join('/');
}

function manifestIn(folder: string): Manifest | null {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  } catch {
    return null;
  }
}

const nameOf = ({ name, version }: Manifest): FoundModule['package'] =>
  typeof name === 'string' ? { name, version: typeof version === 'string' ? version : null } : null;

/** Folder of a file, for what it names by relative paths; that of standard input is the current one. */
export const folderOf = (path: string): string => (path === '-' ? process.cwd() : dirname(resolve(path)));
