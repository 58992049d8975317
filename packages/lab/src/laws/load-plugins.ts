import { InvalidParameter, type Plugin, type Ref } from '@lethe/core';
import { importFile } from './import-file.js';

/** What a file of plugins exports: plugins, and plugins called with parameters. */
export interface PluginFile { readonly plugins: readonly Plugin[]; readonly refs: readonly Ref[] }

const isObject = (value: unknown): value is Record<string, unknown> => (typeof value === 'object' || typeof value === 'function') && value !== null;
const isNamed = (value: unknown): value is Record<string, unknown> => isObject(value) && typeof value['kind'] === 'string' && typeof value['name'] === 'string' && 'params' in value;
// By shape, not by identity: a file from elsewhere brings its own copy of the packages.
const isPlugin = (value: unknown): value is Plugin => isNamed(value) && Array.isArray(value['claims']);
const isRef = (value: unknown): value is Ref => isNamed(value) && !('claims' in value);

/**
 * Runs a file and collects the plugins it exports, by name, by default, or in lists.
 *
 * @throws {InvalidParameter} when it is not there, does not run, or exports no plugin.
 */
export async function loadPlugins(path: string): Promise<PluginFile> {
  const values = await importFile(path);
  const plugins = values.filter(isPlugin), refs = values.filter(isRef);
  if (plugins.length === 0 && refs.length === 0) throw new InvalidParameter(`${path} exports no plugin; export what a define… function returns, or that called with parameters`, { path });
  return { plugins, refs };
}
