import {
  eventKindsOf,
  parseEvent,
  resolvePlugin,
  type Amplification,
  type Batch,
  type PrivacyEvent,
  type Ref,
  type Sampler,
  type SplitQuery,
} from '@lethe/core';
import { IncompatiblePlugins, InvalidParameter, Unsupported } from '@lethe/numerics';
import type { Effect, PartitionProvenance, SlotRange, StoredBatch } from '../../ledger/index.js';
import { tokenOf, type Prepared, type PublicContext } from '../context.js';
import type { Sample } from '../members.js';
import type { Handler } from '../handlers.js';

/** Draws a secret batch; the previous draw from the same parent ends with it. */
export const answerDraw: Handler<'draw'> = (context, { sampler, from, costs }, id) => {
  const parent = context.batch(from);
  const { batch, space } = sampleOf(context, sampler, parent, id);
  return {
    effect: {
      closes: context.scopesFrom(parent),
      space,
      batches: [batch],
      ...statedCosts(context, parent, space, batch.stretch, costs),
    },
    blank: () => tokenOf(batch),
  };
};

/**
 * What is public of a draw from a batch.
 *
 * @throws {Unsupported} for a fixed size of a batch that hides its own, and an adjacency that the sampler
 * does not support.
 * @throws {IncompatiblePlugins} for a normaliser that is none.
 */
export function sampleOf(
  context: PublicContext,
  ref: Ref<'sampler'>,
  parent: StoredBatch,
  id: string,
): Sample {
  const { plugin, params } = resolvePlugin<Sampler>(context.registry, ref);
  assertSizes(plugin, parent);
  const { sampler } = amplificationUnder(context, plugin, plugin.amplification(params, parent.normaliser));
  const normaliser = checkedNormaliser(plugin, plugin.normaliser(params, parent.normaliser));
  return {
    batch: {
      id,
      stretch: { space: id, from: 0, to: plugin.size === 'exact' ? normaliser : 1 },
      normaliser,
      size: plugin.size,
      scope: id,
    },
    space: {
      id,
      how: 'sample',
      parent: parent.id,
      within: parent.stretch,
      sampler,
      recipe: { by: 'sample', sampler: ref, hidden: plugin.size === 'hidden' },
    },
  };
}

/** Ends a scope. A batch that was not sampled has none, and closing it changes nothing. */
export const answerClose: Handler<'close'> = (context, { batch }) => {
  const { scope } = context.batch(batch);
  return { effect: scope === null ? {} : { closes: [scope] }, blank: () => null };
};

export const answerSplit: Handler<'split'> = (context, query, id) => {
  const parent = context.batch(query.of);
  const { parts } = query;
  switch (parts.by) {
    case 'size':
      return splitBySize(context, parent, () => parts.sizes, query.order, id);
    case 'count':
      return splitBySize(context, parent, () => equalSizes(parent, parts.count), query.order, id);
    case 'weight':
      return splitByWeight(parent, parts.weights, id);
    case 'sampler':
      return splitBySampler(context, parent, parts, id);
  }
};

type Split = Prepared<readonly Batch[]>;

/** Sizes of as many equal parts. @throws {InvalidParameter} for more parts than slots. */
function equalSizes({ id, stretch }: StoredBatch, count: number): readonly number[] {
  const available = stretch.to - stretch.from;
  if (!(Number.isSafeInteger(count) && count >= 1 && count <= available))
    throw new InvalidParameter(
      `batch '${id}' of ${available} slots was to be split into ${count} equal parts; ` +
        'give a whole number, from 1 to that of the slots',
      { count, available },
    );
  const size = Math.floor(available / count);
  return Array.from({ length: count }, () => size);
}

function splitBySize(
  { adjacency }: PublicContext,
  parent: StoredBatch,
  sizesOf: () => readonly number[],
  order: SplitQuery['order'],
  id: string,
): Split {
  if (adjacency === 'add-remove')
    throw new Unsupported(
      'a split by size is not private under add-remove: ' +
        'one removal shifts every later slot. Split by weight.',
      { adjacency },
    );
  if (parent.size === 'hidden')
    throw new Unsupported(`the size of batch '${parent.id}' is hidden; split it by weight`, {
      batch: parent.id,
    });
  const sizes = sizesOf();
  const available = parent.stretch.to - parent.stretch.from;
  const bad = sizes.findIndex((size) => !Number.isSafeInteger(size) || size <= 0);
  if (sizes.length === 0 || bad >= 0)
    throw new InvalidParameter(
      `a split needs positive whole sizes; got ${sizes.length === 0 ? 'none' : `${sizes[bad]} at ${bad}`}`,
      { index: bad },
    );
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (total > available)
    throw new InvalidParameter(
      `the parts need ${total} slots and batch '${parent.id}' has ${available}; ask for fewer`,
      { total, available },
    );
  // A sampled batch is stored in ascending order: parts of it by that order would not be exchangeable.
  const shuffled = order === 'shuffled' || parent.scope !== null;
  const space = shuffled ? id : parent.stretch.space;
  let from = shuffled ? 0 : parent.stretch.from;
  const batches = sizes.map((size, k): StoredBatch => {
    const stretch = { space, from, to: from + size };
    from += size;
    return { id: `${id}.${k}`, stretch, normaliser: size, size: 'exact', scope: parent.scope };
  });
  const recipe: PartitionProvenance = { by: 'permutation' };
  const made = shuffled
    ? {
        space: {
          id,
          how: 'permutation' as const,
          parent: parent.id,
          within: parent.stretch,
          sampler: null,
          recipe,
        },
      }
    : {};
  return { effect: { ...made, batches }, blank: () => batches.map(tokenOf) };
}

function splitByWeight(parent: StoredBatch, weights: readonly number[], id: string): Split {
  const bad = weights.findIndex((weight) => !(weight > 0 && weight <= 1));
  if (weights.length === 0 || bad >= 0)
    throw new InvalidParameter(
      'a split by weight needs weights in (0, 1]; got ' +
        `${weights.length === 0 ? 'none' : `${weights[bad]} at ${bad}`}`,
      { index: bad },
    );
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (total > 1 + 1e-12)
    throw new InvalidParameter(`the weights add up to ${total}; at most 1 can be given away`, { total });
  const batches = weights.map((weight, k): StoredBatch => ({
    id: `${id}.${k}`,
    stretch: { space: id, from: k, to: k + 1 },
    normaliser: weight * parent.normaliser,
    size: 'hidden',
    scope: parent.scope,
  }));
  const recipe: PartitionProvenance = { by: 'weights', weights };
  return {
    effect: {
      space: {
        id,
        how: 'weights',
        parent: parent.id,
        within: parent.stretch,
        sampler: null,
        recipe,
      },
      batches,
    },
    blank: () => batches.map(tokenOf),
  };
}

/**
 * Disjoint batches dealt by a sampler. Where the dealing earns amplification, they share one scope, which the
 * next draw from the same parent ends.
 */
function splitBySampler(
  context: PublicContext,
  parent: StoredBatch,
  { sampler: ref, costs }: Extract<SplitQuery['parts'], { by: 'sampler' }>,
  id: string,
): Split {
  const { plugin, params } = resolvePlugin<Sampler>(context.registry, ref);
  if (plugin.partition === undefined)
    throw new Unsupported(
      `sampler '${plugin.name}' draws one batch at a time; draw with it, or split by size or weight`,
      { sampler: plugin.name },
    );
  assertSizes(plugin, parent);
  const amplification = amplificationUnder(
    context,
    plugin,
    plugin.partition.amplification(params, parent.normaliser),
  );
  const normalisers = plugin.partition.normalisers(params, parent.normaliser);
  if (normalisers.length === 0)
    throw new IncompatiblePlugins(`sampler '${plugin.name}' deals out no batch; it must deal at least one`, {
      sampler: plugin.name,
    });
  let from = 0;
  const batches = normalisers.map((given, k): StoredBatch => {
    const normaliser = checkedNormaliser(plugin, given);
    const stretch =
      plugin.size === 'exact'
        ? { space: id, from, to: from + normaliser }
        : { space: id, from: k, to: k + 1 };
    from += normaliser;
    return {
      id: `${id}.${k}`,
      stretch,
      normaliser,
      size: plugin.size,
      scope: amplification.sampler === null ? parent.scope : id,
    };
  });
  const recipe: PartitionProvenance = { by: 'deal', sampler: ref, hidden: plugin.size === 'hidden' };
  return {
    effect: {
      ...(amplification.sampler === null ? {} : { closes: context.scopesFrom(parent) }),
      space: {
        id,
        how: 'deal',
        parent: parent.id,
        within: parent.stretch,
        sampler: amplification.sampler,
        recipe,
      },
      batches,
      ...statedCosts(
        context,
        parent,
        amplification,
        { space: id, from: 0, to: batches[batches.length - 1].stretch.to },
        costs,
      ),
    },
    blank: () => batches.map(tokenOf),
  };
}

/**
 * The charge of a scope that states its costs. A scope is amplified as a whole, so what is asked inside may
 * depend on its answers only within something fixed beforehand: the run's plan, or these costs.
 */
function statedCosts(
  context: PublicContext,
  parent: StoredBatch,
  { sampler }: Pick<Amplification, 'sampler'>,
  on: SlotRange,
  costs: PrivacyEvent | undefined,
): Pick<Effect, 'charge'> {
  const isCovered = context.isPrepaid(parent);
  if (costs === undefined) {
    if (sampler === null || isCovered || !context.isUnplanned) return {};
    throw new Unsupported(
      'a scope of a run without a plan has to state what it costs, or no limit could hold: ' +
        'later questions in it may depend on its earlier answers. Give costs, ' +
        'the event of all its releases before amplification, or make the curator with planned.',
      { sampler: sampler.kind },
    );
  }
  if (isCovered)
    throw new InvalidParameter(
      'costs were stated by the scope around this one, which cover what is asked here; leave costs out',
      { batch: parent.id },
    );
  return { charge: { on, event: parseEvent(costs, eventKindsOf(context.registry)) } };
}

function assertSizes(plugin: Sampler, parent: StoredBatch): void {
  if (plugin.size === 'exact' && parent.size === 'hidden') {
    throw new Unsupported(
      `sampler '${plugin.name}' draws a fixed size, but the size of batch '${parent.id}' is hidden; ` +
        'draw from a batch of exact size or use Poisson sampling',
      { sampler: plugin.name, batch: parent.id },
    );
  }
}

function amplificationUnder(
  { adjacency }: PublicContext,
  { name }: Sampler,
  all: ReturnType<Sampler['amplification']>,
): Amplification {
  const amplification = all[adjacency];
  if (amplification === undefined)
    throw new Unsupported(`sampler '${name}' does not support ${adjacency}`, { sampler: name, adjacency });
  return amplification;
}

function checkedNormaliser({ name, size }: Sampler, normaliser: number): number {
  if (
    !(normaliser > 0 && Number.isFinite(normaliser)) ||
    (size === 'exact' && !Number.isSafeInteger(normaliser))
  ) {
    throw new IncompatiblePlugins(
      `sampler '${name}' gives the normaliser ${normaliser}; it must be positive, ` +
        'and whole for an exact size',
      { sampler: name, normaliser },
    );
  }
  return normaliser;
}
