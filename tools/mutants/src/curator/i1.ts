import { BudgetExceeded, type Mechanism, type Query } from '@lethe/core';
import { centralCurator, openLedger } from '@lethe/curator';
import { defined } from '@lethe/numerics';
import { defineMutant } from '../mutant.js';
import { changed, curatorOf, filing, noising, optioned, withData, withPlugins } from './wrap.js';

export const i1a = defineMutant({
  id: 'curator/charge-written-after-release',
  title: 'the charge is written after the release',
  kind: 'curator',
  source: 'I-1: order of limit, charge, draw, answer',
  killedBy: ['curator/charge-first', 'curator/charge-stands', 'curator/limit'],
  within: 60,
  plant: () =>
    curatorOf((options) => {
      const real = options.data.ledger;
      const shadow = openLedger({ adjacency: real.adjacency });
      const record = real.openRun(options.run, defined(options.random));
      shadow.openRun(options.run, record.random);
      for (const entry of record.entries) shadow.append(entry);
      const inner = centralCurator(
        withData(options, () => ({ ledger: { ...shadow, assertAffordable: real.assertAffordable } })),
      );
      return {
        ...inner,
        answer(index, query) {
          const answered = inner.answer(index, query);
          const { entries } = shadow.openRun(options.run, record.random);
          if (index >= record.entries.length) real.append(entries.entry(index));
          return answered;
        },
      };
    }),
});

export const i1b = defineMutant({
  id: 'curator/last-entry-answer-no-noise',
  title: 'the last entry of an answer has no noise',
  kind: 'curator',
  source: 'I-1: released by no mechanism; NVFlare #343',
  killedBy: ['curator/scale', 'curator/only-mechanisms-tell', 'curator/noise'],
  within: 60,
  plant: () =>
    noising(
      (add) => (params, value, scale, random) =>
        add(params, value.length > 1 ? value.subarray(0, -1) : value, scale, random),
    ),
});

export const i1c = defineMutant({
  id: 'curator/sensitivity-written-query-believed',
  title: 'a sensitivity in the query is used',
  kind: 'curator',
  source: 'I-1: the optimizer could understate it',
  killedBy: ['curator/own-scale'],
  within: 60,
  plant: () =>
    curatorOf((options) => {
      let given: number | undefined;
      const inner = centralCurator(
        withPlugins<Mechanism>(options, 'mechanism', ({ addNoise }) => ({
          addNoise: (params, value, scale, random) => addNoise(params, value, given ?? scale, random),
        })),
      );
      return {
        ...inner,
        answer(index, query) {
          const { sensitivity, ...rest } = query as Query & { readonly sensitivity?: number };
          given = sensitivity;
          return inner.answer(index, rest as Query);
        },
      };
    }),
});

export const i1d = defineMutant({
  id: 'curator/normaliser-read-off-token',
  title: 'the normaliser is read from the token',
  kind: 'curator',
  source: 'I-1: the optimizer could understate the sensitivity',
  killedBy: ['curator/own-scale'],
  within: 60,
  plant: () =>
    curatorOf((options) => {
      let factor = 1;
      const inner = centralCurator(
        withPlugins<Mechanism>(options, 'mechanism', ({ addNoise }) => ({
          addNoise: (params, value, scale, random) => addNoise(params, value, scale * factor, random),
        })),
      );
      return {
        ...inner,
        answer(index, query) {
          factor =
            query.ask === 'mean' && query.batch.id === inner.allRecords.id
              ? inner.allRecords.normaliser / query.batch.normaliser
              : 1;
          return inner.answer(index, query);
        },
      };
    }),
});

export const i1e = defineMutant({
  id: 'curator/every-run-ledger-budget-own',
  title: 'every run has its own ledger and budget',
  kind: 'curator',
  source: 'I-1: 20 repetitions on one data set report 20 times ε = 1',
  killedBy: ['curator/limit', 'curator/every-release-pays'],
  within: 60,
  plant: () =>
    optioned((options) =>
      withData(options, ({ ledger }) => ({
        ledger: openLedger({
          adjacency: ledger.adjacency,
          ...(ledger.limit === null ? {} : { limit: ledger.limit }),
        }),
      })),
    ),
});

export const i1f = defineMutant({
  id: 'curator/refusal-limit-quotes-answered',
  title: 'the error of the limit contains the answer',
  kind: 'curator',
  source: 'I-1: a refusal depends on public values only',
  killedBy: ['curator/limit'],
  within: 100,
  plant: () =>
    changed((inner, { data }) => ({
      answer(index, query) {
        try {
          return inner.answer(index, query);
        } catch (error) {
          throw error instanceof BudgetExceeded
            ? new BudgetExceeded(
                `${error.message} (largest record: ${Math.max(...data.norms)})`,
                error.details,
              )
            : error;
        }
      },
    })),
});

export const i1g = defineMutant({
  id: 'curator/second-release-same-event-not-charged',
  title: 'a second release at the same event is not charged',
  kind: 'curator',
  source: 'I-1: A06 at the curator; MOSTLY AI double spending (Re:cord-play)',
  killedBy: ['curator/every-release-pays', 'curator/charge-first'],
  within: 60,
  plant: () =>
    filing(() => {
      let last = '';
      return (entry) => {
        const { charge, ...rest } = entry.effect;
        const text = JSON.stringify(charge);
        if (charge === undefined || text !== last) {
          last = charge === undefined ? last : text;
          return entry;
        }
        last = '';
        return { ...entry, effect: rest };
      };
    }),
});

export const i1h = defineMutant({
  id: 'curator/refused-query-leaves-entry-takes-number',
  title: 'a refused query leaves an entry at its index',
  kind: 'curator',
  source: 'I-1: nothing was released, so nothing is written',
  killedBy: ['curator/entries', 'curator/limit'],
  within: 60,
  plant: () =>
    changed((inner, { data, run }) => ({
      answer(index, query) {
        try {
          return inner.answer(index, query);
        } catch (error) {
          if (index === inner.recorded()) data.ledger.append({ run, index, digest: 'refused', effect: {} });
          throw error;
        }
      },
    })),
});
