import { affordOf } from './kinds/afford.js';
import { choose } from './kinds/choose.js';
import { close } from './kinds/close.js';
import { descend } from './kinds/descend.js';
import { draw } from './kinds/draw.js';
import { localUpdate } from './kinds/local-update.js';
import { mean } from './kinds/mean.js';
import { minimiser } from './kinds/minimiser.js';
import { open } from './kinds/open.js';
import { push } from './kinds/push.js';
import { select } from './kinds/select.js';
import { split } from './kinds/split.js';
import { value } from './kinds/value.js';
import type { Row } from './row.js';
import { variant, type Fields, type RecordOf } from './schema.js';

/** Queries that are answered from records. */
const fromRecords = {
  /**
   * A secret batch drawn by a sampler. Costs nothing by itself;
   * opens a scope whose charges are amplified together.
   */
  draw,
  /** Disjoint parts of a batch. Costs nothing; charges on different parts add up in parallel. */
  split,
  /** Ends the scope of a drawn batch. */
  close,
  /** A private mean of gradients over a batch. */
  mean,
  /** A private mean of local updates: steps of each slot on its own records. */
  localUpdate,
  /** A stream of noisy prefix sums, paid for here. */
  open,
  /** Adds an increment to a stream and gives it back with noise. */
  push,
  /** A scalar statistic with noise. */
  value,
  /** The minimiser of a batch’s regularised risk, with noise. */
  minimiser,
  /** A point of one pass of gradient steps over a batch, with noise. */
  descend,
  /** One of public candidates, by the exponential mechanism unless another selector is named. */
  choose,
  /** The best of a random number of runs, by private selection. */
  select,
};
const formsOf = <T extends AnyTable>(rows: T): { readonly [N in keyof T]: T[N]['fields'] } =>
  Object.fromEntries(Object.entries(rows).map(([name, { fields }]) => [name, fields])) as {
    readonly [N in keyof T]: T[N]['fields'];
  };
const asked = <T extends AnyTable>(rows: T) => variant('ask', formsOf(rows));

/**
 * Every kind of query, a row each: types, helpers, checks, what
 * curators have to answer and the table of examples follow from it.
 */
export const table = {
  ...fromRecords,
  /**
   * Whether the limit that the run is held to has room for a query;
   * costs nothing. Refused in a run that is not held to one.
   */
  afford: affordOf(asked(fromRecords)),
};
/** Any query. Of an unknown kind of query only the field `ask` is read. */
export const anyQuery = asked(table);

/** Every kind of query. */
export type Table = typeof table;
/** Any table, for types that are derived from rows. */
export type AnyTable = Readonly<Record<string, Row<Fields, unknown, never>>>;
/** The names of all kinds. */
export type QueryName = keyof Table;
/** A query of one kind. */
export type QueryOf<N extends keyof T, T extends AnyTable = Table> = { readonly ask: N } & RecordOf<
  T[N]['fields']
>;
/** What answers it. */
export type AnswerOf<N extends keyof T, T extends AnyTable = Table> =
  T[N] extends Row<infer _F, infer A, never> ? A : never;
