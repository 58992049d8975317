import { InvalidParameter, LetheError, parseOrThrow, type Registry } from '@lethe/core';
import type { LoadedPlugins } from '../plugins/load-plugins.js';
import { pluginsIn } from '../plugins/plugins-in.js';
import { withPlugins } from '../plugins/with-plugins.js';
import { registry as shipped } from '../registry.js';
import { checkExperiment, mistakesInParts } from './check.js';
import { contentIn, textOf } from './read.js';
import { experimentSchema, type Experiment } from './schema.js';

/** An experiment with its file and its registry. */
export interface ReadExperiment {
  readonly path: string;
  readonly experiment: Experiment;
  /** Shipped plugins and those of `loaded`. */
  readonly registry: Registry;
  readonly loaded: readonly LoadedPlugins[];
}

/**
 * Reads and checks experiment files with the plugins they name, all of them before any runs. The mistakes of
 * all files are reported together; for a malformed file, also those of the problems and
 * optimizers that have the right form.
 *
 * @param given - Plugin modules for all files.
 * @throws {InvalidParameter} with a line for every mistake: the file, the place in it, what is wrong.
 */
export async function readAll(
  paths: readonly string[],
  given: readonly LoadedPlugins[] = [],
): Promise<readonly ReadExperiment[]> {
  const mistakes: string[] = [];
  const read: ReadExperiment[] = [];
  for (const path of paths) {
    let content: unknown;
    let registry: Registry | undefined;
    try {
      const text = textOf(path);
      content = contentIn(text, path);
      const loaded = [...given, ...(await pluginsIn(content, text, path))];
      registry = withPlugins(shipped, loaded);
      const experiment = parseOrThrow(experimentSchema, content, path);
      checkExperiment(experiment, path, registry);
      read.push({ path, experiment, registry, loaded });
    } catch (error) {
      if (!(error instanceof LetheError)) throw error;
      mistakes.push(...linesOf(error, path));
      if (registry !== undefined && isOfForm(error)) {
        mistakes.push(...mistakesInParts(content, registry).map((mistake) => `${path}: ${mistake}`));
      }
    }
  }
  if (mistakes.length > 0) throw new InvalidParameter([...new Set(mistakes)].join('\n'), { mistakes });
  return read;
}

interface Issue {
  readonly path: readonly string[];
  readonly message: string;
}

/** Whether an error is about the schema, so that the content was read. */
const isOfForm = ({ details }: LetheError): boolean => Array.isArray(details['issues']);

function linesOf(error: LetheError, path: string): readonly string[] {
  if (!isOfForm(error)) return [error.message];
  return (error.details['issues'] as readonly Issue[]).map(
    ({ path: place, message }) =>
      `${path}: ` +
      `${place.length === 0 ? 'the file' : place.join('.')}${place.length === 0 ? ' ' : ': '}${message}`,
  );
}
