import { fileURLToPath } from 'node:url';

const packages = fileURLToPath(new URL('../../../packages/', import.meta.url));

/**
 * A module of a package in which every bug of a list in `src/switched` can be turned on by
 * {@link withBug}; all are off at first. The modules of its package are loaded once for the list.
 *
 * @param entry - Path of the module, from the folder of packages: `algorithms/src/index.ts`.
 * @throws for a text that is not there once.
 */
export const switched = async <Module>(entry: string, list: string): Promise<Module> =>
  (await import(/* @vite-ignore */ `${packages}${entry}?switched=${list}`)) as Module;

/** Runs with one bug turned on; one at a time. */
export async function withBug<T>(id: string, run: () => T | Promise<T>): Promise<T> {
  const bugs = globalThis as { letheBug?: string };
  bugs.letheBug = id;
  try {
    return await run();
  } finally {
    delete bugs.letheBug;
  }
}
