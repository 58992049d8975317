import { Corrupt, IncompatiblePlugins, seededRandom, type Mechanism, type Sampler } from '@lethe/core';
import { centralCurator, openLedger } from '@lethe/curator';
import { defined, encode, keyedHash128 } from '@lethe/numerics';
import { defineMutant } from '../mutant.js';
import {
  answering,
  changed,
  curatorOf,
  isVector,
  noising,
  optioned,
  resumedWith,
  withData,
  withLedger,
  withPlugins,
} from './wrap.js';

export const i3a = defineMutant({
  id: 'curator/another-query-recorded-index-answered-noise-own',
  title: 'another query at a recorded index is answered with its own noise and without a charge',
  kind: 'curator',
  source: 'I-3 (i): the query differs',
  killedBy: ['curator/replay', 'curator/charge-stands'],
  within: 40,
  plant: () =>
    changed((inner, options) => ({
      answer(index, query) {
        try {
          return inner.answer(index, query);
        } catch (error) {
          if (!(error instanceof Corrupt) || index >= inner.recorded()) throw error;
          const shadow = centralCurator(
            withData({ ...options, run: `${options.run} again` }, ({ ledger }) => ({
              ledger: openLedger({ adjacency: ledger.adjacency }),
            })),
          );
          return shadow.answer(0, query);
        }
      },
    })),
});

export const i3b = defineMutant({
  id: 'curator/noise-derived-run-label-every-query-shares',
  title: 'noise is derived from the run with one label for all queries',
  kind: 'curator',
  source: "I-3 (ii): fork('noise') for different queries",
  killedBy: ['curator/unrelated-noise'],
  within: 4e5,
  plant: () =>
    noising(
      (add, { run, random }) =>
        (params, value, scale) =>
          add(params, value, scale, defined(random).fork(run).fork('noise')),
    ),
});

export const i3c = defineMutant({
  id: 'curator/noise-function-run-index-whatever-asked',
  title: 'noise is a function of run and index, independent of the query',
  kind: 'curator',
  source: 'I-3 (ii), (iii): a rolled-back ledger gives two queries one noise',
  killedBy: ['curator/unrelated-noise'],
  within: 4e5,
  plant: () =>
    curatorOf((options) => {
      let now = 0;
      const root = defined(options.random).fork(options.run);
      const inner = centralCurator(
        withPlugins<Mechanism>(options, 'mechanism', ({ addNoise }) => ({
          addNoise: (params, value, scale) => addNoise(params, value, scale, root.fork(now)),
        })),
      );
      return {
        ...inner,
        answer: (index, query) => {
          now = index;
          return inner.answer(index, query);
        },
      };
    }),
});

export const i3d = defineMutant({
  id: 'curator/queries-numbered-whoever-answers-run-put-back',
  title:
    'the curator numbers queries itself: a run restored from a backup continues although queries are missing',
  kind: 'curator',
  source: 'I-3 (iii): rollback and forks',
  killedBy: ['curator/entries', 'curator/replay', 'curator/resume'],
  within: 60,
  plant: () => changed((inner) => ({ answer: (_index, query) => inner.answer(inner.recorded(), query) })),
});

export const i3e = defineMutant({
  id: 'curator/any-stored-answer-may-sent-again',
  title: 'any stored answer can be replayed',
  kind: 'curator',
  source: 'I-3: replay iff run, index and digest are those recorded',
  killedBy: ['curator/replay'],
  within: 40,
  plant: () =>
    changed((inner) => ({
      replay(index, query, digest) {
        try {
          inner.replay(index, query, digest);
        } catch {
          /* sent all the same */
        }
      },
    })),
});

export const i3f = defineMutant({
  id: 'curator/recorded-query-answered-again-another-view-data',
  title: 'a recorded query is answered again on other data',
  kind: 'curator',
  source: 'I-3 (iv): data or state are not the same',
  killedBy: ['curator/replay', 'curator/digests'],
  within: 60,
  plant: () => optioned((options) => withData(options, () => ({ view: new Uint8Array(16) }))),
});

export const i3g = defineMutant({
  id: 'curator/participation-noise-stream-begin-anew-run-resumed',
  title: 'participation and noise of a stream restart when a run is resumed',
  kind: 'curator',
  source: 'I-3 (iv): stream sums and unfinished noise',
  killedBy: ['curator/resume', 'curator/stream-participation'],
  within: 800,
  plant: () =>
    optioned((options) =>
      withLedger(options, (ledger) => ({
        openRun: (run, random, reservation) =>
          resumedWith(ledger.openRun(run, random, reservation), ({ push: _push, ...effect }) => effect),
      })),
    ),
});

export const i3h = defineMutant({
  id: 'curator/open-draw-drawn-again-run-resumed',
  title: 'an open draw is redrawn when a run is resumed',
  kind: 'curator',
  source: 'I-3 (v): replayed answer, redrawn batch',
  killedBy: ['curator/resume'],
  within: 800,
  plant: () => {
    let processes = 0;
    return optioned((options) => {
      const fresh = seededRandom(`process ${processes++}`);
      return withPlugins<Sampler>(options, 'sampler', ({ draw }) => ({
        draw: (params, slots, random) => draw(params, slots, fresh.fork(random.bits53())),
      }));
    });
  },
});

export const i3i = defineMutant({
  id: 'curator/query-release-broke-off-charged-again-asked',
  title: 'a query with a failed release is charged again when it is repeated',
  kind: 'curator',
  source: 'I-3: a charge without an answer stays charged, once',
  killedBy: ['curator/charge-stands'],
  within: 20,
  plant: () =>
    changed((inner) => {
      let shift = 0;
      return {
        answer(index, query) {
          try {
            return inner.answer(index + shift, query);
          } catch (error) {
            if (error instanceof IncompatiblePlugins && inner.recorded() > index + shift) shift++;
            throw error;
          }
        },
      };
    }),
});

export const i3j = defineMutant({
  id: 'curator/digests-plain-hash-query',
  title: 'digests are an unkeyed hash of the query',
  kind: 'curator',
  source: 'I-3: a checksum in place of a keyed hash',
  killedBy: ['curator/digests', 'curator/entries'],
  within: 20,
  plant: () =>
    answering((answered, query) => ({
      ...answered,
      digest: Array.from(keyedHash128(new Uint8Array(16), encode(query)), (byte) =>
        byte.toString(16).padStart(2, '0'),
      ).join(''),
    })),
});

export const i3k = defineMutant({
  id: 'curator/one-buffer-serves-all-answers',
  title: 'all answers share one buffer',
  kind: 'curator',
  source: 'generic: arrays in an answer are given, not lent',
  killedBy: ['curator/arrays-lent'],
  within: 60,
  plant: () => {
    const buffer = new Float64Array(1e5);
    return answering((answered) => {
      if (!isVector(answered.answer)) return answered;
      buffer.set(answered.answer);
      return { ...answered, answer: buffer.subarray(0, answered.answer.length) };
    });
  },
});

export const i3l = defineMutant({
  id: 'curator/draw-made-first-used-rate-stands-query',
  title: 'a draw is made at its first use, with the rate in the query at that time',
  kind: 'curator',
  source: 'I-3: found here; an optimizer raised the rate after the charge was amplified by the lower one',
  killedBy: ['curator/arrays-lent'],
  within: 60,
  plant: () =>
    curatorOf((options) => {
      let asked: unknown;
      const inner = centralCurator(
        withPlugins<Sampler>(options, 'sampler', ({ draw, params: schema }) => ({
          draw: (params, slots, random) =>
            draw((schema.safeParse(asked).data ?? params) as never, slots, random),
        })),
      );
      return {
        ...inner,
        answer(index, query) {
          if (query.ask === 'draw') asked = query.sampler.params;
          return inner.answer(index, query);
        },
      };
    }),
});
