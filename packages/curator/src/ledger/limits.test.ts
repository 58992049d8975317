import {
  canonicalJson,
  composedEvent,
  freeEvent,
  parallelEvent,
  repeatedEvent,
  sampledEvent,
  type FilterMaker,
  type PrivacyEvent,
} from '@lethe/core';
import { describe, expect, test } from 'vitest';
import { BudgetExceeded, defined, InvalidParameter, Unsupported } from '@lethe/numerics';
import { isFixed, keepLimits, type Limit, type StoredLimit } from './limits.js';

const pure = (epsilon: number): PrivacyEvent => ({ kind: 'core/pure', v: 1, epsilon }) as PrivacyEvent;
/** A filter that admits exactly one event. */
const filter =
  (admitted: PrivacyEvent, rule = 'test'): FilterMaker =>
  ({ epsilon, delta }) => ({
    rule,
    spec: { rule, epsilon, delta },
    limit: pure(epsilon),
    admits: (event) => canonicalJson(event) === canonicalJson(admitted),
    share: () => 1.5,
  });
const certifying = (
  upper: number,
  certificate: 'certified' | 'estimate' = 'certified',
): Limit['accountant'] => ({
  epsilon: () => ({ lower: 0, upper, certificate, method: 'm', assumptions: [] }),
});
const limit = (epsilon: number, change: Partial<Limit> = {}): Limit => ({
  epsilon,
  delta: 0,
  accountant: certifying(Infinity),
  filter: filter(pure(1)),
  ...change,
});
const keeper = (given: Limit, stored: readonly StoredLimit[] = [], raise = false) =>
  defined(keepLimits(stored, given, raise, 'zero-out'));
const spent = (): PrivacyEvent => freeEvent;

describe('limits', () => {
  test('are enforced by their filter, and a refusal reports the share of the limit', () => {
    const { assertWithin, fresh } = keeper(limit(1));
    expect(fresh).toEqual({ epsilon: 1, delta: 0, filter: { rule: 'test', epsilon: 1, delta: 0 } });
    expect(() => {
      assertWithin(pure(1), pure(1), false, spent);
    }).not.toThrow();
    expect(() => {
      assertWithin(pure(0.5), pure(0.5), false, spent);
    }).toThrow(BudgetExceeded);
    try {
      assertWithin(pure(0.5), pure(0.5), false, spent);
    } catch (error) {
      expect(error).toMatchObject({ details: { share: 1.5, limit: { epsilon: 1, delta: 0 } } });
    }
  });

  test('admit only fixed events by a certified upper end', () => {
    const open = (accountant: Limit['accountant']) =>
      keeper(limit(1, { accountant, filter: filter(freeEvent) })).assertWithin;
    expect(() => {
      open(certifying(1))(pure(1), pure(1), true, spent);
    }).not.toThrow();
    expect(() => {
      open(certifying(1))(pure(1), pure(1), false, spent);
    }).toThrow(BudgetExceeded);
    expect(() => {
      open(certifying(1.1))(pure(1), pure(1), true, spent);
    }).toThrow(BudgetExceeded);
    expect(() => {
      open(certifying(0, 'estimate'))(pure(1), pure(1), true, spent);
    }).toThrow(Unsupported);
  });

  test('stay in force where tighter ones are added', () => {
    const all = [1, 0.5, 0.25];
    const stored = all.map((epsilon) => ({ epsilon, delta: 0 }));
    for (const one of all) {
      const refusing: FilterMaker = (target) => ({
        ...filter(pure(1))(target),
        admits: () => target.epsilon !== one,
      });
      const { assertWithin, admits } = keeper(limit(0.25, { filter: refusing }), stored);
      expect(admits(pure(1))).toBe(false);
      expect(() => assertWithin(pure(1), pure(1), false, spent)).toThrow(BudgetExceeded);
    }
  });

  test('are refused without a filter or with a filter that differs from the stored one', () => {
    expect(() =>
      keepLimits([], { epsilon: 1, delta: 0, accountant: certifying(0) }, false, 'zero-out'),
    ).toThrow(Unsupported);
    const { fresh } = keeper(limit(1));
    expect(keeper(limit(1), [defined(fresh)]).fresh).toBe(null);
    expect(() => keeper(limit(1, { filter: filter(pure(1), 'other') }), [defined(fresh)])).toThrow(
      InvalidParameter,
    );
    expect(() => keeper(limit(0.5, { filter: filter(pure(1), 'other') }), [defined(fresh)])).toThrow(
      InvalidParameter,
    );
    expect(keeper(limit(2, { filter: filter(pure(1), 'other') }), [defined(fresh)], true).fresh).not.toBe(
      null,
    );
    expect(keepLimits([], undefined, false, 'zero-out')).toBe(null);
    expect(() => keepLimits([defined(fresh)], undefined, true, 'zero-out')).toThrow(InvalidParameter);
  });

  test('stay in force beside a tighter one, until the limit is raised', () => {
    const byLimit: FilterMaker = (request) => filter(request.epsilon === 2 ? pure(1) : pure(0.5))(request);
    const first = defined(keeper(limit(2, { filter: byLimit })).fresh);
    const both = keeper(limit(1, { filter: byLimit }), [first]);
    for (const event of [pure(1), pure(0.5)])
      expect(() => {
        both.assertWithin(event, event, false, spent);
      }).toThrow(BudgetExceeded);
    const raised = keeper(limit(3, { filter: byLimit }), [first, defined(both.fresh)], true);
    expect(() => {
      raised.assertWithin(pure(0.5), pure(0.5), false, spent);
    }).not.toThrow();
    const later = keeper(limit(3, { filter: byLimit }), [first, defined(both.fresh), defined(raised.fresh)]);
    expect(later.fresh).toBe(null);
    expect(() => {
      later.assertWithin(pure(0.5), pure(0.5), false, spent);
    }).not.toThrow();
  });
});

describe('events fixed in advance', () => {
  const choice = parallelEvent([pure(1), pure(2)]);
  const half = { kind: 'core/poisson', rate: 0.5 } as const;
  test.each<readonly [string, PrivacyEvent, boolean]>([
    ['one release', pure(1), true],
    ['a composition', composedEvent([pure(1), repeatedEvent(pure(2), 3)]), true],
    ['alternatives alone', choice, true],
    ['compositions in parallel', parallelEvent([repeatedEvent(pure(1), 2), pure(2)]), true],
    ['alternatives in a sample', sampledEvent(half, choice), true],
    ['alternatives beside a release', composedEvent([choice, pure(1)]), false],
    ['alternatives twice', repeatedEvent(choice, 2), false],
    ['alternatives in samples', repeatedEvent(sampledEvent(half, choice), 2), false],
    [
      'alternatives that may fail',
      repeatedEvent({ kind: 'core/failing', v: 1, delta: 0, event: choice } as PrivacyEvent, 2),
      false,
    ],
    [
      'alternatives in a selection',
      { kind: 'core/selection', v: 1, base: choice, stopProbability: 0.5, cap: 2 } as PrivacyEvent,
      false,
    ],
  ])('%s', (_what, event, fixed) => expect(isFixed(event)).toBe(fixed));
});

describe('a limit by filter and accountant', () => {
  /** Admits pure events up to its limit. */
  const upToLimit: FilterMaker = ({ epsilon, delta }) => ({
    rule: 'up to',
    spec: { epsilon, delta },
    limit: pure(epsilon),
    admits: (event) => (event as never as { readonly epsilon: number }).epsilon <= epsilon,
    share: () => 2,
  });
  const stored = (epsilon: number, delta: number): StoredLimit => ({
    epsilon,
    delta,
    filter: { epsilon, delta },
  });

  test('takes the accountant for an event that is fixed in advance, and for no other', () => {
    const { assertWithin } = keeper(limit(1, { accountant: certifying(0.5), filter: filter(pure(99)) }));
    const open = composedEvent([parallelEvent([pure(1), pure(2)]), pure(3)]);
    expect(() => assertWithin(pure(2), pure(2), true, () => freeEvent)).not.toThrow();
    expect(() => assertWithin(pure(2), pure(2), false, () => freeEvent)).toThrow(BudgetExceeded);
    expect(() => assertWithin(open, open, true, () => freeEvent)).toThrow(BudgetExceeded);
  });

  test('admits what every limit in force admits', () => {
    const kept = keeper(limit(0.5, { filter: upToLimit }), [stored(1, 0)]);
    expect([0.4, 0.7, 1.2].map((epsilon) => kept.admits(pure(epsilon)))).toEqual([true, false, false]);
    // The owner raised it.
    const raised = keeper(limit(1, { filter: upToLimit }), [stored(0.5, 0)], true);
    expect([0.4, 0.7, 1.2].map((epsilon) => raised.admits(pure(epsilon)))).toEqual([true, true, false]);
  });

  test('asks its accountant at the δ of each limit', () => {
    const asked: (readonly [delta: number, near: number | undefined])[] = [];
    const accountant: Limit['accountant'] = {
      epsilon(_event, { delta, near }) {
        asked.push([delta, near]);
        return { lower: 0, upper: 0.1, certificate: 'certified', method: 'm', assumptions: [] };
      },
    };
    const given = limit(0.5, { delta: 1e-6, accountant, filter: upToLimit });
    keeper(given, [stored(1, 1e-3)]).assertWithin(pure(3), pure(3), true, () => freeEvent);
    expect(asked).toEqual([
      [1e-3, 1],
      [1e-6, 0.5],
    ]);
  });
});
