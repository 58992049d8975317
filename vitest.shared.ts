import { defineConfig, type ViteUserConfig } from 'vitest/config';

/** One vitest project per package; tests resolve sibling packages to their sources. */
export function definePackageConfig(name: string): ViteUserConfig {
  return defineConfig({
    resolve: { conditions: ['@lethe/source'] },
    ssr: { resolve: { conditions: ['@lethe/source'] } },
    test: {
      name,
      include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
      setupFiles: [new URL('./vitest.setup.ts', import.meta.url).pathname],
      testTimeout: 120_000,
    },
  });
}
