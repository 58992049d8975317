import { existsSync, readFileSync } from 'node:fs';
import { bestOf } from '@lethe/accountants';
import {
  BudgetExceeded,
  eventKindsOf,
  InvalidData,
  LetheError,
  memoryStore,
  parseOrThrow,
  secureRandom,
  type Adjacency,
  type Store,
  type PrivacyEvent,
  type Registry,
} from '@lethe/core';
import { attachData, openLedger, type DataSet, type Ledger } from '@lethe/curator';
import { heldAddendSilo, heldRawSilo, siloCurator } from '@lethe/curator/federation';
import {
  isAggregatorTrusted,
  isSecure,
  refusal,
  type FederatedPlan,
  type OpenedRun,
  type SiloOptions,
} from '@lethe/federation';
import { ownersIn, recordAt } from '@lethe/losses';
import { readTable } from '@lethe/losses/node';
import { fileStore, type FileStore } from '@lethe/node';
import { publicOrder } from '@lethe/train';
import type { Release, SampledSpec } from '../experiment/schema.js';
import { ownerOf } from '../experiment/owner-of.js';
import { foreignReading, unsafeReading } from '../experiment/private-reading.js';
import { accountantsIn } from '../plugins/accountants-in.js';
import type { FileForm } from '../model/file-form.js';
import { headerOf } from '../model/header.js';
import { deltaText } from '../report/format.js';
import { attachRecognised } from '../run/attach-recognised.js';
import { matrixOf, precisionIn } from '../run/layout.js';
import { accountOf, type LedgerAccount } from '../run/ledger-account.js';
import { ledgerPlace } from '../run/ledger-path.js';
import { loadRecords } from '../run/load.js';
import { publicProblem } from '../run/problem.js';
import { readLedger } from '../run/read-ledger.js';
import { refusedBy } from '../run/refused-by-limit.js';
import { siloProblem } from './federation-schema.js';
import { publicShape } from './public-shape.js';

/** Whose records a silo holds, and on what terms. */
export interface SiloTerms {
  readonly table: SiloTable;
  readonly adjacency: Adjacency;
  /** The most that all runs on the records may cost; `undefined`: as its ledger says, or none. */
  readonly limit: { readonly epsilon: number; readonly delta: number } | undefined;
  /** The ledger's file. @defaultValue that of the records, in the folder of ledgers */
  readonly ledger: string | undefined;
  readonly registry: Registry;
  readonly warn: (text: string) => void;
}

/** Where a silo's records are, and what is public of them. */
export interface SiloTable {
  readonly file: string;
  readonly form: FileForm;
  /** The column of owners, where all that one owner has is protected, and how its identifiers are read. */
  readonly owner: { readonly column: string; readonly ids: 'text' | 'number' } | undefined;
  /** Records, or owners of records. */
  readonly slots: number;
  /** Columns of the file; `null` where each record names its own. */
  readonly names: ReadonlySet<string> | null;
}

/**
 * Reads what is public of a table: its form, and the number of its records, or of the owners of records in a
 * column. What is wrong with its form is found here, before a plan is heard, so that no plan can ask for it.
 *
 * @throws {InvalidData} for a file without that form or without the column, and records without an owner.
 */
export async function siloTable({
  file,
  form: given,
  owner,
}: Pick<SiloTable, 'file' | 'form'> & { readonly owner: string | undefined }): Promise<SiloTable> {
  headerOf(file, given);
  const form = { ...given, unreadable: 'null' } as const;
  const table = await readTable(file, form);
  // In JSON the first record would tell.
  const names = /\.(json|jsonl|ndjson)$/iu.test(file) ? null : new Set(table.names);
  const own = { file, form: given, names };
  // Other names are not quoted: the first line of a wrong file may be a record.
  if (owner !== undefined && names?.has(owner) === false)
    throw new InvalidData(
      `--owner is '${owner}', and ${file} has no column of that name; give it as the header of the file ` +
        'writes it, letter by letter, and --delimiter where its fields are not separated by a comma',
      { column: owner },
    );
  if (owner === undefined) return { ...own, owner, slots: table.rows };
  const read = (ids: 'text' | 'number') => readTable(file, { ...form, columns: { [owner]: ids } });
  // A file of texts has texts only; where identifiers are numbers in the file itself, they are read as such.
  const texts = await read('text');
  const [ids, found] =
    texts.unreadable?.length === texts.rows
      ? (['number', await read('number')] as const)
      : (['text', texts] as const);
  const [nobody] = found.unreadable ?? [];
  if (nobody !== undefined)
    throw new InvalidData(
      `${recordAt(found, nobody)} has no '${owner}' that can be read, so nobody knows whose it is; give it`,
      { row: nobody + 1, column: owner },
    );
  return { ...own, owner: { column: owner, ids }, slots: ownersIn(found, { column: owner }, 0).slots };
}

/**
 * How the silos of a plan read their records, checked by the silo: by the plan alone, without a look at any.
 *
 * @throws a refusal.
 */
export function problemOf({ data, agreement, unit, cap }: FederatedPlan): SampledSpec {
  const spec = byPlanAlone(() => parseOrThrow(siloProblem, withoutFile(data), 'how the plan reads records'));
  const owner = ownerOf(spec);
  if ((owner === undefined) !== (unit === 'record') || owner?.most !== cap)
    throw refusal(
      'wrong-unit',
      `the plan says that it protects one ${unit}, and reads records otherwise`,
      {},
    );
  const { adjacency } = agreement.plan.problem;
  const unsafe =
    'design' in spec.data ? [...foreignReading(spec.data), ...unsafeReading(spec.data, adjacency)] : [];
  if (unsafe.length > 0)
    throw refusal('wrong-optimizer', `the plan reads records in an unsafe way: ${unsafe[0].message}`, {});
  // Types of columns that do not fit their use.
  byPlanAlone(() => publicShape(spec));
  return spec;
}

/** @throws a refusal that says what is wrong with a plan: no record may have been read. */
function byPlanAlone<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof LetheError)) throw error;
    throw refusal('wrong-optimizer', error.message, {}, error);
  }
}

/** The problem of a plan, read from the silo's own file as it is written. @throws a refusal. */
function problemIn(spec: SampledSpec, { file, form, owner, names }: SiloTable): SampledSpec {
  const planned = ownerOf(spec);
  if (planned?.column !== owner?.column)
    throw refusal(
      'wrong-unit',
      `the plan takes '${planned?.column ?? 'nothing'}' for the owners of records, and this silo ` +
        `'${owner?.column ?? 'nothing'}'`,
      {},
    );
  const read = 'design' in spec.data ? spec.data.read : undefined;
  const lacking = Object.keys(read?.columns ?? {}).find((name) => names?.has(name) === false);
  if (lacking !== undefined)
    throw refusal('no-column', `the file of this silo has no column '${lacking}', which the plan reads`, {});
  const data = {
    ...spec.data,
    file,
    read: { ...read, ...form },
    // Which owners there are was counted so.
    ...(planned === undefined || owner === undefined ? {} : { owner: { ...planned, ids: owner.ids } }),
  };
  return { ...spec, data } as SampledSpec;
}

/**
 * Checks that the design of a plan has as many weights as its run, before any record is read by it: a design
 * may have a million columns for each.
 *
 * @throws a refusal.
 */
function assertDimension(
  spec: SampledSpec,
  { agreement }: FederatedPlan,
  { adjacency, registry }: Pick<SiloTerms, 'adjacency' | 'registry'>,
): void {
  const { dimension: planned, slots } = agreement.plan.problem;
  const { dimension } = byPlanAlone(
    () => publicProblem(spec, { registry, adjacency, n: slots[0], ...publicShape(spec) }).problem,
  );
  if (dimension === planned) return;
  throw refusal(
    'wrong-optimizer',
    `the plan reads records for ${dimension} weights, and its run has ${planned}`,
    { dimension, planned },
  );
}

function withoutFile(given: unknown): unknown {
  const { data, ...rest } = (given ?? {}) as { readonly data?: Readonly<Record<string, unknown>> };
  const { file: _, ...own } = data ?? {};
  return { ...rest, data: own };
}

/** The data and the ledger of a silo, opened for one run at a time. */
export interface SiloHouse {
  /** Reads the records as the plan says and opens its run on the ledger. */
  open(run: OpenedRun): ReturnType<SiloOptions['open']>;
  /**
   * Reads the records of a plan, so that `open` need not wait.
   *
   * @returns how many of them cannot be read as the plan reads them, and stand as null records: for the owner
   * of the silo alone.
   * @throws a refusal, for the server, by the plan and the form of the file alone; what else is wrong with
   * the file, for the owner alone.
   */
  prepare(plan: FederatedPlan): Promise<number>;
  /**
   * What the ledger of a prepared plan's records holds before the plan is agreed to; `null` for a new one
   * without a limit, and for one that cannot be opened: `open` says why.
   *
   * @param event - What the plan costs.
   * @param delta - δ for a ledger without a limit.
   */
  standing(event: PrivacyEvent, delta: number): Standing | null;
  /** What all runs on the records have cost; `null` before a run is open. */
  total(): PrivacyEvent | null;
  close(): void;
}

/** The ledger of some records before a run. */
export interface Standing {
  readonly account: LedgerAccount;
  /** Why the limit has no room for the run, for the owner alone; `null` where it has. */
  readonly lacking: string | null;
}

type Read = Awaited<ReturnType<typeof loadRecords>>;

/** Where a silo's records and their ledger are. The ledger is that of all releases of the same records. */
export function siloHouse(terms: SiloTerms): SiloHouse {
  const { table, adjacency, limit, ledger: given, registry, warn } = terms;
  let prepared:
    | {
        readonly key: string;
        readonly read: Read;
        readonly spec: SampledSpec;
        source: Awaited<ReturnType<Read['source']>>;
      }
    | undefined;
  let ledger: Ledger | undefined;
  let opened: { readonly path: string; readonly store: FileStore } | undefined;
  const keyOf = ({ data }: FederatedPlan): string => JSON.stringify(data);
  const kinds = eventKindsOf(registry);
  const accountant = bestOf(accountantsIn(registry), kinds);
  const placeOf = (source: Awaited<ReturnType<Read['source']>>) =>
    ledgerPlace({ ledger: given } as Release, process.cwd(), source);
  /** The limit that holds: that of the ledger, unless a tighter one is given. */
  const inForce = (kept: Ledger | null): SiloTerms['limit'] => {
    const before = kept?.limit ?? null;
    if (before === null) return limit;
    const isTighter = limit !== undefined && limit.epsilon <= before.epsilon && limit.delta <= before.delta;
    return isTighter ? limit : { epsilon: before.epsilon, delta: before.delta };
  };
  const ledgerOn = (store: Store, holds: SiloTerms['limit']): Ledger =>
    openLedger({
      adjacency,
      store,
      ...(holds === undefined ? {} : { limit: { ...holds, accountant } }),
    });
  const attached = (plan: FederatedPlan): DataSet => {
    if (prepared?.key !== keyOf(plan))
      throw refusal('waiting-for-owner', 'the silo is still reading its records', {});
    const { read, spec, source } = prepared;
    const place = placeOf(source);
    for (const text of place.warnings) warn(text);
    if (opened?.path !== place.path) {
      opened?.store.close();
      opened = { path: place.path, store: fileStore(place.path, { mode: 0o600 }) };
    }
    const own = ledgerOn(opened.store, inForce(ledgerIn(place.path, kinds)?.ledger ?? null));
    ledger = own;
    const { problem, record } = publicProblem(spec, {
      registry,
      adjacency,
      ...read,
      n: read.owners?.slots ?? read.rows,
      unit: read.owners && 'owner',
    });
    const { columns: _, ...domain } = record;
    const data = attachRecognised(source, (bytes) =>
      attachData({
        features: matrixOf(read, spec.data.layout),
        ...precisionIn(spec.data),
        labels: read.labels,
        ...(read.nulls === undefined ? {} : { nulls: read.nulls }),
        ...(read.owners === undefined ? {} : { owners: read.owners }),
        loss: problem.loss,
        registry,
        domain,
        outside: 'clip',
        // Whether the run is opened is for the server to see, and no record has a part in it.
        unreadable: 'null',
        identity: [bytes, new TextEncoder().encode(`order/${spec.data.shuffle}`)],
        ledger: own,
      }),
    );
    place.remember();
    if (data.unreadable > 0) warn(unreadableText(data.unreadable));
    return data;
  };
  return {
    async prepare(plan) {
      if (prepared?.key !== keyOf(plan)) {
        const spec = problemIn(problemOf(plan), table);
        assertDimension(spec, plan, { adjacency, registry });
        const read = await loadRecords(spec, process.cwd(), {
          unreadable: 'null',
          orderOf: (rows) => publicOrder(spec.data.shuffle, rows, undefined),
        });
        prepared = { key: keyOf(plan), read, spec, source: await read.source() };
      }
      return prepared.read.nulls?.reduce((sum, flag) => sum + flag, 0) ?? 0;
    },
    open: ({ sealed: { plan }, silo, place }) =>
      openerOf(plan)({
        data: attached(plan),
        registry,
        agreement: plan.agreement,
        silo,
        place,
        random: secureRandom(),
        warn,
      }),
    standing(event, delta) {
      if (prepared === undefined) return null;
      const { path } = placeOf(prepared.source);
      let found: ReturnType<typeof ledgerIn>;
      try {
        found = ledgerIn(path, kinds);
      } catch (error) {
        if (error instanceof LetheError) return null;
        throw error;
      }
      if (found !== null && found.ledger.adjacency !== adjacency) return null;
      const holds = inForce(found?.ledger ?? null);
      if (limit !== undefined && holds !== undefined && holds !== limit)
        warn(
          `--limit is epsilon ${limit.epsilon} at delta ${deltaText(limit.delta)}, and ${path} keeps a ` +
            `limit of epsilon ${holds.epsilon} at delta ${deltaText(holds.delta)}, which is not loosened: ` +
            'that one holds',
        );
      if (found === null && holds === undefined) return null;
      const own = ledgerOn(memoryStore(found?.bytes), holds);
      let lacking: string | null = null;
      try {
        refusedBy(path, own, kinds, () => own.assertAffordable(event), "the operator's budget.epsilon");
      } catch (error) {
        if (!(error instanceof BudgetExceeded)) throw error;
        lacking = error.message;
      }
      return { account: accountOf(own, { delta, kinds }), lacking };
    },
    total: () => ledger?.total() ?? null,
    close: () => opened?.store.close(),
  };
}

/** A copy of a ledger, opened under its own terms; `null` where there is none. */
function ledgerIn(
  path: string,
  kinds: Parameters<typeof readLedger>[1],
): { readonly ledger: Ledger; readonly bytes: Uint8Array } | null {
  const bytes = existsSync(path) ? new Uint8Array(readFileSync(path)) : new Uint8Array(0);
  return bytes.length === 0 ? null : { ledger: readLedger(bytes, kinds), bytes };
}

/** What the owner of a silo hears of records that cannot be read. */
export const unreadableText = (unreadable: number): string =>
  `${unreadable} of the records cannot be used as the plan reads them, and stand as null records, which ` +
  'contribute nothing; the server is not told';

/** What opens a silo's run, by what the plan says of the server. */
function openerOf(plan: FederatedPlan) {
  if (isSecure(plan)) return heldAddendSilo;
  return isAggregatorTrusted(plan) ? heldRawSilo : siloCurator;
}
