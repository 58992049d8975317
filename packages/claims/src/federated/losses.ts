import type { Loss } from '@lethe/core';
import { defineClaimCheck, judge, type ClaimCheck, type Violation } from '@lethe/laws';
import { each } from '../common/each.js';
import { above, first } from '../common/judging.js';
import { norm } from '../common/vectors.js';
import { distance, drawsOf } from '../recursive-gradients/paths.js';
import type { FederatedSubject } from './subject.js';

/** Rows 15 to 17: constants of shipped losses, softmax among them. */
export function lossChecks(subject: FederatedSubject): readonly ClaimCheck[] {
  const { logistic, softmax, squared } = subject;
  return [
    defineClaimCheck({
      id: 'reshef-levy/gradient-bounds',
      tier: 'search',
      statement:
        'logistic, softmax and squared losses keep their Lipschitz and smoothness constants, and a plan ' +
        'reads them',
      power: 'half of a constant',
      run: () =>
        judge(
          300,
          first(
            ...lossPairs(subject, ({ gradients: [one, other], points: [x, y], facts }) =>
              first(
                above('‖∇f‖', norm(one), facts['lipschitz'].value, 1e-12),
                above(
                  '‖∇f(x) − ∇f(y)‖',
                  distance(one, other),
                  facts['smoothness'].value * distance(x, y),
                  1e-12,
                ),
              ),
            ),
            attainment({ logistic, softmax, squared }),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'reshef-levy/convexity',
      tier: 'search',
      statement: 'f(y) ≥ f(x) + ⟨∇f(x), y − x⟩ for logistic, softmax and squared losses',
      power: 'gradients of the other sign',
      run: () =>
        judge(
          300,
          first(
            ...lossPairs(subject, ({ gradients: [one], points: [x, y], values: [fx, fy] }) =>
              above('the tangent', fx + one.reduce((sum, g, j) => sum + g * (y[j] - x[j]), 0), fy, 1e-12),
            ),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'reshef-levy/implied-variances',
      tier: 'exact',
      statement:
        'E‖∇f(x;z) − ∇f(x)‖² ≤ E‖∇f(x;z)‖² ≤ G², and as much for differences with L²‖x − y‖², over ' +
        'finite populations of softmax losses',
      power: 'half of a constant',
      run: () => {
        const pairs = lossPairs(subject, (pair) => pair);
        const groups = each(60, (i) =>
          pairs.slice(5 * i, 5 * i + 5).filter((pair) => pair.of === pairs[5 * i].of),
        );
        return judge(
          60,
          first(
            ...groups.flatMap((group) => {
              const variance = (vectors: readonly (readonly number[])[]): number => {
                const mean = vectors[0].map((_, j) =>
                  vectors.reduce((sum, v) => sum + v[j] / vectors.length, 0),
                );
                return vectors.reduce((sum, v) => sum + distance(v, mean) ** 2 / vectors.length, 0);
              };
              const G = group[0].facts['lipschitz'].value;
              return [
                above('the variance', variance(group.map(({ gradients }) => gradients[0])), G ** 2, 1e-12),
                above(
                  'the mean square',
                  group.reduce((sum, { gradients }) => sum + norm(gradients[0]) ** 2 / group.length, 0),
                  G ** 2,
                  1e-12,
                ),
              ];
            }),
            attainment({ logistic, softmax, squared }),
          ),
        );
      },
    }),
  ];
}

type Facts = Readonly<Record<string, { readonly value: number }>>;
interface LossPair {
  readonly of: string;
  readonly points: readonly [readonly number[], readonly number[]];
  readonly gradients: readonly [readonly number[], readonly number[]];
  readonly values: readonly [number, number];
  readonly facts: Facts;
}
/** Gradients and values of shipped losses at two points of the unit ball, for random records. */
function lossPairs<T>(
  { logistic, softmax, squared }: Pick<FederatedSubject, 'logistic' | 'softmax' | 'squared'>,
  judged: (pair: LossPair) => T,
): readonly T[] {
  const draws = drawsOf('losses');
  const of: readonly {
    readonly loss: Loss;
    readonly params: unknown;
    readonly outputs: number;
    readonly label: () => number;
  }[] = [
    { loss: logistic, params: {}, outputs: 1, label: () => (draws.index(2) === 0 ? -1 : 1) },
    { loss: softmax, params: { classes: 3 }, outputs: 3, label: () => draws.index(3) },
    { loss: squared, params: {}, outputs: 1, label: () => draws.uniform(-1, 1) },
  ];
  return of.flatMap(({ loss, params, outputs, label: drawn }) => {
    const parsed = loss.params.parse(params);
    const facts = loss.facts(parsed, {
      columns: 2,
      featureNorm: 1.5,
      labelBound: 1,
      iterateNorm: 1,
    }) as Facts;
    return each(100, () => {
      const features = Float64Array.from(draws.vector(2, draws.uniform(0.5, 1.5)));
      const label = drawn();
      const points = [draws.vector(2 * outputs, 1), draws.vector(2 * outputs, draws.uniform(0, 1))] as const;
      const record = { features, label };
      const gradient = (at: readonly number[]): number[] => {
        const out = new Float64Array(at.length);
        loss.gradientInto(parsed, out, Float64Array.from(at), record);
        return [...out];
      };
      return judged({
        of: loss.name,
        points,
        gradients: [gradient(points[0]), gradient(points[1])],
        values: [
          loss.value(parsed, Float64Array.from(points[0]), record),
          loss.value(parsed, Float64Array.from(points[1]), record),
        ],
        facts,
      });
    });
  });
}
/** Constants are at least what some record of norm 1.5 in the unit ball needs. */
function attainment({
  logistic,
  softmax,
  squared,
}: Pick<FederatedSubject, 'logistic' | 'softmax' | 'squared'>): Violation | undefined {
  const domain = { columns: 2, featureNorm: 1.5, labelBound: 1, iterateNorm: 1 };
  const needs = (what: string, facts: Facts, lipschitz: number, smoothness: number): Violation | undefined =>
    first(
      above(`the Lipschitz constant ${what} needs`, lipschitz, facts['lipschitz'].value),
      above(`the smoothness ${what} needs`, smoothness, facts['smoothness'].value),
    );
  return first(
    needs('logistic', logistic.facts({}, domain) as Facts, 1.5 / (1 + Math.exp(-1.5)), 1.5 ** 2 / 4),
    needs(
      'softmax',
      softmax.facts({ classes: 3 }, domain) as Facts,
      1.5 * 0.9 * Math.SQRT2,
      0.99 * (1.5 ** 2 / 2),
    ),
    needs('squared', squared.facts({}, domain) as Facts, 1.5 * (1.5 + 1), 1.5 ** 2),
  );
}
