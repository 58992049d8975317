import { readFileSync } from 'node:fs';
import type { Environment } from '../experiment/environment.js';
import type { LoadedPlugins } from '../plugins/load-plugins.js';

/** Versions and plugin modules of a result. */
export function environment(plugins: readonly LoadedPlugins[] = []): Environment {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return {
    lethe: version,
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    ...(plugins.length === 0 ? {} : { plugins: plugins.map(({ module }) => module) }),
  };
}
