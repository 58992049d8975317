import {
  repeatedEvent,
  type Accountant,
  defineAccountant,
  filteredEvent,
  IncompatiblePlugins,
  InvalidParameter,
  type PrivacyEvent,
  Unsupported,
} from '@lethe/core';
import { describe, expect, it } from 'vitest';
import { concentrated, gaussian, plain, pure, sgd } from '../../test/events.js';
import { accountants, bestOf, gdp, optimal, pld, rdp, zcdp } from '../index.js';

const query = { adjacency: 'zero-out', delta: 1e-6 } as const;

describe('bestOf', () => {
  it('takes the least upper bound and names its accountant', () => {
    const best = bestOf([zcdp, rdp, gdp]);
    expect(best.epsilon(gaussian(1), query)).toEqual(gdp.epsilon(gaussian(1), query));
    expect(best.epsilon(sgd(0.01, 1, 10), query).method).toMatch(/^rdp, at the order/u);
    expect(best.epsilon(pure(1e-3), query).method).toBe('pure differential privacy');
    const once = { adjacency: 'zero-out', epsilon: 2 } as const;
    expect(best.delta(concentrated(0.5), once).upper).toBe(
      Math.min(...[zcdp, rdp].map((one) => one.delta(concentrated(0.5), once).upper)),
    );
  });

  it('names no accountant when the answer is the stated ε', () => {
    const stated = filteredEvent(
      plain({ kind: 'core/approximate', v: 1, epsilon: 0.5, delta: 1e-7 } as PrivacyEvent),
    );
    expect(bestOf(accountants).epsilon(stated, { ...query, delta: 1e-7 })).toMatchObject({
      certificate: 'certified',
      method: 'pure differential privacy, failures apart',
    });
    expect(bestOf(accountants).delta(stated, { adjacency: 'zero-out', epsilon: 0.5 })).toMatchObject({
      upper: 1e-7,
      method: 'pure differential privacy, failures apart',
    });
    expect(bestOf(accountants).epsilon(filteredEvent(pure(0.5)), query).method).toBe(
      'pure differential privacy',
    );
  });

  it('carries a filter for limits', () => {
    const { limit, rule } = bestOf([zcdp]).filter({ adjacency: 'zero-out', epsilon: 1, delta: 1e-6 });
    expect([rule, limit.kind]).toEqual(['best', 'core/filtered']);
    expect(bestOf(accountants).filter({ adjacency: 'zero-out', epsilon: 1, delta: 0 }).rule).toBe('basic');
    expect(
      accountants.flatMap(({ name, filter }) =>
        filter === undefined ? [] : [[name, filter({ adjacency: 'zero-out', epsilon: 1, delta: 1e-6 }).rule]],
      ),
    ).toEqual([
      ['gdp', 'gaussian'],
      ['rdp', 'renyi'],
      ['zcdp', 'zcdp'],
      ['basic', 'basic'],
    ]);
  });

  it('does not treat an estimate as a bound', () => {
    const guess: Accountant = defineAccountant({
      ...gdp,
      name: 'guess',
      epsilon: () => ({ lower: 0, upper: 0, certificate: 'estimate', method: 'clt', assumptions: [] }),
    });
    expect(bestOf([guess, gdp]).epsilon(gaussian(1), query)).toEqual(gdp.epsilon(gaussian(1), query));
    expect(() => bestOf([guess]).epsilon(gaussian(1), query)).toThrow(Unsupported);
  });

  it('gives no number when the certified bounds of two accountants exclude each other', () => {
    const low: Accountant = defineAccountant({
      ...gdp,
      name: 'low',
      epsilon: () => ({ lower: 0, upper: 1, certificate: 'certified', method: 'low', assumptions: [] }),
      delta: () => ({ lower: 0, upper: 1e-9, certificate: 'certified', method: 'low', assumptions: [] }),
    });
    for (const best of [bestOf([low, gdp]), bestOf([low, pld])]) {
      expect(() => best.epsilon(gaussian(1), query)).toThrow(IncompatiblePlugins);
      expect(() => best.epsilon(gaussian(1), query)).toThrow(
        /(?:gdp|distribution).* shows epsilon ≥ .* low certifies epsilon ≤ 1:/u,
      );
      expect(() => best.delta(gaussian(1), { adjacency: 'zero-out', epsilon: 1 })).toThrow(
        /certifies delta ≤ 1e-9/u,
      );
    }
  });

  it('asks on while a narrow answer leaves open whether a budget is kept', () => {
    const named = (name: string, lower: number, upper: number): Accountant =>
      defineAccountant({
        ...gdp,
        name,
        epsilon: () => ({ lower, upper, certificate: 'certified', method: name, assumptions: [] }),
      });
    const best = bestOf([named('first', 0.9999, 1.0001), named('second', 0.5, 1)]);
    const at = (near: number) => best.epsilon(gaussian(1), { ...query, near }).method;
    expect(best.epsilon(gaussian(1), query).method).toBe('first');
    expect([1, 1.0001, 0.9998].map(at)).toEqual(['second', 'first', 'first']);
  });

  it('is as narrow near a budget as elsewhere, and narrower where that shows that it is kept', () => {
    const laplace = (scale: number, times: number): PrivacyEvent =>
      repeatedEvent(
        { kind: 'core/laplace', v: 1, scale, sensitivity: { 'add-remove': 1 } } as PrivacyEvent,
        times,
      );
    const at = { adjacency: 'add-remove', delta: 1e-5 } as const;
    // Read from what is composed at the budget, the first answer is wider, and the second narrower.
    for (const [event, near] of [
      [laplace(2.248984585161028, 20), 8],
      [laplace(69.52131742092868, 100), 0.5],
    ] as const)
      for (const accountant of [pld, bestOf(accountants)]) {
        const { lower, upper } = accountant.epsilon(event, { ...at, near });
        expect([lower > near * 0.9998, upper <= near]).toEqual([true, true]);
        expect(upper).toBeLessThanOrEqual(accountant.epsilon(event, at).upper);
      }
  });

  it('stops at the first exact answer', () => {
    const never: Accountant = defineAccountant({
      ...gdp,
      name: 'never',
      epsilon: () => {
        throw new Error('asked');
      },
    });
    expect(bestOf([gdp, never]).epsilon(gaussian(1), query)).toEqual(gdp.epsilon(gaussian(1), query));
    expect(() => bestOf([rdp, never]).epsilon(sgd(0.01, 1, 10), query)).toThrow('asked');
  });

  it('lists every reason when no accountant answers, and rethrows other errors', () => {
    expect(() => bestOf(accountants).epsilon(plain({ kind: 'acme/x', v: 1 }), query)).toThrow(Unsupported);
    expect(() => bestOf([gdp, rdp, zcdp]).epsilon(plain({ kind: 'acme/x', v: 1 }), query)).toThrow(
      /: gdp, rdp, zcdp: event: no event kind 'acme\/x'/u,
    );
    expect(() => bestOf([gdp, optimal]).epsilon(plain({ kind: 'core/zcdp', v: 1, rho: 1 }), query)).toThrow(
      /gdp: .*; optimal: /u,
    );
    expect(() => bestOf(accountants).epsilon(gaussian(1), { ...query, delta: 2 })).toThrow(InvalidParameter);
    expect(() => bestOf([])).toThrow(InvalidParameter);
  });
});
