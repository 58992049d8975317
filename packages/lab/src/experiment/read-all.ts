import { InvalidParameter, LetheError, parseOrThrow, type Registry } from '@lethe/core';
import { checkExperiment, mistakesInParts } from './check.js';
import { contentOf } from './read.js';
import { experimentSchema, type Experiment } from './schema.js';

/** An experiment and the file it is from. */
export interface ReadExperiment { readonly path: string; readonly experiment: Experiment }

/**
 * Reads and checks experiment files, all of them before any runs. The mistakes of all files are told together; in a file whose form is wrong
 * somewhere, also those of the problems and optimizers that have the right form.
 *
 * @throws {InvalidParameter} with a line for every mistake: the file, the place in it, what is wrong.
 */
export function readAll(paths: readonly string[], registry: Registry): readonly ReadExperiment[] {
  const mistakes: string[] = [];
  const read = paths.flatMap((path): ReadExperiment[] => {
    let content: unknown;
    try {
      content = contentOf(path);
      const experiment = parseOrThrow(experimentSchema, content, path);
      checkExperiment(experiment, path, registry);
      return [{ path, experiment }];
    } catch (error) {
      if (!(error instanceof LetheError)) throw error;
      mistakes.push(...linesOf(error, path), ...(isOfForm(error) ? mistakesInParts(content, registry).map((mistake) => `${path}: ${mistake}`) : []));
      return [];
    }
  });
  if (mistakes.length > 0) throw new InvalidParameter([...new Set(mistakes)].join('\n'), { mistakes });
  return read;
}

interface Issue { readonly path: readonly string[]; readonly message: string }

/** Whether an error is about the form of a file: then its content was read. */
const isOfForm = ({ details }: LetheError): boolean => Array.isArray(details['issues']);

function linesOf(error: LetheError, path: string): readonly string[] {
  if (!isOfForm(error)) return [error.message];
  return (error.details['issues'] as readonly Issue[]).map(({ path: place, message }) => `${path}: ${place.length === 0 ? 'the file' : place.join('.')}${place.length === 0 ? ' ' : ': '}${message}`);
}
