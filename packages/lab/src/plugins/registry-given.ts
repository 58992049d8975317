import type { Registry } from '@lethe/core';
import type { Parsed } from '../cli/command.js';
import { registry } from '../registry.js';
import { pluginsGiven } from './option.js';
import { withPlugins } from './with-plugins.js';

/**
 * Shipped plugins and those of `--plugin`.
 *
 * @throws {InvalidParameter} when one cannot be loaded, or has a name that is taken.
 */
export const registryGiven = async (parsed: Parsed): Promise<Registry> =>
  withPlugins(registry, await pluginsGiven(parsed));
