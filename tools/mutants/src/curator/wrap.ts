import { centralCurator, type Answered, type CentralCurator, type CentralCuratorOptions, type DataSet, type Effect, type Entry, type Ledger, type Mechanism, type Plugin, type Query, type RunRecord, type Sampler, type Vector } from '@lethe/core';
import type { Subject } from '@lethe/laws';
import { losses } from '@lethe/losses';
import { mechanisms } from '@lethe/mechanisms';

/** The trusted curator of core, or what a mutant makes of it. */
export const curatorOf = (open: Subject<'curator'>['open'] = centralCurator): Subject<'curator'> =>
  ({ kind: 'curator', name: 'planted', claims: [], registry: [...mechanisms, ...losses], open });

/** A curator whose options were tampered with. */
export const optioned = (change: (options: CentralCuratorOptions) => CentralCuratorOptions): Subject<'curator'> => curatorOf((options) => centralCurator(change(options)));

/** A curator with some of it replaced. */
export const changed = (change: (inner: CentralCurator, options: CentralCuratorOptions) => Partial<CentralCurator>): Subject<'curator'> =>
  curatorOf((options) => {
    const inner = centralCurator(options);
    return { ...inner, ...change(inner, options) };
  });

/** A curator that does something to its answers before they leave. */
export const answering = (change: (answered: Answered, query: Query, inner: CentralCurator, options: CentralCuratorOptions) => Answered): Subject<'curator'> =>
  changed((inner, options) => ({ answer: (index, query) => change(inner.answer(index, query), query, inner, options) }));

/** A plugin's fields, free to be overridden: a callable plugin is a function, and its name is not spread. */
export const fieldsOf = <P extends Plugin>(plugin: P): P => Object.fromEntries(Object.entries(plugin)) as unknown as P;

/** Options with every plugin of a kind changed. */
export const withPlugins = <P extends Plugin>(options: CentralCuratorOptions, kind: P['kind'], change: (plugin: P) => Partial<P>): CentralCuratorOptions => ({
  ...options, registry: options.registry.map((plugin) => (plugin.kind === kind ? { ...fieldsOf(plugin), ...change(plugin as P) } : plugin)),
});
/** A curator all of whose mechanisms add noise otherwise. */
export const noising = (change: (add: Mechanism['addNoise'], options: CentralCuratorOptions) => Mechanism['addNoise']): Subject<'curator'> =>
  optioned((options) => withPlugins<Mechanism>(options, 'mechanism', ({ addNoise }) => ({ addNoise: change(addNoise, options) })));
/** A curator all of whose samplers draw otherwise. */
export const drawing = (change: (sampler: Sampler, options: CentralCuratorOptions) => Partial<Sampler>): Subject<'curator'> =>
  optioned((options) => withPlugins<Sampler>(options, 'sampler', (sampler) => change(sampler, options)));

/** Options with another ledger, or another view of it, between curator and data. */
export const withLedger = (options: CentralCuratorOptions, change: (ledger: Ledger) => Partial<Ledger>): CentralCuratorOptions =>
  withData(options, ({ ledger }) => ({ ledger: { ...ledger, ...change(ledger) } }));
/** Options with other data. */
export const withData = (options: CentralCuratorOptions, change: (data: DataSet) => Partial<DataSet>): CentralCuratorOptions => ({ ...options, data: { ...options.data, ...change(options.data) } });
/** A curator that writes other entries than it should. */
export const filing = (change: (ledger: Ledger, options: CentralCuratorOptions) => (entry: Parameters<Ledger['append']>[0]) => Parameters<Ledger['append']>[0]): Subject<'curator'> =>
  optioned((options) => withLedger(options, (ledger) => {
    const rewrite = change(ledger, options);
    return { append: (entry) => ledger.append(rewrite(entry)) };
  }));

/** The entries of a run as the curator is made to see them: those before it was opened changed. */
export function resumedWith(record: RunRecord, change: (effect: Effect) => Effect): RunRecord {
  const { entries } = record, before = entries.length;
  const entryAt = (index: number): Entry => {
    const entry = entries.entry(index);
    return index < before ? { ...entry, effect: change(entry.effect) } : entry;
  };
  return { ...record, entries: { ...entries, get length() { return entries.length; }, entry: entryAt, effectAt: (index) => entryAt(index).effect } };
}

/** Whether an answer is a vector of numbers. */
export const isVector = (answer: unknown): answer is Vector => answer instanceof Float64Array;

/** Calls `visit` with every record inside a plain value. */
export function eachRecord(value: unknown, visit: (record: Record<string, unknown>) => void): void {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return;
  visit(value as Record<string, unknown>);
  for (const inner of Object.values(value)) eachRecord(inner, visit);
}
