import type { Answered, Mechanism, Plugin, Query, Sampler, Vector } from '@lethe/core';
import {
  centralCurator,
  type CentralCurator,
  type CentralCuratorOptions,
  type DataSet,
  type Effect,
  type Entry,
  type Ledger,
  type RunRecord,
} from '@lethe/curator';
import type { Subject } from '@lethe/laws';
import { losses } from '@lethe/losses';
import { mechanisms } from '@lethe/mechanisms';

/** Core's central curator, or a changed one. */
export const curatorOf = (open: Subject<'curator'>['open'] = centralCurator): Subject<'curator'> => ({
  kind: 'curator',
  name: 'planted',
  claims: [],
  registry: [...mechanisms, ...losses],
  open,
});

/** A curator with changed options. */
export const optioned = (
  change: (options: CentralCuratorOptions) => CentralCuratorOptions,
): Subject<'curator'> => curatorOf((options) => centralCurator(change(options)));

/** A curator with replaced methods. */
export const changed = (
  change: (inner: CentralCurator, options: CentralCuratorOptions) => Partial<CentralCurator>,
): Subject<'curator'> =>
  curatorOf((options) => {
    const inner = centralCurator(options);
    return { ...inner, ...change(inner, options) };
  });

/** A curator with changed answers. */
export const answering = (
  change: (
    answered: Answered,
    query: Query,
    inner: CentralCurator,
    options: CentralCuratorOptions,
  ) => Answered,
): Subject<'curator'> =>
  changed((inner, options) => ({
    answer: (index, query) => change(inner.answer(index, query), query, inner, options),
  }));

/** The fields of a plugin, for overriding: a callable plugin is a function, and spreading omits its name. */
export const fieldsOf = <P extends Plugin>(plugin: P): P =>
  Object.fromEntries(Object.entries(plugin)) as unknown as P;

/** Options with every plugin of a kind changed. */
export const withPlugins = <P extends Plugin>(
  options: CentralCuratorOptions,
  kind: P['kind'],
  change: (plugin: P) => Partial<P>,
): CentralCuratorOptions => ({
  ...options,
  registry: options.registry.map((plugin) =>
    plugin.kind === kind ? { ...fieldsOf(plugin), ...change(plugin as P) } : plugin,
  ),
});
/** A curator with changed noise of all mechanisms. */
export const noising = (
  change: (add: Mechanism['addNoise'], options: CentralCuratorOptions) => Mechanism['addNoise'],
): Subject<'curator'> =>
  optioned((options) =>
    withPlugins<Mechanism>(options, 'mechanism', ({ addNoise }) => ({ addNoise: change(addNoise, options) })),
  );
/** A curator with changed draws of all samplers. */
export const drawing = (
  change: (sampler: Sampler, options: CentralCuratorOptions) => Partial<Sampler>,
): Subject<'curator'> =>
  optioned((options) => withPlugins<Sampler>(options, 'sampler', (sampler) => change(sampler, options)));

/** Options with a changed ledger between curator and data. */
export const withLedger = (
  options: CentralCuratorOptions,
  change: (ledger: Ledger) => Partial<Ledger>,
): CentralCuratorOptions => withData(options, ({ ledger }) => ({ ledger: { ...ledger, ...change(ledger) } }));
/** Options with changed data. */
export const withData = (
  options: CentralCuratorOptions,
  change: (data: DataSet) => Partial<DataSet>,
): CentralCuratorOptions => ({ ...options, data: { ...options.data, ...change(options.data) } });
/** A curator that appends changed entries. */
export const filing = (
  change: (
    ledger: Ledger,
    options: CentralCuratorOptions,
  ) => (entry: Parameters<Ledger['append']>[0]) => Parameters<Ledger['append']>[0],
): Subject<'curator'> =>
  optioned((options) =>
    withLedger(options, (ledger) => {
      const rewrite = change(ledger, options);
      return { append: (entry) => ledger.append(rewrite(entry)) };
    }),
  );

/** A run record whose earlier entries appear changed to the curator. */
export function resumedWith(record: RunRecord, change: (effect: Effect) => Effect): RunRecord {
  const { entries } = record;
  const before = entries.length;
  const entryAt = (index: number): Entry => {
    const entry = entries.entry(index);
    return index < before ? { ...entry, effect: change(entry.effect) } : entry;
  };
  return {
    ...record,
    entries: {
      ...entries,
      get length() {
        return entries.length;
      },
      entry: entryAt,
      effectAt: (index) => entryAt(index).effect,
    },
  };
}

/** Whether an answer is a vector. */
export const isVector = (answer: unknown): answer is Vector => answer instanceof Float64Array;

/** Calls `visit` with every object inside a plain value. */
export function eachRecord(value: unknown, visit: (record: Record<string, unknown>) => void): void {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return;
  visit(value as Record<string, unknown>);
  for (const inner of Object.values(value)) eachRecord(inner, visit);
}
