import {
  Corrupt,
  InvalidParameter,
  type CoreEvent,
  type PrefixSum,
  type Query,
  type Sampler,
  type Selector,
  type Stream,
} from '@lethe/core';
import { centralCurator, openLedger } from '@lethe/curator';
import { randomFromKey } from '@lethe/numerics';
import { defineMutant } from '../mutant.js';
import { changed, curatorOf, fieldsOf, filing, optioned, withData, withPlugins } from './wrap.js';

export const xCurator1 = defineMutant({
  id: 'curator/two-releases-answered-one-charge',
  title: 'two releases share one charge',
  kind: 'curator',
  source: 'A06 at the curator',
  killedBy: ['curator/every-release-pays', 'curator/charge-first'],
  within: 60,
  plant: () =>
    filing(() => {
      let count = 0;
      return (entry) => {
        const { charge, ...rest } = entry.effect;
        return charge === undefined || count++ % 2 === 0 ? entry : { ...entry, effect: rest };
      };
    }),
});

export const xCurator2 = defineMutant({
  id: 'curator/participation-stream-counted-names-batches',
  title: 'participation in a stream is counted by batch id',
  kind: 'curator',
  source: 'generic: tokens for memberships',
  killedBy: ['curator/stream-participation'],
  within: 40,
  plant: () =>
    curatorOf((options) => {
      const inner = centralCurator(options);
      const opened = new Map<string, Query>();
      const pushed = new Set<string>();
      return {
        ...inner,
        answer(index, query) {
          try {
            const answered = inner.answer(index, query);
            if (query.ask === 'open') opened.set((answered.answer as Stream).id, query);
            if (query.ask === 'push') pushed.add(`${query.stream.id} ${query.batch.id}`);
            return answered;
          } catch (error) {
            const open = query.ask === 'push' ? opened.get(query.stream.id) : undefined;
            if (
              !(error instanceof InvalidParameter) ||
              open === undefined ||
              query.ask !== 'push' ||
              pushed.has(`${query.stream.id} ${query.batch.id}`)
            )
              throw error;
            const shadow = centralCurator(
              withData(options, ({ ledger }) => ({ ledger: openLedger({ adjacency: ledger.adjacency }) })),
            );
            const stream = shadow.answer(0, open).answer as Stream;
            return shadow.answer(1, { ...query, stream, batch: shadow.allRecords });
          }
        },
      };
    }),
});

export const xCurator3 = defineMutant({
  id: 'curator/stream-scaled-one-increment-whatever-factorisation',
  title: 'the noise of a stream is scaled for one increment, without the column norm',
  kind: 'curator',
  source: 'generic: √T forgotten',
  killedBy: ['curator/stream-cost'],
  within: 20,
  plant: () =>
    optioned((options) => withPlugins<PrefixSum>(options, 'prefixSum', () => ({ columnNorm: () => 1 }))),
});

export const xCurator4 = defineMutant({
  id: 'curator/releases-without-noise-always-allowed',
  title: 'releases without noise are always allowed',
  kind: 'curator',
  source: "generic: a baseline's switch left on",
  killedBy: ['curator/unprotected'],
  within: 20,
  plant: () => optioned((options) => ({ ...options, allowUnprotected: true })),
});

export const xCurator5 = defineMutant({
  id: 'curator/row-streams-noise-drawn-again-used-again',
  title: "a row of a stream's noise is redrawn at its second use",
  kind: 'curator',
  source: 'T01 at the curator',
  killedBy: ['curator/noise'],
  cell: 'stream, running sums, replace-one',
  within: 20_000,
  plant: () =>
    optioned((options) =>
      withPlugins<PrefixSum>(options, 'prefixSum', ({ begin }) => ({
        begin(params, shape) {
          const run = begin(params, shape);
          let uses = 0;
          return { nextInto: (out, noise) => run.nextInto(out, (_row, into) => noise(uses++, into)) };
        },
      })),
    ),
});

export const xCurator6 = defineMutant({
  id: 'curator/ended-run-answers',
  title: 'an ended run answers new queries',
  kind: 'curator',
  source: 'generic',
  killedBy: ['curator/entries'],
  within: 200,
  plant: () =>
    changed((inner, options) => ({
      answer(index, query) {
        try {
          return inner.answer(index, query);
        } catch (error) {
          if (!(error instanceof Corrupt) || !error.message.includes('has ended')) throw error;
          return centralCurator(
            withData(options, ({ ledger }) => ({ ledger: openLedger({ adjacency: ledger.adjacency }) })),
          ).answer(0, query);
        }
      },
    })),
});

export const xCurator7 = defineMutant({
  id: 'curator/one-answer-ten-sent-without-noise',
  title: 'one answer in ten is sent without noise',
  kind: 'curator',
  source: 'generic: a fallback branch',
  killedBy: ['curator/noise', 'curator/audit'],
  within: 20_000,
  plant: () =>
    curatorOf((options) => {
      let count = 0;
      return centralCurator(
        withPlugins(options, 'mechanism', (mechanism) => {
          const { addNoise } = mechanism as unknown as { readonly addNoise: (...of: unknown[]) => void };
          return {
            addNoise: (...of: unknown[]) => {
              if (count++ % 10 !== 9) addNoise(...of);
            },
          } as never;
        }),
      );
    }),
});

export const xCurator8 = defineMutant({
  id: 'curator/choice-made-without-noise',
  title: 'a choice is made without noise',
  kind: 'curator',
  source: 'generic: the exponential mechanism as an argmin',
  killedBy: ['curator/choice'],
  within: 4000,
  plant: () =>
    changed((inner, options) => ({
      answer(index, query) {
        const answered = inner.answer(index, query);
        if (query.ask !== 'choose') return answered;
        const shadow = centralCurator({
          ...options,
          run: 'shadow',
          data: { ...options.data, ledger: openLedger({ adjacency: options.data.ledger.adjacency }) },
        });
        return { ...answered, answer: shadow.answer(0, { ...query, target: { epsilon: 1e12 } }).answer };
      },
    })),
});

export const halfUtilities = defineMutant({
  id: 'curator/choice-by-half-the-utilities',
  title: 'utilities are in units of twice their sensitivity',
  kind: 'curator',
  source: 'generic: the 2 of the exponential mechanism counted twice',
  killedBy: ['curator/choice'],
  within: 20,
  plant: () =>
    optioned((options) =>
      withPlugins<Selector>(options, 'selector', (plugin) => ({
        choose: (params, utilities, epsilon, random) =>
          plugin.choose(
            params,
            utilities.map((utility) => utility / 2),
            epsilon,
            random,
          ),
      })),
    ),
});

export const xCurator9 = defineMutant({
  id: 'curator/costs-mean-beside-noise-not-charged',
  title: 'what a mean costs beside its noise is not charged',
  kind: 'curator',
  source: 'generic: a failure probability forgotten',
  killedBy: ['curator/mean-contract'],
  within: 20,
  plant: () =>
    filing(() => (entry) => {
      const { charge } = entry.effect;
      return charge?.event.kind === 'core/failing'
        ? {
            ...entry,
            effect: {
              ...entry.effect,
              charge: { ...charge, event: (charge.event as CoreEvent<'core/failing'>).event },
            },
          }
        : entry;
    }),
});

export const xCurator10 = defineMutant({
  id: 'curator/constant-minimiser-declared-iterates-not-querys-domain',
  title: "the constant of a minimiser is that of the declared iterates, not of the query's domain",
  kind: 'curator',
  source: 'a review of this curator found it once',
  killedBy: ['curator/minimiser'],
  within: 20,
  plant: () =>
    optioned((options) =>
      withData(options, (data) => ({
        loss: {
          ...data.loss,
          plugin: {
            ...fieldsOf(data.loss.plugin),
            facts: (params, { iterateNorm: _own, ...domain }) =>
              data.loss.plugin.facts(params, {
                ...domain,
                ...(data.domain.iterateNorm === undefined ? {} : { iterateNorm: data.domain.iterateNorm }),
              }),
          },
        },
      })),
    ),
});

export const xCurator11 = defineMutant({
  id: 'curator/position-drawn-twice-counts-twice',
  title: 'a position that is drawn twice counts twice',
  kind: 'curator',
  source: 'a review of this curator found it once',
  killedBy: ['curator/broken-plugins'],
  within: 20,
  plant: () =>
    curatorOf((options) => {
      let doubled = false;
      const inner = centralCurator(
        withPlugins<Sampler>(options, 'sampler', ({ draw }) => ({
          draw: (params, slots, random) => {
            const rows = draw(params, slots, random);
            const own = new Set(rows);
            doubled = own.size < rows.length;
            return Uint32Array.from(own);
          },
        })),
      );
      return {
        ...inner,
        answer(index, query) {
          doubled = false;
          const answered = inner.answer(index, query);
          return doubled && answered.answer instanceof Float64Array
            ? { ...answered, answer: answered.answer.map((x) => 2 * x) }
            : answered;
        },
      };
    }),
});

export const xCurator12 = defineMutant({
  id: 'curator/curator-given-no-coins-makes-runs-name',
  title: "a curator without a random source derives its randomness from the run's name",
  kind: 'curator',
  source: 'diffprivlib #85: a constant seed',
  killedBy: ['curator/simulation-label'],
  within: 20,
  plant: () =>
    optioned((options) => ({
      ...options,
      random: options.random ?? randomFromKey(new Uint8Array(32).fill(options.run.length), 'secure'),
    })),
});
