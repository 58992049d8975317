import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { InvalidParameter, parseOrThrow } from '@lethe/core';
import { parse as parseYaml } from 'yaml';
import { experimentSchema, type Experiment } from './schema.js';

const largestFile = 10_000_000;

/**
 * Reads an experiment file, JSON or YAML by its extension.
 *
 * @throws {InvalidParameter} naming the path in the file where it does not fit; nothing has run by then.
 */
export function readExperiment(path: string): Experiment {
  const text = readText(path);
  let content: unknown;
  try {
    content = /^\.ya?ml$/u.test(extname(path).toLowerCase()) ? parseYaml(text, { maxAliasCount: 100 }) : JSON.parse(text);
  } catch (error) {
    throw new InvalidParameter(`${path} is not well-formed: ${(error as Error).message.split('\n')[0]}`, { path });
  }
  return parseOrThrow(experimentSchema, content, path);
}

/** Text of a user's file. @throws {InvalidParameter} when it cannot be read or is absurdly large. */
export function readText(path: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path === '-' ? 0 : path);
  } catch (error) {
    throw new InvalidParameter(`${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'}); check the path`, { path });
  }
  if (bytes.length > largestFile) throw new InvalidParameter(`${path} has ${bytes.length} bytes; at most ${largestFile} are read`, { path, bytes: bytes.length });
  return bytes.toString('utf8');
}
