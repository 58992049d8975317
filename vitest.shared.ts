import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { readFromSource, sourceAliases } from './vitest.siblings.js';

/** With `LETHE_DIST`, after a build: what is shipped is tested, and needs no transforming. */
const built = process.env['LETHE_DIST'] !== undefined;

/**
 * One vitest project per package. Tests resolve all packages to their sources; with `LETHE_DIST` those that
 * do not import the package under test to their builds. A whole run has fewer projects: `vitest.built.ts`.
 *
 * @param isolate - Each file in a process of its own: for tests that change the process. The others share the
 * modules they have loaded, which are most of a short test's time.
 */
export function definePackageConfig(
  name: string,
  { isolate = false }: { readonly isolate?: boolean } = {},
): ViteUserConfig {
  const conditions = { conditions: ['@lethe/source'] };
  return defineConfig({
    ...(built
      ? { resolve: { alias: sourceAliases(readFromSource(name)) } }
      : { resolve: conditions, ssr: { resolve: conditions } }),
    test: {
      name,
      isolate,
      include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
      setupFiles: [new URL('./vitest.setup.ts', import.meta.url).pathname],
      testTimeout: 120_000,
      // Most objects of tests die young: rarer collections take a tenth less time. Every processor has a
      // worker of its own, so that collecting in several threads only adds to the work. Most code of
      // tests runs too rarely to be optimised: machine code from its first call on saves a twentieth,
      // and optimising only what has run six times as long as usual saves another tenth.
      execArgv: [
        '--min-semi-space-size=64',
        '--max-semi-space-size=128',
        '--single-threaded-gc',
        '--always-sparkplug',
        '--interrupt-budget=400000',
      ],
      ...(built ? { server: { deps: { external: [/\/packages\/[^/]+\/dist\//u] } } } : {}),
    },
  });
}
