import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Plugin, UserConfig } from 'vite';
import { definePackageConfig } from './vitest.shared.js';

const root = new URL('./', import.meta.url).pathname;

const configs = ['packages', 'tools']
  .flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`))
  .map((place) => ({ place, file: `${place}/vitest.config.ts` }))
  .filter(({ file }) => existsSync(join(root, file)));
/** A configuration with a name and nothing else; tests of others change their process, or patch sources. */
const isPlain = (file: string): boolean =>
  /^export default definePackageConfig\('[^']+'\);$/mu.test(readFileSync(join(root, file), 'utf8'));
const together = configs.filter(({ file }) => isPlain(file)).map(({ place }) => place);
const apart = configs.filter(({ file }) => !isPlain(file)).map(({ file }) => file);

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
    ...apart,
  ];
}
