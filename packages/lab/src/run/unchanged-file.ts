import { statSync } from 'node:fs';
import { Corrupt } from '@lethe/core';

/**
 * Watches a file that is read more than once: its records, and what a ledger recognises them by.
 *
 * @returns a check that throws {@link Corrupt} where the file was written to or replaced since.
 */
export function unchangedFile(path: string): () => void {
  const before = markOf(path);
  return () => {
    if (markOf(path) !== before)
      throw new Corrupt(
        `${path} was changed while it was read; nothing was spent. Run the command again when nobody ` +
          'writes to it.',
        { path },
      );
  };
}

function markOf(path: string): string {
  // Who writes to a file can set the time of its content back, and not that of its change.
  const { dev, ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
  return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
}
