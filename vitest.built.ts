import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Plugin, UserConfig } from 'vite';
import { definePackageConfig } from './vitest.shared.js';

const root = new URL('./', import.meta.url).pathname;

/** Places with tests that change their process, or patch sources. */
const apart: readonly string[] = [
  'packages/create-plugin',
  'packages/federation',
  'packages/node',
  'tools/bench',
  'tools/generators',
  'tools/mutants',
  'tools/release-checks',
];
const together = ['packages', 'tools']
  .flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`))
  .filter((place) => existsSync(join(root, place, 'vitest.config.ts')) && !apart.includes(place));

const testsIn = (place: string): readonly string[] =>
  ['src', 'test']
    .filter((folder) => existsSync(join(root, place, folder)))
    .flatMap((folder) =>
      (readdirSync(join(root, place, folder), { recursive: true }) as string[]).map(
        (file) => `${place}/${folder}/${file}`,
      ),
    )
    .filter((file) => file.endsWith('.test.ts'));
/** Only modules that vite has loaded can be mocked, or loaded again. */
const needsSources = (file: string): boolean =>
  /\bvi\.(?:mock|doMock|resetModules)\(/u.test(readFileSync(join(root, file), 'utf8'));

/** What a test imports from the sources of its package is what was built of them. */
const fromBuild = (): Plugin => ({
  name: 'lethe:from-build',
  enforce: 'pre',
  resolveId(source, importer) {
    if (!source.startsWith('.') || importer === undefined) return undefined;
    const path = join(dirname(importer), source);
    const [, place, file] = /^(.*\/packages\/[^/]+)\/src\/(.*\.js)$/u.exec(path) ?? [];
    if (place === undefined || file === undefined) return undefined;
    const built = join(place, 'dist', file);
    return existsSync(built) ? built : undefined;
  },
});

const project = (name: string, include: readonly string[], plugins: readonly Plugin[] = []): UserConfig => {
  const { test, ...config } = definePackageConfig(name);
  return { ...config, root, plugins: [...plugins], test: { ...test, include } } as UserConfig;
};

/**
 * The projects of a whole run, after a build. Tests of most packages are one project, so that a worker goes
 * on from one package to the next with all that it has loaded.
 */
export function builtProjects(): (string | UserConfig)[] {
  const tests = together.map((place) => ({ name: `@lethe/${place.split('/')[1]}`, files: testsIn(place) }));
  return [
    project(
      'packages',
      tests.flatMap(({ files }) => files.filter((file) => !needsSources(file))),
      [fromBuild()],
    ),
    ...tests
      .map(({ name, files }) => ({ name, files: files.filter(needsSources) }))
      .filter(({ files }) => files.length > 0)
      .map(({ name, files }) => project(name, files)),
    ...apart.map((place) => `${place}/vitest.config.ts`),
  ];
}
