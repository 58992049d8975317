import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  InvalidParameter,
  LetheError,
  memoryStore,
  secureRandom,
  type EventKind,
  type Store,
} from '@lethe/core';
import type { Ledger } from '@lethe/curator';
import { toldBySiloLog } from '@lethe/federation';
import { fileStore } from '@lethe/node';
import { trainingOf } from '@lethe/train';
import { accountOf, type LedgerAccount } from '../run/ledger-account.js';
import { filesOf, ledgerHome, ledgersOf } from '../run/ledger-path.js';
import { openKept, readLedger } from '../run/read-ledger.js';
import { toldByTranscript } from '../run/told-by-transcript.js';
import { holdsText } from '../run/total-statement.js';
import { boundsText } from '../report/bounds-text.js';
import { deltaText, nounFor, roundOutward } from '../report/format.js';
import { sharesText } from '../run/refused-by-limit.js';
import { accountingGiven, toJson } from './accounting.js';
import type { Action, Parsed } from './command.js';
import { isRecordsFile } from './records-file.js';

type Told = { readonly ledger: string; readonly files: readonly string[] } & (
  | LedgerAccount
  | { readonly error: string }
);

const digits = 4;

export const printLedgers: Action = async (parsed, { out, error }) => {
  const [given] = parsed.positionals;
  const delta = parsed.number('delta') ?? 1e-6;
  if (!(delta >= 0 && delta < 1))
    throw new InvalidParameter(`--delta is ${delta}; it must be at least 0 and below 1`, { delta });
  const { kinds } = await accountingGiven(parsed);
  const run = parsed.string('end');
  const nothing = run === undefined ? nothingSpent(given) : null;
  if (nothing !== null) {
    out(parsed.flag('json') ? '[]\n' : `${nothing}\n`);
    return 0;
  }
  if (run !== undefined) endRun(ledgersIn(given ?? ledgerHome()), run, { kinds, parsed, error });
  const told = ledgersIn(given ?? ledgerHome()).map((path) => toldOf(path, { delta, kinds }));
  out(parsed.flag('json') ? `${toJson(told, 2)}\n` : told.map(linesOf).join('\n'));
  return told.some((one) => 'error' in one) ? 1 : 0;
};

/**
 * Ends an open run by its owner's word: it answers nothing more, in this process or another. What it set
 * aside is released only by a ledger that is as new as its answers.
 *
 * @throws {InvalidParameter} unless one of the ledgers has the run and it is open; {Unsupported} while
 * another process writes the ledger.
 */
function endRun(
  ledgers: readonly string[],
  run: string,
  {
    kinds,
    parsed,
    error,
  }: {
    readonly kinds: readonly EventKind[];
    readonly parsed: Parsed;
    readonly error: (text: string) => void;
  },
): void {
  const partsIn = (ledger: Ledger): readonly string[] =>
    ledger.runs().filter((one) => trainingOf(one) === trainingOf(run));
  const having = ledgers.filter((path) => partsIn(readLedger(readFileSync(path), kinds)).length > 0);
  if (having.length !== 1)
    throw new InvalidParameter(
      having.length === 0
        ? `no ledger of ${ledgers.join(', ')} has a run '${run}'; lethe ledger lists the runs`
        : `${having.length} ledgers have a run '${run}'; give the file of one: ${having.join(', ')}`,
      { run },
    );
  const store = fileStore(having[0], { mode: 0o600 });
  try {
    const ledger = openKept(() => store, kinds);
    // Of a training, the part that was begun last is the one that may be open.
    const part = partsIn(ledger).at(-1) ?? run;
    if (ledger.standing(part).ended)
      throw new InvalidParameter(`run '${run}' has ended already; nothing of it is set aside`, { run });
    const had = ledger.standing(part).reserved !== null;
    const isOlder = had && isOlderThanAnswers(ledger, part, parsed);
    ledger.endRun(part, { keepReserved: isOlder });
    const isKept = ledger.standing(part).reserved !== null;
    error(`Ended run '${run}': ${isOlder ? oldText : endText(had, isKept)}\n`);
  } finally {
    store.close();
  }
}

/**
 * Whether a ledger may lack answers of a run: it holds fewer queries than were told, or so many more that
 * what tells it is a copy itself. A crash leaves one query that was charged and not told.
 *
 * @throws {InvalidParameter} where nothing tells it.
 */
function isOlderThanAnswers(ledger: Ledger, run: string, parsed: Parsed): boolean {
  if (parsed.flag('never-restored')) return false;
  const siloLog = parsed.string('silo-log');
  const transcript = parsed.string('transcript');
  const given = siloLog ?? transcript;
  if (given === undefined)
    throw new InvalidParameter(
      `run '${run}' has set something aside, and a ledger that came back from a backup would release what ` +
        'it has answered since: give --silo-log or --transcript to compare with, or --never-restored if ' +
        'this ledger never was a copy. Without any of them leave the run open; nothing is lost by it.',
      { run },
    );
  const { random, entries } = ledger.openRun(run, secureRandom());
  const told =
    siloLog === undefined
      ? toldByTranscript(bytesOf(given), random.fork('transcript').key().slice(0, 16))
      : toldBySiloLog(bytesOf(given));
  if (told?.run !== run)
    throw new InvalidParameter(
      `${given} is of ${told === null ? 'no run' : `run '${told.run}'`}; give that of run '${run}'`,
      { run },
    );
  return entries.length !== told.answered && entries.length !== told.answered + 1;
}

/** A copy of a file's bytes. @throws {InvalidParameter} where there is none. */
function bytesOf(path: string): Store {
  if (!existsSync(path)) throw new InvalidParameter(`there is no file ${path}`, { path });
  return memoryStore(new Uint8Array(readFileSync(path)));
}

const oldText =
  'the ledger and what was told of the run are of different ages, one of them is a copy; so what it set ' +
  'aside stays taken.';
function endText(had: boolean, has: boolean): string {
  if (has)
    return 'what it set aside stays taken, because what it has answered cannot be told apart from the rest.';
  return had
    ? 'what it set aside and did not answer is released; what it answered stays charged.'
    : 'it had nothing set aside; what it answered stays charged.';
}

/** What is said where nothing was spent, at all or on a file of records; `null` where there is a ledger. */
function nothingSpent(given: string | undefined): string | null {
  if (given === undefined) {
    const home = ledgerHome();
    const isEmpty = !existsSync(home) || readdirSync(home).every((name) => !name.endsWith('.ledger'));
    return isEmpty
      ? `Nothing was spent so far: no run has charged any records. Ledgers will be kept in ${home}.`
      : null;
  }
  const isOfRecords = isRecordsFile(given) || /\.json$/iu.test(given);
  if (!isOfRecords || !existsSync(given) || !statSync(given).isFile()) return null;
  return ledgersOf(realpathSync(given)).some((ledger) => existsSync(ledger))
    ? null
    : `${given}: nothing was spent, unless the file had another name or place; lethe ledger lists all.`;
}

/** @throws {InvalidParameter} where there is no ledger. */
function ledgersIn(path: string): readonly string[] {
  if (!existsSync(path))
    throw new InvalidParameter(
      `there is no ledger at ${path}; give the file of one, a folder with ledgers, or a file of records`,
      { path },
    );
  if (!statSync(path).isDirectory()) {
    const ofRecords = ledgersOf(realpathSync(path)).filter((ledger) => existsSync(ledger));
    if (ofRecords.length > 0) return ofRecords;
    if (!isLedger(path))
      throw new InvalidParameter(
        `${path} is not a ledger, and there is none of records at this path; lethe ledger lists all`,
        { path },
      );
    return [resolve(path)];
  }
  const found = readdirSync(path)
    .filter((name) => name.endsWith('.ledger'))
    .toSorted()
    .map((name) => resolve(join(path, name)));
  if (found.length === 0)
    throw new InvalidParameter(
      `the folder ${path} has no ledgers, whose names end with ` +
        '.ledger; give the file of one, or another folder',
      { path },
    );
  return found;
}

/** Whether a file is a ledger, perhaps a damaged one: by its name or its first bytes. */
const isLedger = (path: string): boolean =>
  path.endsWith('.ledger') || readFileSync(path).subarray(0, 8).toString('latin1') === 'LETHELOG';

function toldOf(
  path: string,
  { delta, kinds }: { readonly delta: number; readonly kinds: readonly EventKind[] },
): Told {
  const about = { ledger: path, files: filesOf(path) };
  try {
    return { ...about, ...accountOf(readLedger(readFileSync(path), kinds), { delta, kinds }) };
  } catch (error) {
    if (!(error instanceof LetheError)) throw error;
    return { ...about, error: error.message };
  }
}

function linesOf(told: Told): string {
  const head = [told.ledger, ...(told.files.length === 0 ? [] : [row('records', told.files.join(', '))])];
  if ('error' in told) return [...head, row('error', told.error), ''].join('\n');
  const { adjacency, delta, spent, holds, limit, runs, unit } = told;
  const condition = holdsText(holds);
  const width = Math.max(0, ...runs.map(({ run }) => run.length));
  return [
    ...head,
    row('adjacency', adjacency),
    ...(unit === 'owner' ? [row('protects', 'all records of any one owner together')] : []),
    row(
      'spent',
      runs.length === 0
        ? 'nothing'
        : `${boundsText(spent)} at delta ${deltaText(delta)} over ` +
            `${runs.length} ${nounFor(runs.length, 'run')}`,
    ),
    ...(condition === '' ? [] : [row('', condition)]),
    row(
      'limit',
      limit === null
        ? 'none'
        : `epsilon ${limit.epsilon} at delta ${deltaText(limit.delta)}; ` +
            (limit.share === null
              ? 'its filter cannot add up what is taken'
              : `${roundOutward(100 * limit.share, 'upper', digits)} % of it is taken; ${sharesText}`),
    ),
    ...(limit === null
      ? []
      : [
          row(
            'left',
            limit.left > 0
              ? 'a release with Gaussian noise of epsilon up to ' +
                  `${roundOutward(limit.left, 'lower', digits)} at delta ${deltaText(limit.delta)}`
              : 'nothing',
          ),
        ]),
    ...runs.map(({ run, ended, spent: own, reserved }, i) =>
      row(
        i === 0 ? 'runs' : '',
        `${run.padEnd(width)}  ${ended ? 'ended' : 'open '}  ` +
          `${boundsText(own)}${reserved === null ? '' : `, has set aside ${boundsText(reserved)}`}`,
      ),
    ),
    ...(runs.length > 1 && spent.upper < runs.reduce((sum, { spent: own }) => sum + own.upper, 0)
      ? [row('', tighter)]
      : []),
    '',
  ].join('\n');
}

/** Why what is spent is less than the sum over the runs. */
const tighter =
  'together they cost less than the sum of their epsilons, since the worst cases of several runs seldom ' +
  'fall together';

const row = (name: string, text: string): string => `  ${name.padEnd(10)} ${text}`;
