import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Registry } from '@lethe/core';
import type { Option, Parsed } from '../cli/command.js';
import { registry } from '../registry.js';
import { loadPlugins, type LoadedPlugins } from './load-plugins.js';
import { withPlugins } from './with-plugins.js';

export const pluginFlag: Option = {
  type: 'string',
  multiple: true,
  value: 'PATH_OR_PACKAGE',
  help: 'also know the plugins that this module exports; a package is found from the current folder; may be repeated',
};

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

/** What ships and what `--plugin` adds. @throws {InvalidParameter} when that cannot be loaded, or has a name that is taken. */
export const registryGiven = async (parsed: Parsed): Promise<Registry> =>
  withPlugins(registry, await pluginsGiven(parsed));
