import { bestOf } from '@lethe/accountants';
import {
  attachData,
  eventKindsOf,
  InvalidData,
  openLedger,
  parseOrThrow,
  secureRandom,
  type Adjacency,
  type DataSet,
  type Ledger,
  type PrivacyEvent,
  type Registry,
} from '@lethe/core';
import { heldAddendSilo, heldRawSilo, siloCurator } from '@lethe/core/federation';
import {
  isAggregatorTrusted,
  isSecure,
  refusal,
  type FederatedPlan,
  type OpenedRun,
  type SiloOptions,
} from '@lethe/federation';
import { ownersIn } from '@lethe/losses';
import { readTable } from '@lethe/losses/node';
import { fileStore, type FileStore } from '@lethe/node';
import { publicOrder } from '@lethe/train';
import type { Release, SampledSpec } from '../experiment/schema.js';
import { ownerOf } from '../experiment/owner-of.js';
import { unsafeReading } from '../experiment/private-reading.js';
import { accountantsIn } from '../plugins/accountants-in.js';
import { attachRecognised } from '../run/attach-recognised.js';
import { matrixOf } from '../run/layout.js';
import { ledgerPlace } from '../run/ledger-path.js';
import { loadRecords } from '../run/load.js';
import { publicProblem } from '../run/problem.js';
import { problemIn, siloProblem } from './federation-schema.js';

/** Whose records a silo holds, and on what terms. */
export interface SiloTerms {
  /** The table of records. */
  readonly file: string;
  readonly adjacency: Adjacency;
  /** The column of owners, where all that one owner has is protected. */
  readonly owner: string | undefined;
  /** The most that all runs on the records may cost; `undefined`: as its ledger says, or none. */
  readonly limit: { readonly epsilon: number; readonly delta: number } | undefined;
  /** The ledger's file. @defaultValue that of the records, in the folder of ledgers */
  readonly ledger: string | undefined;
  readonly registry: Registry;
  readonly warn: (text: string) => void;
}

/**
 * What is public of a table: the number of its records, or of the owners of records in a column.
 *
 * @throws {InvalidData} for a table without the column.
 */
export async function countSlots(file: string, owner: string | undefined): Promise<number> {
  if (owner === undefined) return (await readTable(file, {})).rows;
  const read = (ids: 'text' | 'number') => readTable(file, { columns: { [owner]: ids } });
  // A file of texts has texts only; where identifiers are numbers in the file itself, a plan reads numbers.
  const table = await read('text').catch((error: unknown) => {
    if (error instanceof InvalidData && 'value' in error.details) return read('number');
    throw error;
  });
  return ownersIn(table, { column: owner }, 0).slots;
}

/** How the silos of a plan read their records, checked by the silo. @throws a refusal. */
export function problemOf({ data, agreement, unit, cap }: FederatedPlan): SampledSpec {
  const spec = parseOrThrow(siloProblem, withoutFile(data), 'how the plan reads records');
  const owner = ownerOf(spec);
  if ((owner === undefined) !== (unit === 'record') || owner?.most !== cap)
    throw refusal('wrong-unit', `the plan says that it protects a ${unit}, and reads records otherwise`, {});
  const unsafe = 'design' in spec.data ? unsafeReading(spec.data, agreement.plan.problem.adjacency) : [];
  if (unsafe.length === 0) return spec;
  throw refusal('wrong-optimizer', `the plan reads records in an unsafe way: ${unsafe[0].message}`, {});
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
  /** Reads the records of a plan, so that `open` need not wait. @throws what is wrong with them. */
  prepare(plan: FederatedPlan): Promise<void>;
  /** What all runs on the records have cost; `null` before a run is open. */
  total(): PrivacyEvent | null;
  close(): void;
}

type Read = Awaited<ReturnType<typeof loadRecords>>;

/** Where a silo's records and their ledger are. The ledger is that of all releases of the same records. */
export function siloHouse(terms: SiloTerms): SiloHouse {
  const { file, adjacency, owner, limit, ledger: given, registry, warn } = terms;
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
  const accountant = bestOf(accountantsIn(registry), eventKindsOf(registry));
  const attached = (plan: FederatedPlan): DataSet => {
    if (prepared?.key !== keyOf(plan))
      throw refusal('waiting-for-owner', 'the silo is still reading its records', {});
    const { read, spec, source } = prepared;
    const place = ledgerPlace({ ledger: given } as Release, process.cwd(), source);
    for (const text of place.warnings) warn(text);
    if (opened?.path !== place.path) {
      opened?.store.close();
      opened = { path: place.path, store: fileStore(place.path, { mode: 0o600 }) };
    }
    const own = openLedger({
      adjacency,
      store: opened.store,
      ...(limit === undefined ? {} : { limit: { ...limit, accountant } }),
    });
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
        labels: read.labels,
        ...(read.owners === undefined ? {} : { owners: read.owners }),
        loss: problem.loss,
        registry,
        domain,
        outside: 'clip',
        identity: [bytes, new TextEncoder().encode(`order/${spec.data.shuffle}`)],
        ledger: own,
      }),
    );
    place.remember();
    return data;
  };
  return {
    async prepare(plan) {
      if (prepared?.key === keyOf(plan)) return;
      const spec = problemIn(problemOf(plan), file);
      const planned = ownerOf(spec)?.column;
      if (planned !== owner)
        throw refusal(
          'wrong-unit',
          `the plan takes '${planned ?? 'nothing'}' for the owners of records, and this silo ` +
            `'${owner ?? 'nothing'}'`,
          {},
        );
      const read = await loadRecords(spec, process.cwd(), {
        orderOf: (rows) => publicOrder(spec.data.shuffle, rows, undefined),
      });
      prepared = { key: keyOf(plan), read, spec, source: await read.source() };
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
    total: () => ledger?.total() ?? null,
    close: () => opened?.store.close(),
  };
}

/** What opens a silo's run, by what the plan says of the server. */
function openerOf(plan: FederatedPlan) {
  if (isSecure(plan)) return heldAddendSilo;
  return isAggregatorTrusted(plan) ? heldRawSilo : siloCurator;
}
