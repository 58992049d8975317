import { defined } from '@lethe/numerics';
import { readdirSync, readFileSync } from 'node:fs';

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, { readonly '@lethe/source'?: string } | string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}
interface Alias {
  readonly find: RegExp;
  readonly replacement: string;
}

const folder = new URL('./packages/', import.meta.url);
const manifests: ReadonlyMap<string, { readonly manifest: Manifest; readonly place: URL }> = new Map(
  readdirSync(folder).map((name) => {
    const place = new URL(`${name}/`, folder);
    const manifest = JSON.parse(readFileSync(new URL('package.json', place), 'utf8')) as Manifest;
    return [manifest.name, { manifest, place }];
  }),
);

/**
 * The packages that the tests of one package must read from their sources: itself and all that import it. A
 * build of those would import the build of the package under test, and one test would meet two copies of it.
 *
 * @param name - A package, or anything else: tools are imported by no package, so they can take every package
 * as built.
 */
export function readFromSource(name: string): ReadonlySet<string> {
  const found = new Set(manifests.has(name) ? [name] : []);
  for (const imported of found) {
    for (const [other, { manifest }] of manifests) {
      if (Object.hasOwn(manifest.dependencies ?? {}, imported)) found.add(other);
    }
  }
  return found;
}

const escaped = (text: string): string => text.replaceAll(/[.\\/]/gu, String.raw`\$&`);

/** Aliases from each entry point of these packages to its source. */
export function sourceAliases(names: ReadonlySet<string>): Alias[] {
  return [...names].flatMap((name) => {
    const { manifest, place } = defined(manifests.get(name));
    return Object.entries(manifest.exports).flatMap(([path, target]): Alias[] => {
      const source = typeof target === 'string' ? undefined : target['@lethe/source'];
      if (source === undefined) return [];
      // A star stands for one folder, in both.
      const find = new RegExp(`^${escaped(name + path.slice(1)).replace('*', '([^/]+)')}$`, 'u');
      return [{ find, replacement: new URL(source, place).pathname.replace('*', '$1') }];
    });
  });
}
