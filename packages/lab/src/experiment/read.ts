import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { InvalidParameter, parseOrThrow } from '@lethe/core';
import { parseJson } from './json-text.js';
import { experimentSchema, type Experiment } from './schema.js';
import { parseYaml } from './yaml-text.js';

const largestFile = 10_000_000;
/** An experiment is a page or two. */
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

/** Text of a user's file. @throws {InvalidParameter} when it cannot be read, is not UTF-8, or has more than `most` bytes. */
export function readText(path: string, most = largestFile): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path === '-' ? 0 : path);
  } catch (error) {
    throw new InvalidParameter(
      `${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'}); check the path`,
      { path },
    );
  }
  if (bytes.length > most)
    throw new InvalidParameter(`${path} has ${bytes.length} bytes; at most ${most} are read`, {
      path,
      bytes: bytes.length,
    });
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new InvalidParameter(`${path} is not UTF-8 text; save it as UTF-8`, { path });
  }
}
