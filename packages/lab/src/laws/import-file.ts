import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { InvalidParameter } from '@lethe/core';

/**
 * Runs a user's file and gives what it exports, lists taken apart, each value once.
 *
 * @throws {InvalidParameter} when it is not there or does not run.
 */
export async function importFile(path: string): Promise<readonly unknown[]> {
  const file = resolve(path);
  if (!existsSync(file)) throw new InvalidParameter(`${path} cannot be read; check the path`, { path });
  let exported: readonly unknown[];
  try {
    exported = Object.values(await import(pathToFileURL(file).href) as object);
  } catch (error) {
    const { message } = error as Error;
    throw new InvalidParameter(`${path} does not run: ${message.split('\n')[0]}${/\.[cm]?tsx?$/u.test(path) ? '. Compile it first, or use a version of Node that runs TypeScript.' : ''}`, { path }, { cause: error });
  }
  return [...new Set(exported.flatMap((value) => (Array.isArray(value) ? value as readonly unknown[] : [value])))];
}
