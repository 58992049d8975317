import { parseClaims, type ClaimCheck, type ClaimsLedger } from '@lethe/laws';
import { InvalidParameter } from '@lethe/core';
import { readText } from '../experiment/read.js';
import { importFile } from '../laws/import-file.js';

/** A paper's claims with the checks that decide them. */
export interface Paper { readonly ledger: ClaimsLedger; readonly checks: readonly ClaimCheck[] }

/** The papers whose ledgers ship with Lethe. None is complete yet; each comes with its paper's algorithms. */
export const papers: readonly Paper[] = [];

const isCheck = (value: unknown): value is ClaimCheck => typeof value === 'object' && value !== null && 'run' in value && 'id' in value && 'tier' in value && typeof value.run === 'function';

/**
 * Reads ledgers, and the checks that files of code export.
 *
 * @throws {InvalidParameter} for a file that is not a ledger, a file of code without checks, or a check of none of these papers.
 */
export async function loadPapers(ledgers: readonly string[], code: readonly string[]): Promise<readonly Paper[]> {
  const checks = (await Promise.all(code.map(async (path) => {
    const found = (await importFile(path)).filter(isCheck);
    if (found.length === 0) throw new InvalidParameter(`${path} exports no check; export what defineClaimCheck returns`, { path });
    return found;
  }))).flat();
  const read = ledgers.map((path) => parseClaims(readText(path)));
  const stray = checks.find(({ id }) => !read.some(({ paper }) => id.startsWith(`${paper}/`)));
  if (stray !== undefined) throw new InvalidParameter(`the check '${stray.id}' belongs to none of the ledgers ${read.map(({ paper }) => paper).join(', ')}; its id must begin with the paper's key and a slash`, { check: stray.id });
  return read.map((ledger) => ({ ledger, checks: checks.filter(({ id }) => id.startsWith(`${ledger.paper}/`)) }));
}
