import { defineConfig, type ViteUserConfig } from 'vitest/config';

/**
 * One vitest project per package; tests resolve sibling packages to their sources.
 *
 * @param isolate - Each file in a process of its own: for tests that change the process. The others share the modules they have loaded, which are most of a short test's time.
 */
export function definePackageConfig(name: string, { isolate = false }: { readonly isolate?: boolean } = {}): ViteUserConfig {
  return defineConfig({
    resolve: { conditions: ['@lethe/source'] },
    ssr: { resolve: { conditions: ['@lethe/source'] } },
    test: {
      name, isolate,
      include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
      setupFiles: [new URL('./vitest.setup.ts', import.meta.url).pathname],
      testTimeout: 120_000,
    },
  });
}
