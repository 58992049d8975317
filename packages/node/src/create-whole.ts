import { randomBytes } from 'node:crypto';
import { linkSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { settleFolder } from './folder.js';

/**
 * Writes a file where there is none, whole or not at all, also after a power failure: of several processes that do, one
 * succeeds, and nobody finds it empty. Its folder is there.
 *
 * @param mode - Permissions of the file, less the process's umask.
 * @returns whether this call made the file; what was there stays as it is.
 */
export function createWhole(path: string, content: string | Uint8Array, { mode = 0o644 }: { readonly mode?: number } = {}): boolean {
  if (!isCreated(path, content, mode)) return false;
  settleFolder(dirname(path));
  return true;
}

/** The same, but the new name may be lost in a power failure. */
export function isCreated(path: string, content: string | Uint8Array, mode = 0o644): boolean {
  const next = `${path}.${randomBytes(8).toString('hex')}.new`;
  writeFileSync(next, content, { mode, flush: true, flag: 'wx' });
  try {
    linkSync(next, path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(code ?? '')) throw error;
  } finally { rmSync(next, { force: true }); }
  // A file system without hard links: whoever is killed within this call leaves an incomplete file.
  try {
    writeFileSync(path, content, { mode, flag: 'wx', flush: true });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
