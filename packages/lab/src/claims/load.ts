import { createRequire } from 'node:module';
import { papers } from '@lethe/algorithms';
import { parseClaims, type ClaimCheck, type ClaimsLedger } from '@lethe/laws';
import { Corrupt, InvalidParameter } from '@lethe/core';
import { readText } from '../experiment/read-text.js';
import { importFile } from '../laws/import-file.js';
import { sharePackages } from '../plugins/share-packages.js';

/** A paper's claims with the checks that decide them. */
export interface Paper {
  /** What `--paper` takes: the name of the paper's folder, then its keys. */
  readonly names: readonly string[];
  readonly ledger: ClaimsLedger;
  readonly checks: readonly ClaimCheck[];
}

/** Location of a paper's ledger, and a loader of its checks. */
export interface PaperSource {
  readonly id: string;
  readonly keys: readonly string[];
  readonly claims: string;
  readonly checks: () => readonly ClaimCheck[] | Promise<readonly ClaimCheck[]>;
}

/**
 * The papers that ship, with their checks.
 *
 * @throws {Corrupt} when a ledger is missing from the installation.
 * @throws {InvalidParameter} when it is no ledger.
 */
export async function shippedPapers(sources?: readonly PaperSource[]): Promise<readonly Paper[]> {
  // Checks are much code and are loaded on demand.
  const all = sources ?? papers.map((paper): PaperSource => ({ ...paper, checks: () => checksOf(paper.id) }));
  const { resolve } = createRequire(import.meta.url);
  const pathOf = (ledger: string): string => {
    try {
      return resolve(ledger);
    } catch (cause) {
      throw new Corrupt(
        `the ledger ${ledger} is missing from this installation; install it again`,
        { ledger },
        { cause },
      );
    }
  };
  return Promise.all(
    all.map(async ({ id, keys, claims, checks }): Promise<Paper> => ({
      names: [id, ...keys],
      ledger: parseClaims(readText(pathOf(claims))),
      checks: await checks(),
    })),
  );
}

/** Loads the checks of one paper. */
const checksOf = async (id: string): Promise<readonly ClaimCheck[]> => {
  sharePackages();
  const made = (await import(/* @vite-ignore */ `@lethe/claims/${id}`)) as {
    checks(): readonly ClaimCheck[];
  };
  return made.checks();
};

const isCheck = (value: unknown): value is ClaimCheck =>
  typeof value === 'object' &&
  value !== null &&
  'run' in value &&
  'id' in value &&
  'tier' in value &&
  typeof value.run === 'function';

/**
 * Reads ledgers, and the checks that files of code export.
 *
 * @throws {InvalidParameter} for a file that is not a ledger, a file of code without checks, or a check of
 *   none of these papers.
 */
export async function loadPapers(
  ledgers: readonly string[],
  code: readonly string[],
): Promise<readonly Paper[]> {
  const checks = (
    await Promise.all(
      code.map(async (path) => {
        const found = (await importFile(path)).filter(isCheck);
        if (found.length === 0)
          throw new InvalidParameter(`${path} exports no check; export what defineClaimCheck returns`, {
            path,
          });
        return found;
      }),
    )
  ).flat();
  const read = ledgers.map((path) => parseClaims(readText(path)));
  const stray = checks.find(({ id }) => !read.some(({ paper }) => id.startsWith(`${paper}/`)));
  if (stray !== undefined)
    throw new InvalidParameter(
      `the check '${stray.id}' belongs to none of the ledgers ` +
        `${read.map(({ paper }) => paper).join(', ')}; its id must begin with the paper's key and a slash`,
      { check: stray.id },
    );
  return read.map((ledger) => ({
    names: [ledger.paper],
    ledger,
    checks: checks.filter(({ id }) => id.startsWith(`${ledger.paper}/`)),
  }));
}
