import { extname } from 'node:path';
import { parseOrThrow } from '@lethe/core';
import { parseJson } from './json-text.js';
import { readText } from './read-text.js';
import { experimentSchema, type Experiment } from './schema.js';
import { parseYaml } from './yaml-text.js';

/** Size limit in bytes; an experiment has a few thousand. */
const largestExperiment = 200_000;

/**
 * Reads an experiment file, JSON or YAML by its extension.
 *
 * @throws {InvalidParameter} naming the path in the file where it does not fit; nothing has run by then.
 */
export const readExperiment = (path: string): Experiment =>
  parseOrThrow(experimentSchema, contentIn(textOf(path), path), path);

/** The text of an experiment file. @throws {InvalidParameter} when it cannot be read. */
export const textOf = (path: string): string => readText(path, largestExperiment);

/** What stands in the text of an experiment file. @throws {InvalidParameter} when it is not well-formed. */
export function contentIn(text: string, path: string): unknown {
  return /^\.ya?ml$/u.test(extname(path).toLowerCase()) ? parseYaml(text, path) : parseJson(text, path);
}
