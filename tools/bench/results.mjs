import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const resultsFolder = fileURLToPath(new URL('../../results/', import.meta.url));

/** @param {unknown} report */
export function writeResults(report) {
  mkdirSync(resultsFolder, { recursive: true });
  writeFileSync(join(resultsFolder, 'bench.json'), `${JSON.stringify(report, null, 2)}\n`);
}
