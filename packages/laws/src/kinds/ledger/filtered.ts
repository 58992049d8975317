import {
  BudgetExceeded,
  InvalidParameter,
  memoryStore,
  repeatedEvent,
  Unsupported,
  type FilterMaker,
} from '@lethe/core';
import type { Ledger, LedgerOptions, Limit } from '@lethe/curator';
import { defined } from '@lethe/numerics';
import { judge } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { asks, begun, outcome, refusing } from './asked.js';
import { pureFilter, saying } from './filters.js';
import { fixedInAdvance } from './fixed-in-advance.js';
import { equal, pureOf } from './model.js';
import { noise, rootOf } from './fixture.js';

const filterDecides = defineLaw<'ledger'>({
  id: 'ledger/filter-decides',
  kind: 'ledger',
  tier: 'exact',
  statement:
    'after the first answer the filter alone decides: events that it refuses are refused whatever the ' +
    'accountant certifies, events that it admits are accepted whatever the accountant says; an event ' +
    'that it cannot compose is Unsupported, with nothing written',
  power:
    'certain for charges, plans and queries about plans, ' +
    'in the ledger that answered and in one that is opened again',
  check: (subject) => {
    let tried = 0;
    for (const [what, ask] of Object.entries(asks))
      for (const reopened of [false, true])
        for (const answered of [1, 2]) {
          tried += 3;
          const generous = begun(
            subject,
            answered,
            { epsilon: 1, delta: 0, accountant: { ...saying(0), filter: refusing } },
            reopened,
          );
          const before = generous.bytes();
          const stern = begun(
            subject,
            answered,
            { epsilon: 1, delta: 0, accountant: { ...saying(Infinity), filter: pureFilter() } },
            reopened,
          );
          const puzzled = begun(
            subject,
            answered,
            {
              epsilon: 1,
              delta: 0,
              accountant: saying(0),
              filter: (request) => ({
                ...pureFilter()(request),
                admits: () => {
                  throw new Unsupported('no sum', {});
                },
              }),
            },
            reopened,
          );
          const unread = puzzled.bytes();
          const refused = outcome(() => ask(generous.ledger, noise(2), answered));
          if (!(refused instanceof BudgetExceeded))
            return judge(tried, {
              what: `${what} that the filter refuses is ${
                refused === undefined ? 'accepted' : `refused as ${String(refused)}`
              } after ${answered} answers, as the accountant certifies its cost at 0`,
            });
          if (generous.bytes() !== before)
            return judge(tried, { what: `${what} that the filter refuses was written` });
          const admitted = outcome(() => ask(stern.ledger, noise(2), answered));
          if (admitted !== undefined)
            return judge(tried, {
              what:
                `${what} that the filter admits is refused ` +
                `after ${answered} answers: ${admitted.message}`,
            });
          const unknown = outcome(() => ask(puzzled.ledger, noise(2), answered));
          if (!(unknown instanceof Unsupported) || puzzled.bytes() !== unread)
            return judge(tried, {
              what: `${what} that the filter cannot add up is ${
                unknown === undefined ? 'accepted' : `refused as ${String(unknown)}`
              }; expected Unsupported and nothing written`,
            });
        }
    return judge(tried, undefined);
  },
});

const certified = defineLaw<'ledger'>({
  id: 'ledger/certified',
  kind: 'ledger',
  tier: 'exact',
  statement:
    'before the first answer, an event that the filter refuses is accepted only with a certified upper ' +
    'bound within the limit : with an accountant that estimates, returns NaN or refuses, the event is ' +
    'refused and nothing be written',
  power: 'certain',
  check: (subject) => {
    const answers: readonly (readonly [string, Limit['accountant']])[] = [
      ['an estimate', saying(0, 'estimate')],
      ['NaN', saying(NaN)],
      ['a wide interval', saying(2)],
      [
        'that the accountant refuses',
        {
          epsilon: () => {
            throw new Unsupported('no answer', {});
          },
        },
      ],
    ];
    let tried = 0;
    for (const [what, ask] of Object.entries(asks)) {
      for (const [known, accountant] of answers) {
        tried++;
        const { ledger, bytes } = begun(
          subject,
          0,
          { epsilon: 1, delta: 0, accountant, filter: refusing },
          false,
        );
        if (what === 'a charge') ledger.openRun('run-0', rootOf('run-0'));
        const before = bytes();
        if (outcome(() => ask(ledger, noise(1), 0)) === undefined)
          return judge(tried, {
            what: `${what} is accepted although the filter refuses it and its cost has only ${known}`,
          });
        if (bytes() !== before || !equal(pureOf(ledger.total()), 0))
          return judge(tried, {
            what: `${what} with only ${known} for its cost was refused, but written`,
          });
      }
      const { ledger } = begun(
        subject,
        0,
        { epsilon: 1, delta: 0, accountant: saying(1), filter: refusing },
        true,
      );
      const first = outcome(() => ask(ledger, noise(1), 0));
      if (first !== undefined)
        return judge(tried, {
          what:
            `${what}, fixed before the first answer and certified at ε = 1 of 1, ` +
            `is refused: ${first.message}`,
        });
    }
    return judge(tried, undefined);
  },
});

/**
 * A filter with room for δ/0.001 units of the limit's δ, for any ε; another rule for each
 * name.
 */
const byDelta =
  (rule: string): FilterMaker =>
  ({ epsilon, delta }) => {
    const most = 1 + Math.round(delta * 1000);
    return {
      ...pureFilter(rule)({ epsilon, delta, adjacency: 'zero-out' }),
      spec: { rule, most },
      admits: (event) => pureOf(event) <= most * (1 + 1e-9),
      share: (event) => pureOf(event) / most,
    };
  };
/** More room for smaller δ: a tighter limit admits more. */
const contrary: FilterMaker = (request) => ({
  ...byDelta('laws/contrary')({ ...request, delta: 0.01 - request.delta }),
});
const unitsIn = (ledger: Ledger): number => {
  let units = 0;
  while (
    units < 20 &&
    outcome(() => ledger.assertAffordable(repeatedEvent(noise(1), units + 1))) === undefined
  )
    units++;
  return units;
};

const filterKept = defineLaw<'ledger'>({
  id: 'ledger/filter-kept',
  kind: 'ledger',
  tier: 'exact',
  statement:
    'a stored filter is permanent: another rule or other parameters for a limit in ' +
    'force throw InvalidParameter, also with raiseLimit for a limit that is not looser, ' +
    'and also for an older limit to which a tighter one was added ; ' +
    'both then apply. Only a looser limit, with raiseLimit, replaces the earlier ones',
  power: 'certain',
  check: ({ open }) => {
    const stern = saying(Infinity);
    const given = (
      store: LedgerOptions['store'],
      delta: number,
      filter: FilterMaker,
      raiseLimit = false,
    ): LedgerOptions => ({
      adjacency: 'zero-out',
      store: defined(store),
      raiseLimit,
      limit: { epsilon: 4, delta, accountant: stern, filter },
    });
    const refusedAs = (options: LedgerOptions): string => {
      const error = outcome(() => {
        open(options);
      });
      if (error instanceof InvalidParameter) return '';
      return error === undefined ? 'accepted' : String(error);
    };
    const found: string[] = [];
    const want = (what: string, said: string): void => {
      if (said !== '') found.push(`${what}: ${said}`);
    };
    const store = memoryStore();
    open(given(store, 0.003, byDelta('laws/by-delta')));
    for (const raise of [false, true])
      want(
        `another rule for the same limit${raise ? ' with raiseLimit' : ''}`,
        refusedAs(given(store, 0.003, byDelta('laws/another'), raise)),
      );
    want(
      'a tighter limit with another rule, without the older limit',
      refusedAs(given(store, 0.001, byDelta('laws/another'))),
    );
    want(
      'the same limit with its own rule',
      outcome(() => {
        open(given(store, 0.003, byDelta('laws/by-delta')));
      })?.message ?? '',
    );
    const both = memoryStore();
    open(given(both, 0.008, contrary));
    for (const again of [1, 2]) {
      const units = unitsIn(open(given(both, 0.002, contrary)));
      want(
        `units within a limit and an added limit, opened ${again} times`,
        units === 3 ? '' : `${units}; expected the 3 of the older limit`,
      );
    }
    want(
      'an older limit with another rule',
      refusedAs(
        given(both, 0.002, (request) =>
          request.delta === 0.002 ? contrary(request) : byDelta('laws/another')(request),
        ),
      ),
    );
    want('the looser limit without raiseLimit', refusedAs(given(both, 0.008, contrary)));
    const raised = outcome(() => {
      open(given(both, 0.009, byDelta('laws/another'), true));
    });
    want('a looser limit with raiseLimit and a rule of its own', raised?.message ?? '');
    const units = unitsIn(open(given(both, 0.009, byDelta('laws/another'))));
    want('units within the replacing limit', units === 10 ? '' : `${units}; expected 10`);
    return judge(9, found.length === 0 ? undefined : { what: found[0] });
  },
});

/** All laws of filters. */
export const filterLaws = [filterDecides, certified, fixedInAdvance, filterKept] as const;
