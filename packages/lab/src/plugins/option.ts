import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Parsed } from '../cli/command.js';
import { loadPlugins, type LoadedPlugins } from './load-plugins.js';

/** Modules named on the command line; a file may be named there without `./`. */
export const loadNamed = (names: readonly string[], where?: string): Promise<readonly LoadedPlugins[]> => {
  const folder = process.cwd();
  const asPath = (from: string): string => {
    const path = resolve(folder, from);
    return existsSync(path) && statSync(path).isFile() ? path : from;
  };
  return Promise.all(
    names.map((from) =>
      loadPlugins({ from, at: asPath(from), folder, ...(where === undefined ? {} : { where }) }),
    ),
  );
};

/** The modules that `--plugin` names. @throws {InvalidParameter} when one cannot be loaded. */
export const pluginsGiven = (parsed: Parsed): Promise<readonly LoadedPlugins[]> =>
  loadNamed(parsed.strings('plugin'), '--plugin');
