import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { multiScale } from '../test/support/arbitraries.js';
import { itIsAConvexLinearLoss } from '../test/support/linear-loss-laws.js';
import { losses } from './losses.js';
import { linear } from './linear.js';

describe('linear loss', () => {
  itIsAConvexLinearLoss(linear, fc.constant(0));

  it('is minus the margin, with slope −1 at every label', () => {
    fc.assert(
      fc.property(multiScale(-5, 5), multiScale(-5, 5), (m, y) => {
        expect(defined(linear.linear).value({}, m, y)).toBe(-m);
        expect(defined(linear.linear).slope({}, m, y)).toBe(-1);
      }),
    );
  });

  it('has no smoothness but zero, and no range', () => {
    const facts = linear.facts({}, { columns: 1, featureNorm: 2, iterateNorm: 1, labelBound: 1 });
    expect(facts['smoothness'].value).toBe(0);
    expect(facts['lipschitz'].value).toBeCloseTo(2, 9);
    expect(facts['range']).toBeUndefined();
  });
});

describe('losses', () => {
  it('have distinct names, and references that name them', () => {
    expect(new Set(losses.map(({ name }) => name)).size).toBe(losses.length);
    for (const loss of losses) {
      const [example] = defined(loss.examples);
      expect(loss(example as never)).toEqual({
        kind: 'loss',
        name: loss.name,
        params: loss.params.parse(example),
      });
      expect(() => loss({ ...example, unknown: 1 } as never)).toThrow(/not valid/u);
    }
  });
});
