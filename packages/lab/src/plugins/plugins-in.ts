import { InvalidParameter, LetheError } from '@lethe/core';
import { pluginModules } from '../experiment/parts.js';
import { placesIn } from '../experiment/places.js';
import { loadPlugins, type LoadedPlugins } from './load-plugins.js';
import { folderOf } from './resolve-module.js';

/** Whether an experiment has a list of plugins. */
export const namesPlugins = (content: unknown): content is { readonly plugins: unknown } =>
  typeof content === 'object' && content !== null && 'plugins' in content;

/**
 * The modules that an experiment names under `plugins`. A malformed list gives none: the schema reports it.
 *
 * @param text - The file, for the lines in messages.
 * @throws {InvalidParameter} naming file and line of each, when some cannot be loaded.
 */
export async function pluginsIn(
  content: unknown,
  text: string,
  path: string,
): Promise<readonly LoadedPlugins[]> {
  const listed = namesPlugins(content) ? content.plugins : [];
  const names = pluginModules.safeParse(listed).data ?? [];
  const whereIs = (i: number): string => {
    const { line } = placesIn(text)(['plugins', String(i)]);
    return `${path}, line ${line}`;
  };
  const folder = folderOf(path);
  const all = await Promise.allSettled(
    names.map((from, i) => loadPlugins({ from, folder, where: whereIs(i) })),
  );
  const failures = all.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
  if (failures.length === 0) return all.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const strange = failures.find((failure) => !(failure instanceof LetheError));
  if (strange !== undefined) throw strange;
  throw new InvalidParameter(failures.map((failure) => (failure as LetheError).message).join('\n'), { path });
}
