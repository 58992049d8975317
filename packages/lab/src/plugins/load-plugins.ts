import { createHash } from 'node:crypto';
import { readFileSync, realpathSync } from 'node:fs';
import { relative } from 'node:path';
import { InvalidParameter, LetheError } from '@lethe/core';
import { pluginMark } from '@lethe/curator';
import { importFile } from '../laws/import-file.js';
import type { PluginModule } from '../experiment/environment.js';
import { pluginsAmong, type Exported } from './exported.js';
import { resolveModule, type FoundModule } from './resolve-module.js';

/** A request for a plugin module. */
export interface Wanted {
  /** Path or package name, as written. */
  readonly from: string;
  /** What to look up, if not `from`. */
  readonly at?: string;
  /** Folder for relative paths and package lookup. */
  readonly folder: string;
  /**
   * Place of the request, for messages: `flights.yaml, line 7`.
   * Absent for positional arguments.
   */
  readonly where?: string;
}

/** A loaded plugin module. */
export interface LoadedPlugins extends Exported {
  readonly wanted: Wanted;
  /** Record of the module in results. */
  readonly module: PluginModule;
  /** Key of the module in the ledger of a run: its package, or its file relative to the folder. */
  readonly key: string;
}

/** Name of a module in messages, with the place of the request. */
export const calledBy = ({ from, where }: Wanted): string =>
  where === undefined ? from : `plugin '${from}' (${where})`;

/**
 * Loads a module and collects the plugins it exports, by name, by default, or in lists.
 *
 * @throws {InvalidParameter} naming where it is written, when it is not found, does not run, or exports no
 *   plugin.
 */
export async function loadPlugins(wanted: Wanted): Promise<LoadedPlugins> {
  const called = calledBy(wanted);
  const { file, package: own } = found(wanted, called);
  const { plugins, refs } = pluginsAmong(await importFile(file, called));
  if (plugins.length + refs.length === 0) {
    throw new InvalidParameter(
      `${called} exports no plugin; export what a define… function returns, or that called with parameters`,
      { file },
    );
  }
  const marks = plugins.map((plugin) => ({ kind: plugin.kind, name: plugin.name, mark: pluginMark(plugin) }));
  const mark = createHash('sha256')
    .update(readFileSync(file))
    .update(JSON.stringify(marks))
    .digest('hex')
    .slice(0, 32);
  return {
    wanted,
    plugins,
    refs,
    key: own?.name ?? relative(realpathSync(wanted.folder), file).replaceAll('\\', '/'),
    module: {
      from: wanted.from,
      name: own?.name ?? null,
      version: own?.version ?? null,
      mark,
      plugins: marks,
    },
  };
}

function found({ from, at = from, folder }: Wanted, called: string): FoundModule {
  try {
    return resolveModule(at, folder);
  } catch (error) {
    if (!(error instanceof LetheError)) throw error;
    throw new InvalidParameter(`${called} ${error.message}`, { ...error.details, from }, { cause: error });
  }
}
