import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Release } from '../experiment/schema.js';

/**
 * Where the ledger of a release's data is. It stays with the data's owner, never in the results: by default in `LETHE_HOME`, or
 * `.lethe` in the home folder, under a hash of the source's bytes, so that every experiment, folder, order, design and loss on
 * the same records finds the same ledger.
 */
export function ledgerPath({ ledger }: Release, folder: string, source: Uint8Array): string {
  if (ledger !== undefined) return resolve(folder, ledger);
  const home = process.env['LETHE_HOME'] ?? join(homedir(), '.lethe');
  return join(home, `${createHash('sha256').update(source).digest('hex').slice(0, 32)}.ledger`);
}
