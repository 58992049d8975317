import { composedEvent, type FilterMaker, type PrivacyFilter } from '@lethe/core';
import { openLedger, type Ledger, type LedgerOptions, type Limit } from '@lethe/curator';
import { defined } from '@lethe/numerics';
import { defineMutant } from '../mutant.js';
import { changed, subject } from './plant.js';

const source = 'issue 14, finding 4: limits that hold when the next question depends on the last answer';
const makerOf = ({ filter, accountant }: Limit): FilterMaker => filter ?? defined(accountant.filter);
/** A ledger with a changed filter of its limit. */
const keptBy =
  (
    change: (
      filter: PrivacyFilter,
      limit: Limit,
      request: Parameters<FilterMaker>[0],
    ) => Partial<PrivacyFilter>,
  ) =>
  () =>
    subject((options) => {
      const { limit } = options;
      if (limit === undefined) return openLedger(options);
      return openLedger({
        ...options,
        limit: {
          ...limit,
          filter: (request) => {
            const filter = makerOf(limit)(request);
            return { ...filter, ...change(filter, limit, request) };
          },
        },
      });
    });
const accounted =
  (limit: Limit, { epsilon, delta, adjacency }: Parameters<FilterMaker>[0]): PrivacyFilter['admits'] =>
  (event) =>
    limit.accountant.epsilon(event, { adjacency, delta }).upper <= epsilon;

export const accountantDecides = defineMutant({
  id: 'ledger/accountant-composition-far-decides-limit',
  kind: 'ledger',
  title: 'an accountant of the total composition decides on the limit',
  source,
  killedBy: ['ledger/filter-decides'],
  within: 60,
  plant: keptBy((_filter, limit, request) => ({ admits: accounted(limit, request) })),
});

export const anythingIsFixed = defineMutant({
  id: 'ledger/alternatives-parallel-taken-fixed-advance',
  kind: 'ledger',
  title: 'parallel alternatives count as fixed in advance',
  source,
  killedBy: ['ledger/fixed-in-advance'],
  within: 120,
  plant: () =>
    subject((options) => {
      const { limit } = options;
      if (limit === undefined) return openLedger(options);
      let isAnswered = false;
      const filter: FilterMaker = (request) => {
        const own = makerOf(limit)(request);
        return {
          ...own,
          admits: (event) => own.admits(event) || (!isAnswered && accounted(limit, request)(event)),
        };
      };
      const ledger = openLedger({ ...options, limit: { ...limit, filter } });
      isAnswered = ledger.total().kind !== 'core/free';
      return {
        ...ledger,
        append(entry) {
          ledger.append(entry);
          isAnswered ||= entry.effect.charge !== undefined;
        },
      };
    }),
});

export const anyFilter = defineMutant({
  id: 'ledger/limit-stored-without-fixes-filter',
  kind: 'ledger',
  title: 'a limit is stored without its filter',
  source,
  killedBy: ['ledger/filter-kept'],
  within: 20,
  plant: keptBy(() => ({ spec: null })),
});

export const onlyTheLast = defineMutant({
  id: 'ledger/tighter-limit-takes-place-one-before',
  kind: 'ledger',
  title: 'a tighter limit replaces the earlier one',
  source,
  killedBy: ['ledger/filter-kept'],
  within: 20,
  plant: keptBy((filter, limit, { epsilon, delta }) => ({
    admits: (event) => epsilon !== limit.epsilon || delta !== limit.delta || filter.admits(event),
  })),
});

export const comparedOnce = defineMutant({
  id: 'ledger/run-sets-aside-compared-limit-forgotten',
  kind: 'ledger',
  title: 'the reservation of a run is compared with the limit and not stored',
  source,
  killedBy: ['ledger/reserved'],
  within: 60,
  plant: () =>
    changed((ledger) => ({
      openRun(run, random, reservation) {
        if (reservation?.planned === undefined) return ledger.openRun(run, random, reservation);
        if (!ledger.runs().includes(run)) ledger.assertAffordable(reservation.planned);
        return ledger.openRun(run, random);
      },
    })),
});

export const forgottenAtReopening = defineMutant({
  id: 'ledger/planned-runs-set-aside-forgotten-ledger-opened',
  kind: 'ledger',
  title: 'reservations of planned runs are lost when the ledger is reopened',
  source,
  killedBy: ['ledger/reserved'],
  within: 60,
  plant: () =>
    subject((options: LedgerOptions): Ledger => {
      const ledger = openLedger(options);
      const beforehand = ledger.runs().filter((run) => {
        try {
          return ledger.openRun(run, undefined as never).reserved !== null;
        } catch {
          return false;
        }
      });
      if (beforehand.length === 0 || options.limit === undefined) return ledger;
      const lenient = openLedger({ adjacency: options.adjacency, limit: options.limit });
      return {
        ...ledger,
        assertAffordable: (event) => {
          lenient.assertAffordable(event);
        },
      };
    }),
});

export const heldCostsItsCharges = defineMutant({
  id: 'ledger/run-held-filter-said-cost-charged',
  kind: 'ledger',
  title: 'the cost of a run with a filter is the total of its charges',
  source,
  killedBy: ['ledger/reserved'],
  within: 60,
  plant: () => changed((ledger) => ({ spentBy: (run) => ledger.chargedBy(run) })),
});

export const endedCostsItsCharges = defineMutant({
  id: 'ledger/run-held-filter-costs-charged-once-ended',
  kind: 'ledger',
  title: 'the cost of an ended run with a filter is the total of its charges',
  source,
  killedBy: ['ledger/reserved'],
  within: 60,
  plant: () =>
    changed((ledger) => {
      const ended = new Set<string>();
      return {
        endRun(run) {
          ledger.endRun(run);
          ended.add(run);
        },
        total: () =>
          composedEvent(
            ledger.runs().map((run) => (ended.has(run) ? ledger.chargedBy(run) : ledger.spentBy(run))),
          ),
      };
    }),
});
