import {
  BudgetExceeded,
  composedEvent,
  freeEvent,
  memoryStore,
  parallelEvent,
  sampledEvent,
  type PrivacyEvent,
  type Store,
} from '@lethe/core';
import { openLedger, type Entry, type Ledger } from '@lethe/curator';
import { defineMutant } from '../mutant.js';
import { changed, subject } from './plant.js';

export const overlapsInParallel = defineMutant({
  id: 'ledger/stretches-overlap-taken-disjoint-ones',
  kind: 'ledger',
  title: 'overlapping ranges count as disjoint',
  source: 'generic',
  killedBy: ['ledger/total'],
  within: 10,
  plant: () =>
    changed((ledger) => ({
      total: () => {
        const entries = ledger.runs().flatMap((run) => [...ledger.openRun(run, undefined as never).entries]);
        const stretches = new Map<string, PrivacyEvent[]>();
        for (const {
          effect: { charge },
        } of entries)
          if (charge !== undefined) {
            const key = `${charge.on.space} ${charge.on.from}-${charge.on.to}`;
            stretches.set(key, [...(stretches.get(key) ?? []), charge.event]);
          }
        return parallelEvent([...stretches.values()].map(composedEvent));
      },
    })),
});

export const amplifiedTwice = defineMutant({
  id: 'ledger/shuffle-earns-amplification-poisson-sample',
  kind: 'ledger',
  title: 'a shuffle is amplified like a Poisson sample',
  source: 'arXiv 2403.17673',
  killedBy: ['ledger/total'],
  within: 60,
  plant: () =>
    changed((ledger) => ({
      append: (entry) => {
        const { space } = entry.effect;
        ledger.append(
          space === undefined || space.sampler !== null
            ? entry
            : {
                ...entry,
                effect: {
                  ...entry.effect,
                  space: { ...space, sampler: { kind: 'core/poisson', rate: 0.5 } },
                },
              },
        );
      },
    })),
});

export const endedIsForgotten = defineMutant({
  id: 'ledger/cost-run-over-let-go',
  kind: 'ledger',
  title: 'the cost of an ended run is dropped',
  source: 'generic',
  killedBy: ['ledger/never-less', 'ledger/total'],
  within: 60,
  plant: () =>
    changed((ledger) => {
      const over = new Set<string>();
      return {
        endRun: (run) => {
          ledger.endRun(run);
          over.add(run);
        },
        total: () =>
          over.size === 0
            ? ledger.total()
            : composedEvent(
                ledger
                  .runs()
                  .filter((run) => !over.has(run))
                  .map((run) => ledger.spentBy(run)),
              ),
      };
    }),
});

export const limitLooksBack = defineMutant({
  id: 'ledger/limit-compared-spent-before-charge-not',
  kind: 'ledger',
  title: 'the limit is compared with the total without the new charge',
  source: 'generic',
  killedBy: ['ledger/limit'],
  within: 60,
  plant: () =>
    subject(({ limit, ...options }) => {
      const ledger = openLedger(options);
      return {
        ...ledger,
        limit: limit ?? null,
        append: (entry: Entry) => {
          const { charge } = entry.effect;
          if (
            charge !== undefined &&
            limit !== undefined &&
            limit.accountant.epsilon(ledger.total(), { adjacency: 'zero-out', delta: limit.delta }).upper >
              limit.epsilon
          )
            throw new BudgetExceeded('spent', {});
          ledger.append(entry);
        },
      };
    }),
});

export const writesBeforeItLooks = defineMutant({
  id: 'ledger/refused-charge-stays-ledger',
  kind: 'ledger',
  title: 'a refused charge stays in the ledger',
  source: 'generic',
  killedBy: ['ledger/limit'],
  within: 60,
  plant: () =>
    subject(({ limit, ...options }) => {
      const ledger = openLedger(options);
      return {
        ...ledger,
        append: (entry: Entry) => {
          ledger.append(entry);
          if (
            limit !== undefined &&
            limit.accountant.epsilon(ledger.total(), { adjacency: 'zero-out', delta: limit.delta }).upper >
              limit.epsilon
          )
            throw new BudgetExceeded('spent', {});
        },
      };
    }),
});

/** Delays appended bytes until several appends are pending. */
function buffered(store: Store): Store {
  const waiting: Uint8Array[] = [];
  return {
    ...store,
    append: (bytes) => {
      waiting.push(bytes.slice());
      if (waiting.length >= 4) for (const each of waiting.splice(0)) store.append(each);
    },
  };
}
export const writesLate = defineMutant({
  id: 'ledger/charges-written-four-time',
  kind: 'ledger',
  title: 'charges are written four at a time',
  source: 'generic',
  killedBy: ['ledger/survives', 'ledger/records'],
  within: 10,
  plant: () =>
    subject((options) =>
      openLedger(options.store === undefined ? options : { ...options, store: buffered(options.store) }),
    ),
});

export const freshKeys = defineMutant({
  id: 'ledger/run-opened-again-gets-key-offered',
  kind: 'ledger',
  title: 'a reopened run gets a new key',
  source: 'generic',
  killedBy: ['ledger/records'],
  within: 5,
  plant: () =>
    changed((ledger) => ({
      openRun: (run, random, reservation) => {
        const record = ledger.openRun(run, random, reservation);
        return { ...record, random: random ?? record.random };
      },
    })),
});

export const anyData = defineMutant({
  id: 'ledger/data-recognised-first-byte-fingerprint',
  kind: 'ledger',
  title: 'data are compared by the first byte of their fingerprint',
  source: 'generic',
  killedBy: ['ledger/bind'],
  within: 12,
  plant: () =>
    changed((ledger) => ({
      bind: (fingerprint) =>
        ledger.bind((key, form) => {
          const whole = fingerprint(key, form);
          return new Uint8Array(whole.length).fill(whole[0]);
        }),
    })),
});

export const runsInParallel = defineMutant({
  id: 'ledger/runs-one-data-set-counted-different-ones',
  kind: 'ledger',
  title: 'runs on one data set are charged in parallel',
  source: 'generic',
  killedBy: ['ledger/total'],
  within: 30,
  plant: () =>
    changed((ledger) => ({
      total: () => parallelEvent([freeEvent, ...ledger.runs().map((run) => ledger.spentBy(run))]),
    })),
});

export const damagedIsEmpty = defineMutant({
  id: 'ledger/damaged-ledger-opened-new-one',
  kind: 'ledger',
  title: 'a damaged ledger is opened as a new one',
  source: 'generic',
  killedBy: ['ledger/damage'],
  within: 5,
  plant: () =>
    subject((options) => {
      try {
        return openLedger(options);
      } catch (error) {
        if (options.store?.read().length === 0 || !(error instanceof Error) || error.name !== 'Corrupt')
          throw error;
        return openLedger({ ...options, store: memoryStore() });
      }
    }),
});

export const amplifiedEach = defineMutant({
  id: 'ledger/answers-one-scope-amplified-one-one-each',
  kind: 'ledger',
  title: 'answers in one scope are amplified separately, as for independent batches',
  source: 'docs/decisions/0006',
  killedBy: ['ledger/total'],
  within: 10,
  plant: () =>
    changed((ledger) => {
      const samplers = new Map<string, (event: PrivacyEvent) => PrivacyEvent>();
      return {
        append: (entry) => {
          const { space, charge } = entry.effect;
          if (space !== undefined)
            samplers.set(
              space.id,
              space.sampler === null
                ? (event) => event
                : (
                    (sampler) => (event) =>
                      sampledEvent(sampler, event)
                  )(space.sampler),
            );
          ledger.append({
            ...entry,
            effect: {
              ...entry.effect,
              ...(space === undefined ? {} : { space: { ...space, sampler: null } }),
              ...(charge === undefined
                ? {}
                : {
                    charge: {
                      ...charge,
                      event: samplers.get(charge.on.space)?.(charge.event) ?? charge.event,
                    },
                  }),
            },
          });
        },
      };
    }),
});

export const endsKeepTheirPlans = defineMutant({
  id: 'ledger/run-that-ended-counts-with-its-plan',
  kind: 'ledger',
  title: 'a planned run that ended counts with its plan, not with its charges',
  source: 'issue 19: a refusal ends a run at all silos',
  killedBy: ['ledger/reserved'],
  within: 60,
  plant: () => changed((ledger) => ({ endRun: (run) => ledger.endRun(run, { keepReserved: true }) })),
});

/** A ledger whose ended runs count against the limit with their charges, if `isFree` says so. */
const endsFreely = (isFree: (ledger: Ledger, run: string, how: EndOptions) => boolean) => () =>
  changed((ledger, { limit }) => {
    const free = new Set<string>();
    return {
      endRun: (run, how = {}) => {
        if (isFree(ledger, run, how)) free.add(run);
        ledger.endRun(run, how);
      },
      assertAffordable: (event) => {
        if (limit === undefined) return;
        const counts = ledger
          .runs()
          .map((run) => (free.has(run) ? ledger.chargedBy(run) : ledger.standing(run).counts));
        const { upper } = limit.accountant.epsilon(composedEvent([...counts, event]), {
          adjacency: ledger.adjacency,
          delta: limit.delta,
        });
        if (upper > limit.epsilon) throw new BudgetExceeded('spent', {});
      },
    };
  });
type EndOptions = NonNullable<Parameters<Ledger['endRun']>[1]>;

export const stopsInsideSamples = defineMutant({
  id: 'ledger/run-that-stops-inside-a-sample-counts-with-its-charges',
  kind: 'ledger',
  title: 'a planned run that ends inside a sample gives back the rest of its plan',
  source: 'docs/decisions/0025',
  killedBy: ['ledger/stopped-inside'],
  within: 10,
  plant: endsFreely((_ledger, _run, { keepReserved = false }) => !keepReserved),
});

export const olderLedgersRelease = defineMutant({
  id: 'ledger/older-ledger-releases-what-it-does-not-know',
  kind: 'ledger',
  title: 'a run of a ledger that may be older than its answers gives back the rest of its plan',
  source: 'docs/decisions/0047',
  killedBy: ['ledger/stopped-inside'],
  within: 10,
  plant: () => changed((ledger) => ({ endRun: (run) => ledger.endRun(run) })),
});

export const unitForgotten = defineMutant({
  id: 'ledger/unit-forgotten',
  kind: 'ledger',
  title: 'takes records one by one into a ledger that adds up what owners have spent',
  source: 'generic',
  killedBy: ['ledger/bind'],
  within: 12,
  plant: () => changed((ledger) => ({ bind: (fingerprint) => ledger.bind(fingerprint) })),
});
