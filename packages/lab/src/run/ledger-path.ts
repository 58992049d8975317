import { createHash, createHmac, randomBytes } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  createReadStream,
  existsSync,
  readFileSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { Corrupt } from '@lethe/core';
import { createWhole, makeFolder } from '@lethe/node';
import * as z from 'zod';
import type { Release } from '../experiment/schema.js';

/** Source of records, as far as it identifies their ledger. */
export interface Source {
  /** Bytes of the file, or the specification of generated data. */
  bytes(): Uint8Array;
  /** Their SHA-256, in hexadecimal digits. */
  readonly sha256: string;
  /** The file; absent for generated data. */
  readonly file?: { readonly path: string; readonly digest: Uint8Array };
}

/** Data that are known by a text. */
export function sourceOf(text: string): Source {
  const bytes = new TextEncoder().encode(text);
  return { bytes: () => bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/**
 * A file of records with this digest. It is read piece by piece, since it may be larger than memory.
 *
 * @param assertUnchanged - Throws where the file is not the one of which the records were read.
 */
export async function sourceOfFile(
  path: string,
  digest: Uint8Array,
  assertUnchanged: () => void,
): Promise<Source> {
  const hash = createHash('sha256');
  for await (const bytes of createReadStream(path, { highWaterMark: 2 ** 20 })) hash.update(bytes as Buffer);
  assertUnchanged();
  return {
    bytes() {
      const bytes = readFileSync(path);
      assertUnchanged();
      return bytes;
    },
    sha256: hash.digest('hex'),
    file: { path: realpathSync(path), digest },
  };
}

/** The ledger of a release's data. */
export interface LedgerPlace {
  readonly path: string;
  /** Known ledgers of the same records whose files are missing. */
  readonly lost: readonly string[];
  /** Warnings to show before anything is spent. */
  readonly warnings: readonly string[];
  /** Records where the ledger is, to detect a second ledger of the same data. */
  remember(): void;
}

/**
 * Where the ledger of a release's data is. It stays with the data's owner, never in the results: by default
 * in `LETHE_HOME`, or `.lethe` in the home folder, under a digest of the records that is keyed by a secret of
 * that folder. So every experiment, folder, order, design, loss and way to write down the same records finds
 * the same ledger, and who sees the names of the ledgers cannot check a guess of the records. Ledgers of
 * generated data, and those begun by versions that named them after the file's bytes, have the SHA-256 of
 * these.
 */
export function ledgerPlace(
  { ledger }: Pick<Release, 'ledger'>,
  folder: string,
  { sha256, file }: Source,
): LedgerPlace {
  const own = ledger === undefined ? undefined : resolve(folder, ledger);
  const home = ledgerHome();
  const byBytes = join(home, `${sha256.slice(0, 32)}.ledger`);
  if (file === undefined) return { path: own ?? byBytes, lost: [], warnings: [], remember: () => undefined };
  try {
    return placeOf(file, home, { own, byBytes });
  } catch (error) {
    // A ledger in another folder does not need this one.
    if (own === undefined || error instanceof Corrupt) throw error;
    return {
      path: own,
      lost: [],
      warnings: [
        `${home} cannot be used (${(error as Error).message}), ` +
          'so nobody looks whether these records have another ledger',
      ],
      remember: () => undefined,
    };
  }
}

/** The folder of ledgers: `LETHE_HOME`, or `.lethe` in the home folder. */
export const ledgerHome = (): string => process.env['LETHE_HOME'] ?? join(homedir(), '.lethe');

const indexOf = (home: string): string => join(home, 'ledgers.jsonl');

/** Ledgers that the list in the folder of ledgers names for a file of records. */
export const ledgersOf = (data: string): readonly string[] => [
  ...new Set(
    readIndex(indexOf(ledgerHome()))
      .filter((entry) => entry.data === data)
      .map(({ ledger }) => ledger),
  ),
];

/** Files whose records a ledger covers, from the list beside it or in the folder of ledgers. */
export function filesOf(ledger: string): readonly string[] {
  const homes = new Set([dirname(resolve(ledger)), resolve(ledgerHome())]);
  return [
    ...new Set(
      [...homes]
        .flatMap((home) => readIndex(indexOf(home)))
        .filter((entry) => resolve(entry.ledger) === resolve(ledger))
        .map(({ data }) => data),
    ),
  ];
}

function placeOf(
  { path: data, digest }: NonNullable<Source['file']>,
  home: string,
  { own, byBytes }: { readonly own: string | undefined; readonly byBytes: string },
): LedgerPlace {
  makeFolder(home, 0o700);
  const warnings = closeFolder(home);
  const index = indexOf(home);
  const records = createHmac('sha256', secretOf(home)).update(digest).digest('hex').slice(0, 32);
  const begun = readIndex(index);
  const known = begun.filter(({ ledger }) => existsSync(ledger));
  const same = known.filter((entry) => entry.records === records).map(({ ledger }) => ledger);
  const byRecords = join(home, `${records}.ledger`);
  const path =
    own ??
    [byRecords, byBytes, ...same.filter((ledger) => resolve(ledger, '..') === resolve(home))].find((each) =>
      existsSync(each),
    ) ??
    byRecords;
  if (!existsSync(path) || statSync(path).size === 0) {
    const ofFile = known.filter((entry) => entry.data === data).map(({ ledger }) => ledger);
    const ofRecords = [byRecords, byBytes, ...same].filter((each) => existsSync(each));
    const others = [...new Set([...ofRecords, ...ofFile])].filter((ledger) => ledger !== path);
    if (others.length > 0) {
      const what = others.some((ledger) => ofRecords.includes(ledger))
        ? 'the same records'
        : `the file ${data}`;
      const shown = others.slice(0, mostNamed);
      const more = others.length - shown.length;
      warnings.push(
        `a new ledger is begun at ${path}, although ` +
          `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''} already ` +
          `${others.length === 1 ? 'holds' : 'hold'} what was spent on ${what}. ` +
          'None knows of the others, and a limit of one does not hold for all: ' +
          'go on with an old one (ledger: in the experiment) unless these are other records.',
      );
    }
  }
  const entry = { records, data, ledger: path };
  const lost = [
    ...new Set(
      begun
        .filter((each) => each.records === records && !existsSync(each.ledger))
        .map(({ ledger }) => ledger),
    ),
  ];
  return {
    path,
    lost,
    warnings,
    remember() {
      if (!begun.some((each) => JSON.stringify(each) === JSON.stringify(entry)))
        appendFileSync(index, `${JSON.stringify(entry)}\n`, { mode: 0o600, flush: true });
    },
  };
}

/** Largest number of older ledgers in a warning. */
const mostNamed = 3;

/** The folder is the owner's alone. One that somebody else chose is left as it is. */
function closeFolder(home: string): string[] {
  if (process.platform === 'win32' || (statSync(home).mode & 0o077) === 0) return [];
  if (process.env['LETHE_HOME'] === undefined) {
    chmodSync(home, 0o700);
    return [];
  }
  return [
    `others may look into ${home}, where the ledgers and the secret of their names are; chmod 700 closes it`,
  ];
}

const secretSize = 32;

/** The key of ledger names, created on first use. Ledgers cannot be found without it. */
function secretOf(home: string): Uint8Array {
  const path = join(home, 'secret');
  if (!existsSync(path)) createWhole(path, randomBytes(secretSize), { mode: 0o600 });
  const secret = readFileSync(path);
  if (secret.length !== secretSize)
    throw new Corrupt(
      `${path} has ${secret.length} bytes; it has ${secretSize}, ` +
        "and the ledgers' names depend on them. Restore it from a copy.",
      { path, length: secret.length },
    );
  return secret;
}

const entrySchema = z.object({ records: z.string(), data: z.string(), ledger: z.string() });

/** List of ledgers with their records and files. Truncated lines are skipped. */
function readIndex(path: string): readonly z.output<typeof entrySchema>[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        return [entrySchema.parse(JSON.parse(line))];
      } catch {
        return [];
      }
    });
}
