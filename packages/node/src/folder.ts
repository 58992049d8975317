import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Makes a folder and its parents; all names are on disk when it returns.
 *
 * @param mode - Permissions of new folders, minus the process's umask.
 */
export function makeFolder(path: string, mode = 0o777): void {
  const made = mkdirSync(resolve(path), { recursive: true, mode });
  if (made === undefined) return;
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    settleFolder(dirname(folder));
    if (folder === made || folder === dirname(folder)) return;
  }
}

/**
 * Syncs a folder, so that new names in it survive a power failure. Windows has no such call and needs none.
 */
export function settleFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
