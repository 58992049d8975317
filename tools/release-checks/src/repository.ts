import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { boundaries } from './boundaries.mjs';

/** The repository's root folder, with a trailing slash. */
export const root = fileURLToPath(new URL('../../../', import.meta.url));

/** The fields of a package.json that the checks read. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly author?: string;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** Folder names under `packages/`, in the order of the boundary table. */
export const packageNames: readonly string[] = Object.keys(boundaries);

/** Parses a JSON file named from the root. */
export function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(root + path, 'utf8')) as T;
}

export function readManifest(folder: string): Manifest {
  return readJson<Manifest>(`packages/${folder}/package.json`);
}

/** The `@lethe/*` packages among a manifest's dependencies, as folder names. */
export function siblingsOf(manifest: Manifest): readonly string[] {
  return Object.keys(manifest.dependencies ?? {})
    .filter((name) => name.startsWith('@lethe/'))
    .map((name) => name.slice('@lethe/'.length));
}
