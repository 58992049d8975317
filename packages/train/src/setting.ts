import { InvalidParameter, type Adjacency, type Loss, type Owners, type Resolved } from '@lethe/core';
import type { Ledger } from '@lethe/curator';
import { ownersIn, type Table } from '@lethe/losses';
import { matrixMemory } from '@lethe/numerics';
import { publicOrder } from './public-order.js';
import { recordsOf, type TrainingRecords } from './records.js';
import type { LabelSchema, ParsedSchema } from './schema.js';
import { heldOutPlaces, type Split } from './split.js';
import { taskOf } from './task.js';

/** Seed of the public order of the records; that of `lethe run`, so that both share a ledger. */
const orderSeed = 1;

/** Bytes that name the order of the records, beside those of the records themselves. */
export const orderBytes = (): Uint8Array => new TextEncoder().encode(`order/${orderSeed}`);

/** Records in the order in which they are attached, and what is protected. */
export interface Slots {
  readonly records: TrainingRecords;
  /** Records, or owners of records. */
  readonly slots: number;
  /** Whose the records are; `null` where each is protected on its own. */
  readonly owners: Owners | null;
}

/**
 * The records of a table in memory of the kernels: in a public order, or of owners in that of the table. How
 * many records there are is then private, and an order that depends on it would change which of another
 * owner's records count.
 */
export function slotsOf(table: Table, schema: ParsedSchema): Slots {
  const owners = schema.owner === undefined ? null : ownersIn(table, schema.owner, orderSeed);
  const records = recordsInOrder(table, schema, owners === null);
  return { records, slots: owners?.slots ?? records.rows, owners };
}

function recordsInOrder(table: Table, schema: ParsedSchema, isShuffled: boolean): TrainingRecords {
  return recordsOf(table, schema, {
    ...(isShuffled ? { order: publicOrder(orderSeed, table.rows) } : {}),
    allocate: (length) =>
      length > table.rows ? matrixMemory(table.rows, length / table.rows) : new Float64Array(length),
  });
}

/** 1 for each slot that is held out. Owners are held out with all that they have. */
export function heldOutSlots(split: Split, { slots, owners }: Pick<Slots, 'slots' | 'owners'>): Uint8Array {
  const places = heldOutPlaces(split, slots);
  return owners === null ? Uint8Array.from(publicOrder(orderSeed, slots), (place) => places[place]) : places;
}

/** What is said of slots, for each record. */
export const byRecord = (flags: Uint8Array, owners: Owners | null): Uint8Array =>
  owners === null ? flags : Uint8Array.from(owners.of, (slot) => flags[slot]);

/** Entries of which one is 1, or both. */
export const either = (a: Uint8Array, b: Uint8Array): Uint8Array => a.map((one, i) => one | b[i]);

/** Number of ones. */
export const countOf = (flags: Uint8Array): number => flags.reduce((sum, one) => sum + one, 0);

/** Largest norm of a gradient at the origin, which bounds it everywhere for the losses of classes. */
export function largestGradient(
  label: LabelSchema,
  { plugin, params }: Resolved<Loss>,
  columns: number,
  rowNorm: number,
): number {
  if (label.type === 'count') return Math.max(1, label.upper - 1) * rowNorm;
  if (label.type === 'number') return rowNorm;
  return plugin.facts(params, { columns, featureNorm: rowNorm })['lipschitz']?.value ?? rowNorm;
}

/**
 * How fast gradients change: as the loss states it for bounded features or, where it does not, as of squares.
 */
export const smoothnessOf = (
  label: LabelSchema,
  { plugin, params }: Resolved<Loss>,
  columns: number,
  rowNorm: number,
): number =>
  (label.type === 'count'
    ? undefined
    : plugin.facts(params, { columns, featureNorm: rowNorm })['smoothness']?.value) ?? rowNorm ** 2;

/** The losses that fit a task: those whose output its link reads. */
const fitting = {
  binary: ['logistic', 'hinge'],
  classes: ['softmax'],
  number: ['squared', 'huber', 'absolute'],
  count: ['poisson-regression'],
} as const;

/**
 * A loss of a plugin of one's own is taken for a linear model of one output.
 *
 * @throws {InvalidParameter} for a loss that does not fit the label.
 */
export function assertFits(label: LabelSchema, { plugin, params }: Resolved<Loss>): void {
  const task = taskOf(label);
  const shipped: readonly string[] = Object.values(fitting).flat();
  const fits: readonly string[] = fitting[task];
  const outputs = plugin.linear === null ? plugin.multiOutput?.outputs(params) : 1;
  const wanted = label.type === 'classes' && task === 'classes' ? label.classes.length : 1;
  const isKnown = shipped.includes(plugin.name);
  if ((isKnown ? fits.includes(plugin.name) : true) && outputs === wanted) return;
  throw new InvalidParameter(
    `loss '${plugin.name}'` +
      (outputs === undefined ? '' : ` with ${outputs} output${outputs === 1 ? '' : 's'}`) +
      ` does not fit a label of type '${label.type}'${wanted === 1 ? '' : ` with ${wanted} classes`}; ` +
      `take ${fits.join(', ')}, or leave loss out`,
    { loss: plugin.name, label: label.type },
  );
}

/** @throws {InvalidParameter} for a ledger whose costs are about other neighbours. */
export function assertAdjacency(ledger: Ledger, adjacency: Adjacency): void {
  if (ledger.adjacency === adjacency) return;
  throw new InvalidParameter(
    `the ledger is about ${ledger.adjacency}, and this is planned for ${adjacency}; give a ledger that was ` +
      'opened for the same adjacency',
    { ledger: ledger.adjacency, planned: adjacency },
  );
}
