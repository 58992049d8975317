import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder, settleFolder } from './folder.js';

/** Options of {@link writeWhole}. */
export interface WriteWholeOptions {
  /** Permissions of the file. @defaultValue 0o644 */
  readonly mode?: number;
}

/**
 * Writes a file atomically, also in a power failure, and makes its folder. Concurrent readers see the
 * previous content.
 */
export function writeWhole(
  path: string,
  content: string | Uint8Array,
  { mode = 0o644 }: WriteWholeOptions = {},
): void {
  makeFolder(dirname(path));
  const next = `${path}.next`;
  try {
    const file = openSync(next, 'w', mode);
    try {
      writeFileSync(file, content);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(next, path);
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  }
  settleFolder(dirname(path));
}
