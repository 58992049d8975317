import { BudgetExceeded, Corrupt, type Answered, type Query } from '@lethe/core';
import { centralCurator, openLedger } from '@lethe/curator';
import { defined } from '@lethe/numerics';
import { defineMutant } from '../mutant.js';
import { answering, changed, curatorOf, filing, optioned, withData, withLedger } from './wrap.js';

const source = 'issue 14: limits that hold when the next question depends on the last answer';

export const affordsAll = defineMutant({
  id: 'curator/held-run-afford-whatever-asks-about',
  title: 'afford is true for every query of a run with a filter',
  kind: 'curator',
  source,
  killedBy: ['curator/afford', 'curator/held'],
  within: 60,
  plant: () =>
    answering((answered, query) => (query.ask === 'afford' ? { ...answered, answer: true } : answered)),
});

export const costsForgotten = defineMutant({
  id: 'curator/scope-stated-costs-releases-whatever-asked',
  title: 'a scope with declared costs answers every query',
  kind: 'curator',
  source,
  killedBy: ['curator/stated-costs'],
  within: 60,
  plant: () =>
    changed((inner, { planned: _planned, held: _held, ...options }) => {
      const queries: Query[] = [];
      return {
        answer(index, query) {
          try {
            const answered = inner.answer(index, query);
            queries[index] = query;
            return answered;
          } catch (error) {
            if (!(error instanceof BudgetExceeded) || !error.message.includes("'costs'")) throw error;
            const other = centralCurator(
              withData(options, ({ ledger }) => ({ ledger: openLedger({ adjacency: ledger.adjacency }) })),
            );
            let last: Answered | undefined;
            [...queries, query].forEach((each, k) => {
              last = other.answer(
                k,
                each.ask === 'draw' ? { ask: 'draw', sampler: each.sampler, from: each.from } : each,
              );
            });
            return defined(last);
          }
        },
      };
    }),
});

export const costsUnamplified = defineMutant({
  id: 'curator/stated-costs-charged-everyone-drawn',
  title: 'declared costs are charged without their own amplification',
  kind: 'curator',
  source,
  killedBy: ['curator/stated-costs'],
  within: 60,
  plant: () =>
    filing(() => (entry) => {
      const { charge, space } = entry.effect;
      return charge === undefined || space === undefined
        ? entry
        : { ...entry, effect: { ...entry.effect, space: { ...space, sampler: null } } };
    }),
});

export const costsTwice = defineMutant({
  id: 'curator/release-charged-although-scope-charged',
  title: 'a release is charged in addition to its scope',
  kind: 'curator',
  source,
  killedBy: ['curator/stated-costs'],
  within: 60,
  plant: () =>
    filing(() => ({ effect: { prepaid, ...effect }, ...entry }) => ({
      ...entry,
      effect: prepaid === undefined ? effect : { ...effect, charge: prepaid },
    })),
});

export const anyVersion = defineMutant({
  id: 'curator/run-goes-whatever-plugins-called-own',
  title: 'a run resumes with any plugins of the same names, without a record',
  kind: 'curator',
  source: 'issue 14, finding 6',
  killedBy: ['curator/versions'],
  within: 60,
  plant: () =>
    optioned((options) =>
      withLedger(options, (ledger) => ({
        openRun: (run, random, reservation) => ({
          ...ledger.openRun(run, random, reservation),
          uses: () => undefined,
        }),
      })),
    ),
});

export const anyPackage = defineMutant({
  id: 'curator/run-goes-on-with-any-package',
  title: 'a run goes on with any version of the packages it is made with',
  kind: 'curator',
  source: 'issue 15: plugins from anywhere',
  killedBy: ['curator/versions'],
  within: 60,
  plant: () => optioned(({ uses: _uses, ...options }) => options),
});

export const versionOfNamesAlone = defineMutant({
  id: 'curator/run-bound-names-plugins-alone',
  title: 'the record of plugins contains their names only',
  kind: 'curator',
  source: 'issue 14, finding 6',
  killedBy: ['curator/versions'],
  within: 60,
  plant: () =>
    optioned((options) =>
      withLedger(options, (ledger) => ({
        openRun: (run, random, reservation) => {
          const record = ledger.openRun(run, random, reservation);
          return {
            ...record,
            uses: (what, mark, settings) => {
              record.uses(what, what.includes('Lethe') ? mark : what, settings);
            },
          };
        },
      })),
    ),
});

export const planLookedAtOnce = defineMutant({
  id: 'curator/plan-compared-limit-no-charge-plan',
  title: 'a plan is compared with the limit, but charges are not compared with the plan',
  kind: 'curator',
  source,
  killedBy: ['curator/planned'],
  within: 60,
  plant: () =>
    optioned((options) =>
      withLedger(options, (ledger) => ({
        openRun(run, random, reservation) {
          if (reservation?.planned === undefined) return ledger.openRun(run, random, reservation);
          if (!ledger.runs().includes(run)) ledger.assertAffordable(reservation.planned);
          return { ...ledger.openRun(run, random), reserved: reservation.planned };
        },
      })),
    ),
});

export const endedIsSilent = defineMutant({
  id: 'curator/run-ended-tells-nothing-again-paid-lost',
  title: 'an ended run refuses to replay its answers',
  kind: 'curator',
  source: 'issue 14, finding 13',
  killedBy: ['curator/ended'],
  within: 60,
  plant: () =>
    changed((inner, { data, run }) => ({
      answer(index, query) {
        if (data.ledger.openRun(run, undefined as never).ended()) throw new Corrupt('over');
        return inner.answer(index, query);
      },
    })),
});

export const optionsReadAgain = defineMutant({
  id: 'curator/whether-noise-may-left-out-looked-callers',
  title: "allowUnprotected is read from the caller's options at every query",
  kind: 'curator',
  source: 'issue 14: options are copied once at the border',
  killedBy: ['curator/options'],
  within: 10,
  plant: () =>
    curatorOf((options) => {
      const inner = centralCurator(options);
      return {
        ...inner,
        answer(index, query) {
          if (options.allowUnprotected !== true) return inner.answer(index, query);
          try {
            return inner.answer(index, query);
          } catch {
            return centralCurator({
              ...options,
              registry: options.registry.flat(),
              run: 'shadow',
              data: { ...options.data, ledger: openLedger({ adjacency: options.data.ledger.adjacency }) },
            }).answer(0, query);
          }
        },
      };
    }),
});
