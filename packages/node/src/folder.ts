import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Makes a folder with all folders above it; each name is on disk when it returns.
 *
 * @param mode - Permissions of the folders that are made, less the process's umask.
 */
export function makeFolder(path: string, mode = 0o777): void {
  const made = mkdirSync(resolve(path), { recursive: true, mode });
  if (made === undefined) return;
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    settleFolder(dirname(folder));
    if (folder === made || folder === dirname(folder)) return;
  }
}

/** A new name survives a power failure only when its folder is on disk too. Windows has no such call, and needs none. */
export function settleFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try { fsyncSync(handle); } finally { closeSync(handle); }
}
