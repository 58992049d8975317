import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { InvalidParameter } from '@lethe/core';
import { sharePackages } from '../plugins/share-packages.js';

/**
 * Imports a user's file and returns its exported values, lists flattened, without duplicates.
 *
 * @param called - Name of the file, for messages.
 * @throws {InvalidParameter} when it is not there or does not run.
 */
export async function importFile(path: string, called: string = path): Promise<readonly unknown[]> {
  const file = resolve(path);
  if (!existsSync(file)) throw new InvalidParameter(`${called} cannot be read; check the path`, { path });
  sharePackages();
  let exported: readonly unknown[];
  try {
    exported = Object.values((await import(pathToFileURL(file).href)) as object);
  } catch (error) {
    const [reason] = (error as Error).message.split('\n');
    const hint = /\.[cm]?tsx?$/u.test(path)
      ? '. Compile it first, or use a version of Node that runs TypeScript.'
      : '';
    throw new InvalidParameter(`${called} does not run: ${reason}${hint}`, { path }, { cause: error });
  }
  return [
    ...new Set(exported.flatMap((value) => (Array.isArray(value) ? (value as readonly unknown[]) : [value]))),
  ];
}
