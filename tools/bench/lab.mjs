import { existsSync } from 'node:fs';

const built = new URL('../../packages/lab/dist/', import.meta.url);

/**
 * One built module of @lethe/lab by its path, so that benchmarks
 * of threads do not load the plots of the reports.
 * @param {string} path
 * @returns {Promise<any>} null when it is not built
 */
export async function labModule(path) {
  const url = new URL(path, built);
  return existsSync(url) ? import(url.href) : null;
}
