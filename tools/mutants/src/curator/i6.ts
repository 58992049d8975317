import { defineSampler, sampledEvent, seededRandom, type Sampler } from '@lethe/core';
import { centralCurator, type Ledger } from '@lethe/curator';
import { defined } from '@lethe/numerics';
import * as z from 'zod';
import { defineMutant } from '../mutant.js';
import { answering, curatorOf, drawing, filing, optioned, withLedger, withPlugins } from './wrap.js';

type Entry = Parameters<Ledger['append']>[0];
type Effect = Entry['effect'];
type Partition = NonNullable<Effect['space']>;

export const i6a = defineMutant({
  id: 'curator/splits-size-fixed-draws-allowed-under-add',
  title: 'splits by size and fixed draws are allowed under add-remove',
  kind: 'curator',
  source: 'I-6 table: add-remove, split by size',
  killedBy: ['curator/no-sizes-under-add-remove'],
  within: 10,
  plant: () =>
    optioned(({ publicSlots: _guess, ...options }) =>
      withLedger(options, ({ adjacency }) => ({
        adjacency: adjacency === 'add-remove' ? 'zero-out' : adjacency,
      })),
    ),
});

/** Charges on some batches, each moved to a different place. */
function apart(only: (effect: Effect) => boolean): (ledger: Ledger) => (entry: Entry) => Entry {
  return () => {
    const places = new Map<string, number>();
    return (entry) => {
      const { charge } = entry.effect;
      if (charge === undefined || !only(entry.effect)) return entry;
      const name = `${charge.on.space} ${charge.on.from} ${charge.on.to}`;
      const place = places.get(name) ?? 1e6 + places.size;
      places.set(name, place);
      return {
        ...entry,
        effect: { ...entry.effect, charge: { ...charge, on: { space: 'all', from: place, to: place + 1 } } },
      };
    };
  };
}

export const i6b = defineMutant({
  id: 'curator/batches-different-names-charged-parallel-although-overlap',
  title: 'overlapping batches with different ids are charged in parallel',
  kind: 'curator',
  source: 'I-6: containment from memberships, not from tokens',
  killedBy: ['curator/cost-by-membership'],
  within: 200,
  plant: () => filing(apart(() => true)),
});

export const i6c = defineMutant({
  id: 'curator/two-shuffled-splits-one-batch-charged-parallel',
  title: 'two shuffled splits of one batch are charged in parallel',
  kind: 'curator',
  source: 'I-6: two splits of one batch overlap',
  killedBy: ['curator/cost-by-membership'],
  within: 200,
  plant: () => filing(apart(({ charge }) => defined(charge).on.space !== 'all')),
});

export const i6d = defineMutant({
  id: 'curator/every-answer-draw-amplified-itself',
  title: 'every answer from a draw is amplified separately',
  kind: 'curator',
  source: 'I-6: one sampled(compose), not three sampled',
  killedBy: ['curator/scopes'],
  within: 200,
  plant: () =>
    filing(() => {
      const spaces = new Map<string, Partition>();
      return (entry) => {
        const { charge, space } = entry.effect;
        if (space !== undefined) spaces.set(space.id, space);
        const drawn = charge === undefined ? undefined : spaces.get(charge.on.space);
        if (charge === undefined || drawn === undefined || drawn.sampler === null) return entry;
        return {
          ...entry,
          effect: {
            ...entry.effect,
            charge: { on: drawn.within, event: sampledEvent(drawn.sampler, charge.event) },
          },
        };
      };
    }),
});

export const i6e = defineMutant({
  id: 'curator/closed-batch-still-answers',
  title: 'a closed batch still answers',
  kind: 'curator',
  source: 'I-6: a closed batch is dead',
  killedBy: ['curator/dead-batches'],
  within: 40,
  plant: () =>
    filing(() => (entry) => {
      const { closes: _closes, ...effect } = entry.effect;
      return { ...entry, effect };
    }),
});

export const i6f = defineMutant({
  id: 'curator/token-draw-tells-how-many-drawn',
  title: 'the token of a draw contains the number of drawn records',
  kind: 'curator',
  source: 'I-6: under Poisson the token carries no size',
  killedBy: ['curator/tokens'],
  within: 100,
  plant: () =>
    curatorOf((options) => {
      let sizes = 0;
      const inner = centralCurator(
        withPlugins<Sampler>(options, 'sampler', ({ draw }) => ({
          draw: (params, slots, random) => {
            const rows = draw(params, slots, random);
            sizes = rows.length;
            return rows;
          },
        })),
      );
      return {
        ...inner,
        answer(index, query) {
          const answered = inner.answer(index, query);
          return query.ask === 'draw'
            ? { ...answered, answer: { ...(answered.answer as object), count: sizes } as never }
            : answered;
        },
      };
    }),
});

export const i6g = defineMutant({
  id: 'curator/draws-made-public-coins',
  title: 'draws are made with public coins',
  kind: 'curator',
  source: "I-6: never by the optimizer's random or a public seed",
  killedBy: ['curator/draws'],
  within: 200,
  plant: () =>
    drawing(({ draw }) => {
      let count = 0;
      return { draw: (params, slots) => draw(params, slots, seededRandom(`draw ${count++}`)) };
    }),
});

export const i6h = defineMutant({
  id: 'curator/law-amplification-add-remove-whatever-adjacency',
  title: 'every adjacency is amplified as under add-remove',
  kind: 'curator',
  source: 'I-6 table: replace-one needs its own pair',
  killedBy: ['curator/amplification'],
  within: 20,
  plant: () =>
    drawing(({ amplification }) => ({
      amplification: (params, slots) => {
        const all = amplification(params, slots);
        const one = all['replace-one'] ?? defined(all['add-remove']);
        return { 'replace-one': one, 'add-remove': one, 'zero-out': one };
      },
    })),
});

/** All slots of a batch in stored order. */
const inOrder = defineSampler({
  name: 'planted/in-order',
  summary: 'All slots in order.',
  source: { id: 'lethe', item: 'mutant' },
  claims: [],
  params: z.strictObject({}),
  size: 'exact',
  amplification: () => ({}),
  normaliser: (_params, slots) => slots,
  draw: (_params, slots) => Uint32Array.from({ length: slots }, (_, i) => i),
});

export const i6i = defineMutant({
  id: 'curator/parts-draw-cut-sorted-list',
  title: 'parts of a draw are cut from its sorted list',
  kind: 'curator',
  source: 'I-6: a batch with a scope is split by fresh randomness; SG E17',
  killedBy: ['curator/draws'],
  within: 500,
  plant: () =>
    optioned((options) =>
      withLedger({ ...options, registry: [...options.registry, inOrder] }, (ledger) => ({
        append: (entry) => {
          const { space } = entry.effect;
          const isScoped = entry.effect.batches?.[0]?.scope !== null && space?.how === 'permutation';
          const recipe = {
            by: 'sample',
            sampler: { kind: 'sampler', name: 'planted/in-order', params: {} },
            hidden: false,
          } as const;
          ledger.append(
            isScoped ? { ...entry, effect: { ...entry.effect, space: { ...space, recipe } } } : entry,
          );
        },
      })),
    ),
});

export const i6j = defineMutant({
  id: 'curator/draws-one-parent-charged-parallel',
  title: 'draws from one parent are charged in parallel',
  kind: 'curator',
  source: 'I-6: no parallel credit between different draws',
  killedBy: ['curator/scopes'],
  within: 20,
  plant: () =>
    filing(() => {
      let count = 0;
      return (entry) => {
        const { space } = entry.effect;
        if (space?.how !== 'sample') return entry;
        const place = 1e6 + count++;
        return {
          ...entry,
          effect: {
            ...entry.effect,
            space: { ...space, within: { ...space.within, from: place, to: place + 1 } },
          },
        };
      };
    }),
});

export const i6k = defineMutant({
  id: 'curator/draw-made-again-every-answer',
  title: 'a draw is redrawn for every answer',
  kind: 'curator',
  source: 'I-6: all answers come from one batch',
  killedBy: ['curator/draws'],
  within: 200,
  plant: () =>
    curatorOf((options) => {
      // Members change between answers because a copy of the run is resumed each time.
      let again = 0;
      const open = () =>
        centralCurator(
          withPlugins<Sampler>(options, 'sampler', ({ draw }) => ({
            draw: (params, slots, random) => draw(params, slots, random.fork(again++)),
          })),
        );
      let inner = open();
      const first = inner;
      return {
        ...first,
        answer(index, query) {
          if (query.ask === 'mean') inner = open();
          return inner.answer(index, query);
        },
        replay: (index, query, digest) => inner.replay(index, query, digest),
        recorded: () => inner.recorded(),
        spent: () => inner.spent(),
      };
    }),
});

export const i6l = defineMutant({
  id: 'curator/weighted-parts-share-records-each-records-coin',
  title: 'weighted parts overlap: each part draws its records independently',
  kind: 'curator',
  source: 'I-6: parts are disjoint',
  killedBy: ['curator/splits'],
  within: 100,
  plant: () =>
    answering((answered, query) => {
      if (query.ask !== 'split' || query.parts.by !== 'weight') return answered;
      const parts = answered.answer as unknown as object[];
      return { ...answered, answer: parts.map(() => parts[0]) as never };
    }),
});
