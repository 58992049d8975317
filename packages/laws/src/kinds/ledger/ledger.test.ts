import {
  composedEvent,
  freeEvent,
  memoryStore,
  parallelEvent,
  type FilterMaker,
  type Store,
} from '@lethe/core';
import { openLedger, type Ledger, type LedgerOptions, type Limit } from '@lethe/curator';
import { defined } from '@lethe/numerics';
import { describe, expect, test } from 'vitest';
import { runLaws } from '../../law/run.js';
import type { Subject } from '../../law/subject.js';
import { ledgerLaws } from './index.js';
import { endAtFirstViolation } from '../../../test/first-violation.js';

endAtFirstViolation();

const subject = (open: (options: LedgerOptions) => Ledger): Subject<'ledger'> => ({
  kind: 'ledger',
  name: 'planted',
  claims: [],
  open,
});
/** Core's ledger with something changed. */
const changed = (change: (ledger: Ledger, options: LedgerOptions) => Partial<Ledger>): Subject<'ledger'> =>
  subject((options) => {
    const ledger = openLedger(options);
    return { ...ledger, ...change(ledger, options) };
  });
const filterOf = ({ filter, accountant }: Limit): FilterMaker => filter ?? defined(accountant.filter);
const broken = async (tried: Subject<'ledger'>, only: readonly string[]): Promise<readonly string[]> =>
  (await runLaws(ledgerLaws, tried, { only }))
    .filter(({ finding }) => finding.verdict === 'fails')
    .map(({ law }) => law);

describe('laws of ledgers', () => {
  test.each([
    [
      'a total without the last charge',
      'ledger/total',
      changed((ledger) => {
        let last = ledger.total();
        return {
          append: (entry) => {
            last = ledger.total();
            ledger.append(entry);
          },
          total: () => last,
        };
      }),
    ],
    [
      'a total that charges disjoint slots twice',
      'ledger/total',
      changed((ledger) => ({ total: () => composedEvent([ledger.total(), ledger.total()]) })),
    ],
    [
      "a run's cost for the cost of all",
      'ledger/spent-by',
      changed((ledger) => ({ spentBy: () => ledger.total() })),
    ],
    [
      'a total that drops ended runs',
      'ledger/never-less',
      changed((ledger) => {
        let over = false;
        return {
          endRun: (run) => {
            ledger.endRun(run);
            over = true;
          },
          total: () => (over ? freeEvent : ledger.total()),
        };
      }),
    ],
    [
      'a run whose end is not recorded',
      'ledger/records',
      changed((ledger) => ({ endRun: () => void ledger })),
    ],
    [
      'runs in the wrong order',
      'ledger/records',
      changed((ledger) => ({ runs: () => ledger.runs().toSorted().toReversed() })),
    ],
    [
      'a limit that is ignored',
      'ledger/limit',
      subject(({ adjacency, store }) => openLedger({ adjacency, ...(store && { store }) })),
    ],
    [
      'a limit that refuses charges within it',
      'ledger/limit',
      subject(({ limit, ...options }) =>
        openLedger({
          ...options,
          ...(limit && {
            limit: {
              ...limit,
              filter: (request) => filterOf(limit)({ ...request, epsilon: request.epsilon - 0.2 }),
              accountant: {
                epsilon: (event, query) => {
                  const answer = limit.accountant.epsilon(event, query);
                  return { ...answer, upper: answer.upper + 0.2 };
                },
              },
            },
          }),
        }),
      ),
    ],
    [
      'a plan compared with the limit without earlier costs',
      'ledger/affordable',
      changed((ledger, { limit }) => ({
        assertAffordable: (event) => {
          if (
            limit !== undefined &&
            limit.accountant.epsilon(event, { adjacency: 'zero-out', delta: 0 }).upper > limit.epsilon
          )
            ledger.assertAffordable(event);
        },
      })),
    ],
    [
      'a limit that can be raised without raiseLimit',
      'ledger/limit-kept',
      subject((options) => openLedger({ ...options, raiseLimit: true })),
    ],
    [
      'charges kept in memory',
      'ledger/survives',
      subject(({ store, ...options }) => {
        void store;
        return openLedger(options);
      }),
    ],
    [
      'a charge written late',
      'ledger/survives',
      subject((options) =>
        openLedger(options.store === undefined ? options : { ...options, store: late(options.store) }),
      ),
    ],
    [
      'a failed write that is ignored',
      'ledger/written-first',
      subject((options) =>
        openLedger(
          options.store === undefined
            ? options
            : {
                ...options,
                store: {
                  ...options.store,
                  append: (bytes) => {
                    try {
                      defined(options.store).append(bytes);
                    } catch {
                      /* Overlooked. */
                    }
                  },
                },
              },
        ),
      ),
    ],
    [
      'other data accepted',
      'ledger/bind',
      changed(() => ({
        bind: (fingerprint) => void fingerprint(new Uint8Array(16), { namesUnit: true, isBySums: true }),
      })),
    ],
    [
      'a plan charged in parallel instead of in sequence',
      'ledger/affordable',
      changed((ledger, { limit }) => ({
        assertAffordable: (event) => {
          if (
            limit !== undefined &&
            limit.accountant.epsilon(parallelEvent([ledger.total(), event]), {
              adjacency: 'zero-out',
              delta: 0,
            }).upper > limit.epsilon
          )
            ledger.assertAffordable(event);
        },
      })),
    ],
  ])('find %s', async (_, law, tried) => expect(await broken(tried, [law])).toEqual([law]));

  test('a failure says what was spent and what the ledger says', async () => {
    const [report] = await runLaws(
      ledgerLaws,
      changed(() => ({ total: () => freeEvent })),
      { only: ['ledger/total'] },
    );
    expect(report.finding).toMatchObject({
      verdict: 'fails',
      violation: {
        what: expect.stringMatching(/all runs have spent ε = .* slot by slot; the ledger has 0, too little/u),
        measured: 0,
      },
    });
  });
});

/** A store that delays each append until the next one. */
function late(store: Store): Store {
  let held = new Uint8Array();
  return {
    ...store,
    append: (bytes) => {
      if (held.length > 0) store.append(held);
      held = bytes.slice() as Uint8Array<ArrayBuffer>;
    },
    read: () => (held.length === 0 ? store.read() : memoryStore(store.read()).read()),
  };
}
