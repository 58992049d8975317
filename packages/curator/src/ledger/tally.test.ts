import {
  countedEvent,
  gaussianEvent,
  parallelEvent,
  sameEvent,
  sampledEvent,
  type PrivacyEvent,
} from '@lethe/core';
import { canonicalEvent } from '@lethe/core/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SlotRange } from './effect.js';
import { createTally, rootPartition } from './tally.js';

const noise = (sigma: number): PrivacyEvent => gaussianEvent(sigma, { 'replace-one': 1, 'zero-out': 0.5 });
const all = (from: number, to: number): SlotRange => ({ space: rootPartition, from, to });
const poisson = { kind: 'core/poisson', rate: 0.25 } as const;
const sample = (id: string, within: SlotRange) => ({
  space: {
    id,
    how: 'sample' as const,
    parent: 'everyone',
    within,
    sampler: poisson,
    recipe: { by: 'permutation' as const },
  },
});
const shuffle = (id: string, within: SlotRange) => ({
  space: {
    id,
    how: 'permutation' as const,
    parent: 'everyone',
    within,
    sampler: null,
    recipe: { by: 'permutation' as const },
  },
});

describe('total cost', () => {
  test('is free without charges', () => expect(createTally().total().kind).toBe('core/free'));

  test('composes charges on equal ranges, and takes the maximum over disjoint ranges', () => {
    const tally = createTally();
    tally.apply({ charge: { on: all(0, 5), event: noise(1) } });
    tally.apply({ charge: { on: all(0, 5), event: noise(2) } });
    tally.apply({ charge: { on: all(5, 9), event: noise(3) } });
    expect(
      sameEvent(
        tally.total(),
        parallelEvent([
          countedEvent([
            { event: noise(1), count: 1 },
            { event: noise(2), count: 1 },
          ]),
          noise(3),
        ]),
      ),
    ).toBe(true);
  });

  test('of equal disjoint parts is the cost of one part', () => {
    const tally = createTally();
    for (let k = 0; k < 100; k++) tally.apply({ charge: { on: all(k, k + 1), event: noise(1) } });
    expect(sameEvent(tally.total(), noise(1))).toBe(true);
  });

  test('counts two splits of one batch as overlapping, for all batch names', () => {
    const tally = createTally();
    tally.apply({ charge: { on: all(0, 4), event: noise(1) } });
    tally.apply({ charge: { on: all(4, 8), event: noise(1) } });
    tally.apply({ charge: { on: all(2, 6), event: noise(1) } });
    expect(
      sameEvent(tally.total(), parallelEvent([noise(1), countedEvent([{ event: noise(1), count: 2 }])])),
    ).toBe(true);
  });

  test('counts two shuffles of one batch as overlapping', () => {
    const tally = createTally();
    for (const id of ['a', 'b']) {
      tally.apply(shuffle(id, all(0, 8)));
      for (const from of [0, 4])
        tally.apply({ charge: { on: { space: id, from, to: from + 4 }, event: noise(1) } });
    }
    expect(sameEvent(tally.total(), countedEvent([{ event: noise(1), count: 2 }]))).toBe(true);
  });

  test('counts all answers of one scope as one sampled composition, open or closed', () => {
    const tally = createTally();
    const expected = (scopes: number): PrivacyEvent =>
      countedEvent([
        { event: sampledEvent(poisson, countedEvent([{ event: noise(1), count: 2 }])), count: scopes },
      ]);
    for (const [k, id] of ['a', 'b', 'c'].entries()) {
      tally.apply(sample(id, all(0, 8)));
      for (let i = 0; i < 2; i++)
        tally.apply({ charge: { on: { space: id, from: 0, to: 1 }, event: noise(1) } });
      expect(sameEvent(tally.total(), expected(k + 1))).toBe(true);
      tally.apply({ closes: [id] });
      expect(sameEvent(tally.total(), expected(k + 1))).toBe(true);
    }
  });

  test('takes the maximum over a split inside a scope before amplification', () => {
    const tally = createTally();
    tally.apply(sample('s', all(0, 8)));
    tally.apply({ charge: { on: { space: 's', from: 0, to: 4 }, event: noise(5) } });
    tally.apply({ space: { ...shuffle('p', { space: 's', from: 0, to: 4 }).space } });
    tally.apply({ charge: { on: { space: 'p', from: 0, to: 2 }, event: noise(1) } });
    tally.apply({ charge: { on: { space: 'p', from: 2, to: 4 }, event: noise(1) } });
    tally.apply({ closes: ['s'] });
    expect(
      sameEvent(
        tally.total(),
        sampledEvent(
          poisson,
          countedEvent([
            { event: noise(5), count: 1 },
            { event: noise(1), count: 1 },
          ]),
        ),
      ),
    ).toBe(true);
  });

  test('of a scope that was opened before steps and is closed in one of them is counted once', () => {
    const tally = createTally();
    tally.apply(sample('s', all(0, 8)));
    tally.apply({ charge: { on: { space: 's', from: 0, to: 1 }, event: noise(1) } });
    tally.begin(3);
    tally.apply({ closes: ['s'] });
    tally.end();
    expect(sameEvent(tally.total(), sampledEvent(poisson, noise(1)))).toBe(true);
  });

  test('refuses charges on a closed partition', () => {
    const tally = createTally();
    tally.apply(sample('s', all(0, 8)));
    tally.apply({ closes: ['s'] });
    expect(() => tally.apply({ charge: { on: { space: 's', from: 0, to: 1 }, event: noise(1) } })).toThrow(
      /never opened or has closed/,
    );
  });

  const stretches = fc.array(
    fc.record({
      from: fc.nat(9),
      length: fc.integer({ min: 1, max: 10 }),
      sigma: fc.integer({ min: 1, max: 3 }),
    }),
    { maxLength: 12 },
  );

  test('is the maximum over slots of the composition of their charges (enumerated)', () => {
    fc.assert(
      fc.property(stretches, (charges) => {
        const tally = createTally();
        for (const { from, length, sigma } of charges)
          tally.apply({ charge: { on: all(from, from + length), event: noise(sigma) } });
        const bySlot = Array.from({ length: 20 }, (_, slot) =>
          countedEvent(
            charges
              .filter(({ from, length }) => from <= slot && slot < from + length)
              .map(({ sigma }) => ({ event: noise(sigma), count: 1 })),
          ),
        );
        expect(canonicalEvent(tally.total())).toBe(canonicalEvent(parallelEvent(bySlot)));
      }),
    );
  });

  test('does not depend on the order of charges, nor on calls of with()', () => {
    fc.assert(
      fc.property(stretches, fc.nat(), (charges, turn) => {
        const [here, there] = [createTally(), createTally()];
        const effects = charges.map(({ from, length, sigma }) => ({
          charge: { on: all(from, from + length), event: noise(sigma) },
        }));
        effects.forEach((effect) => here.apply(effect));
        const k = effects.length === 0 ? 0 : turn % effects.length;
        [...effects.slice(k), ...effects.slice(0, k)].forEach((effect) => there.apply(effect));
        there.with({ on: all(3, 4), event: noise(9) });
        expect(canonicalEvent(here.total())).toBe(canonicalEvent(there.total()));
      }),
    );
  });

  test('with one more charge is the maximum over the slots of that charge (enumerated)', () => {
    fc.assert(
      fc.property(
        stretches,
        fc.record({ from: fc.nat(9), length: fc.integer({ min: 1, max: 10 }) }),
        (charges, { from, length }) => {
          const tally = createTally();
          for (const one of charges)
            tally.apply({ charge: { on: all(one.from, one.from + one.length), event: noise(one.sigma) } });
          const bySlot = Array.from({ length }, (_, i) =>
            countedEvent(
              [
                ...charges
                  .filter((one) => one.from <= from + i && from + i < one.from + one.length)
                  .map(({ sigma }) => noise(sigma)),
                noise(9),
              ].map((event) => ({ event, count: 1 })),
            ),
          );
          expect(canonicalEvent(tally.with({ on: all(from, from + length), event: noise(9) }))).toBe(
            canonicalEvent(parallelEvent(bySlot)),
          );
        },
      ),
    );
  });

  test('with one more charge in a scope includes the charges around the scope', () => {
    const tally = createTally();
    tally.apply({ charge: { on: all(0, 8), event: noise(5) } });
    tally.apply(sample('s', all(0, 8)));
    tally.apply({ charge: { on: { space: 's', from: 0, to: 4 }, event: noise(1) } });
    const one = { on: { space: 's', from: 0, to: 4 }, event: noise(2) };
    const told = tally.with(one);
    tally.apply({ charge: one });
    expect(canonicalEvent(told)).toBe(canonicalEvent(tally.total()));
  });
});

describe('costs position by position', () => {
  const events = [1, 2].map((epsilon) => ({ kind: 'core/pure', v: 1, epsilon }) as PrivacyEvent);
  /** A cost as a number: sums of compositions, largest of alternatives, a quarter of a sample. */
  const valueOf = (event: PrivacyEvent): number => {
    const { kind, epsilon, parts, event: inner } = event as never as Record<string, never>;
    if (kind === 'core/pure') return epsilon;
    if (kind === 'core/sampled') return valueOf(inner) / 4;
    const each = (parts ?? []) as readonly never[];
    if (kind === 'core/parallel') return Math.max(0, ...each.map(valueOf));
    return each.reduce((sum, { event: part, count }) => sum + count * valueOf(part), 0);
  };
  const range = fc
    .tuple(fc.nat(5), fc.integer({ min: 1, max: 6 }))
    .map(([from, long]) => [from, Math.min(6, from + long)]);
  const step = fc.record({
    at: fc.constantFrom('root', 'a', 'b'),
    range,
    event: fc.constantFrom(...events),
    // Opens or closes the partition first.
    turn: fc.boolean(),
    sampled: fc.boolean(),
  });
  interface Child {
    readonly within: readonly number[];
    readonly share: number;
    readonly costs: number[];
  }

  test('are what a model adds up, and a trial is the total of its slots with the charge', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 14 }), (steps) => {
        const tally = createTally();
        const root = Array.from({ length: 6 }, () => 0);
        const open = new Map<string, Child & { readonly id: string }>();
        const most = (costs: readonly number[], [from, to]: readonly number[]): number =>
          Math.max(0, ...costs.slice(from, to));
        const worst = (costs: readonly number[], within: readonly number[], but?: Child): number =>
          most(
            costs.map((cost, i) =>
              [...open.values()].reduce(
                (sum, child) =>
                  child === but || i < child.within[0] || i >= child.within[1]
                    ? sum
                    : sum + child.share * most(child.costs, [0, 6]),
                cost,
              ),
            ),
            within,
          );
        let made = 0;
        for (const {
          at,
          range: [from, to],
          event,
          turn,
          sampled,
        } of steps) {
          const known = open.get(at);
          if (at !== 'root' && (turn || known === undefined)) {
            if (known === undefined) {
              const id = `${at}${made++}`;
              const { space } = (sampled ? sample : shuffle)(id, all(from, to));
              tally.apply({ space });
              open.set(at, {
                id,
                within: [from, to],
                share: sampled ? 1 / 4 : 1,
                costs: Array.from({ length: 6 }, () => 0),
              });
            } else {
              tally.apply({ closes: [known.id] });
              open.delete(at);
              for (let i = known.within[0]; i < known.within[1]; i++)
                root[i] += known.share * most(known.costs, [0, 6]);
            }
            continue;
          }
          const on = { space: known?.id ?? rootPartition, from, to };
          const more = (costs: readonly number[]): number[] =>
            costs.map((cost, i) => (i >= from && i < to ? cost + valueOf(event) : cost));
          const own = known?.costs ?? root;
          const after = more(own);
          const trial =
            known === undefined
              ? worst(after, [from, to])
              : worst(root, known.within, known) + known.share * most(after, [from, to]);
          expect(valueOf(tally.with({ on, event }))).toBeCloseTo(trial, 12);
          tally.apply({ charge: { on, event } });
          after.forEach((cost, i) => (own[i] = cost));
          expect(valueOf(tally.total())).toBeCloseTo(worst(root, [0, 6]), 12);
        }
      }),
      { numRuns: 150 },
    );
  });
});
