import { randomBytes } from 'node:crypto';
import { linkSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { settleFolder } from './folder.js';

/**
 * Creates a file atomically, also in a power failure. Of several processes one succeeds, and no reader sees
 * an incomplete file. The folder must exist.
 *
 * @param mode - Permissions of the file, minus the process's umask.
 * @returns whether this call created the file; an existing file is not changed.
 */
export function createWhole(
  path: string,
  content: string | Uint8Array,
  { mode = 0o644 }: { readonly mode?: number } = {},
): boolean {
  if (!isCreated(path, content, mode)) return false;
  settleFolder(dirname(path));
  return true;
}

/** Like {@link createWhole}, but a power failure may lose the new name. */
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
  } finally {
    rmSync(next, { force: true });
  }
  // A file system without hard links: a process killed in this call leaves an incomplete file.
  try {
    writeFileSync(path, content, { mode, flag: 'wx', flush: true });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
