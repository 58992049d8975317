import { readFileSync } from 'node:fs';
import type { Environment } from '../experiment/results.js';

/** What a result was made with. */
export function environment(): Environment {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string };
  return { lethe: version, node: process.version, platform: `${process.platform} ${process.arch}` };
}
