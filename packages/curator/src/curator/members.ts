import { resolvePlugin, type Registry, type Sampler } from '@lethe/core';
import { settleRef } from '@lethe/core/internal';
import { Corrupt, defined, IncompatiblePlugins, permutation, type RandomSource } from '@lethe/numerics';
import type { Partition, PartitionProvenance, StoredBatch } from '../ledger/index.js';
import { rootPartition } from '../ledger/tally.js';

/** Slots of a batch: a stretch of stored order, or a list. */
export type Rows = { readonly from: number; readonly to: number } | Uint32Array;
export const rowCount = (rows: Rows): number =>
  rows instanceof Uint32Array ? rows.length : rows.to - rows.from;
export const rowAt = (rows: Rows, i: number): number =>
  rows instanceof Uint32Array ? rows[i] : rows.from + i;

/** Those at positions `from` to `to`, of which the last is not one. */
export const rowsBetween = (rows: Rows, from: number, to: number): Rows =>
  rows instanceof Uint32Array ? rows.subarray(from, to) : { from: rows.from + from, to: rows.from + to };

/** A draw, as far as it is public. */
export interface Sample {
  readonly batch: StoredBatch;
  readonly space: Partition;
}

/** Finds the members of batches from the randomness of the query that made them; reads no data. */
export interface Members {
  /** Learns a space, as a ledger has it; `randomness` is that of its query. */
  learn(space: Partition, randomness: () => RandomSource): void;
  of(batch: StoredBatch): Rows;
  /** The slots of a draw that is not learnt. */
  sample(sample: Sample, randomness: () => RandomSource): Rows;
  /** The randomness with which a space was learnt. */
  randomnessOf(space: string): RandomSource;
  forget(space: string): void;
}

interface Known {
  readonly space: Partition;
  readonly randomness: () => RandomSource;
  source?: RandomSource;
  members?: Uint32Array;
  parts?: readonly Uint32Array[];
}

export function createMembers(
  slots: number,
  registry: Registry,
  batch: (id: string) => StoredBatch,
): Members {
  const spaces = new Map<string, Known>();
  const known = (id: string): Known => {
    const found = spaces.get(id);
    if (found === undefined) throw new Corrupt(`space '${id}' is not open`, { space: id });
    return found;
  };
  const of = ({ stretch: { space, from, to } }: StoredBatch): Rows => {
    if (space === rootPartition) return { from, to };
    const found = known(space);
    if (inParts(found.space)) return (found.parts ??= partsOf(found))[from];
    found.members ??= membersOf(found);
    return hidesSize(found.space) ? found.members : found.members.subarray(from, to);
  };
  const parentRows = ({ space }: Known): Rows => of(batch(space.parent));
  // A sampled batch is stored in ascending order; dealt by that order, its parts would not be exchangeable.
  const rowsToPartition = (found: Known, randomness: RandomSource): Rows => {
    const rows = parentRows(found);
    return batch(found.space.parent).scope === null
      ? rows
      : pick(rows, permutation(randomness.fork('order'), rowCount(rows)));
  };
  const membersOf = (found: Known): Uint32Array => {
    const rows = parentRows(found);
    const recipe = found.space.recipe;
    const count = rowCount(rows);
    const randomness = found.randomness().fork('members');
    if (recipe.by === 'deal')
      return pick(rowsToPartition(found, randomness), joined(partitionOf(found, count, randomness)));
    if (recipe.by !== 'sample') return pick(rows, permutation(randomness, count));
    const { plugin, params } = resolvePlugin<Sampler>(registry, recipe.sampler);
    const { sampler } = found.space;
    const repeats = sampler?.kind === 'core/fixed-size' && sampler.replacement;
    return pick(rows, checkedDraw(plugin.draw(params, count, randomness), count, plugin.name, repeats));
  };
  const partitionOf = ({ space }: Known, count: number, randomness: RandomSource): readonly Uint32Array[] => {
    const recipe = space.recipe as Extract<PartitionProvenance, { by: 'deal' }>;
    const { plugin, params } = resolvePlugin<Sampler>(registry, recipe.sampler);
    const sizes = defined(plugin.partition).normalisers(params, batch(space.parent).normaliser);
    const parts = defined(plugin.partition).draw(params, count, randomness);
    if (
      parts.length !== sizes.length ||
      (!recipe.hidden && parts.some(({ length }, k) => length !== sizes[k]))
    ) {
      throw new IncompatiblePlugins(
        `sampler '${plugin.name}' dealt batches of other sizes than it declares; it breaks its contract`,
        { sampler: plugin.name },
      );
    }
    return checkedPartition(parts, count, plugin.name);
  };
  const partsOf = (found: Known): readonly Uint32Array[] => {
    const recipe = found.space.recipe as Extract<PartitionProvenance, { by: 'weights' | 'deal' }>;
    const rows = parentRows(found);
    const randomness = found.randomness().fork('members');
    if (recipe.by === 'deal') {
      const partitioned = rowsToPartition(found, randomness);
      return partitionOf(found, rowCount(partitioned), randomness).map((part) => pick(partitioned, part));
    }
    const { weights } = recipe;
    const parts: number[][] = weights.map(() => []);
    for (let i = 0; i < rowCount(rows); i++) {
      let left = randomness.uniform();
      const part = weights.findIndex((weight) => (left -= weight) < 0);
      if (part >= 0) parts[part].push(rowAt(rows, i));
    }
    return parts.map((part) => Uint32Array.from(part));
  };
  return {
    learn: (space, randomness) => {
      // The ledger's own copy, shared by equal steps: resolved once.
      if ('sampler' in space.recipe) settleRef(space.recipe.sampler);
      spaces.set(space.id, { space, randomness });
    },
    of,
    sample({ space, batch: { stretch } }, randomness) {
      const all = membersOf({ space, randomness });
      return hidesSize(space) ? all : all.subarray(stretch.from, stretch.to);
    },
    randomnessOf(space) {
      const found = known(space);
      return (found.source ??= found.randomness());
    },
    forget: (space) => {
      spaces.delete(space);
    },
  };
}

/**
 * A draw that repeats a record, or leaves the batch, would break
 * every sensitivity; its message never leaves the curator.
 */
function checkedDraw(positions: Uint32Array, count: number, sampler: string, repeats = false): Uint32Array {
  // The least that the next position may be.
  let least = 0;
  let isGood = true;
  for (let i = 0; i < positions.length; i++) {
    const position = positions[i];
    if (position < least || position >= count) isGood = false;
    least = repeats ? position : position + 1;
  }
  if (!isGood)
    throw new IncompatiblePlugins(
      `sampler '${sampler}' drew positions that do not ascend inside the batch; it breaks its contract`,
      { sampler },
    );
  return positions;
}

/** A record in two of the batches would be charged for one. */
function checkedPartition(
  parts: readonly Uint32Array[],
  count: number,
  sampler: string,
): readonly Uint32Array[] {
  const partitioned = new Uint8Array(count);
  for (const part of parts) {
    for (const position of checkedDraw(part, count, sampler)) {
      if (partitioned[position] === 1)
        throw new IncompatiblePlugins(
          `sampler '${sampler}' dealt one record to two batches; it breaks its contract`,
          { sampler },
        );
      partitioned[position] = 1;
    }
  }
  return parts;
}

function joined(parts: readonly Uint32Array[]): Uint32Array {
  const all = new Uint32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Batches of hidden size are identified by number; others by their range of one list. */
const inParts = ({ how, recipe }: Partition): boolean =>
  how === 'weights' || (how === 'deal' && hidden(recipe));
const hidesSize = ({ how, recipe }: Partition): boolean => how === 'sample' && hidden(recipe);
const hidden = (recipe: PartitionProvenance): boolean => 'hidden' in recipe && recipe.hidden;

function pick(rows: Rows, positions: Uint32Array): Uint32Array {
  if (rows instanceof Uint32Array) return positions.map((p) => rows[p]);
  if (rows.from === 0) return positions;
  return positions.map((p) => p + rows.from);
}
