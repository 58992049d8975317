import { defineClaimCheck, type ClaimCheck } from '@lethe/laws';
import fc from 'fast-check';
import { both, exceeds, firstOf, tried } from '../common/compare.js';
import { entries } from './distributions-of-sets.js';
import type { SketchingSubject } from './sketching-subject.js';

const all = (count: number): number[] => Array.from({ length: count }, (_, j) => j);
const sets = (d: number): Uint32Array[] =>
  all(2 ** d - 1).map((k) => Uint32Array.from(all(d).filter((j) => ((k + 1) >> j) & 1)));

interface Example {
  readonly features: readonly number[];
  readonly label: number;
}

/** Gradient of the logistic loss at one record. */
function gradientAt(
  { logistic }: SketchingSubject,
  at: readonly number[],
  { features, label }: Example,
): Float64Array {
  const out = new Float64Array(at.length);
  logistic.gradientInto({}, out, Float64Array.from(at), { features: Float64Array.from(features), label });
  return out;
}

const valueAt = (
  { logistic }: SketchingSubject,
  at: readonly number[],
  { features, label }: Example,
): number => logistic.value({}, Float64Array.from(at), { features: Float64Array.from(features), label });

const lengthAlong = (vector: ArrayLike<number>, set: Uint32Array): number =>
  Math.hypot(...Array.from(set, (j) => vector[j]));

/** Three feature vectors, points and directions in a common dimension. */
const scenarios = fc
  .record({
    d: fc.integer({ min: 1, max: 4 }),
    values: entries,
    points: fc.array(entries, { minLength: 2, maxLength: 4 }),
  })
  .map(({ d, values, points }) => ({
    d,
    features: all(3)
      .map((i) => values.slice(4 * i, 4 * i + d))
      .map((x) => (x.every((entry) => entry === 0) ? x.map(() => 1) : x)),
    points: points.map((point) => point.slice(0, d)),
  }));

/** Lipschitz constants that the loss derives from the declared bounds of these records. */
function certified(
  { logistic, blockLipschitz }: SketchingSubject,
  features: readonly (readonly number[])[],
  d: number,
): (set: Uint32Array) => number {
  const facts = logistic.facts(
    {},
    {
      columns: d,
      featureNorm: Math.max(...features.map((x) => Math.hypot(...x))),
      featureBounds: all(d).map((j) => Math.max(1e-9, ...features.map((x) => Math.abs(x[j])))),
    },
  );
  return (set) => blockLipschitz(facts, d, set) ?? Number.NaN;
}

/** Row 13. */
export const blockGradients = (subject: SketchingSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'maranjyan/block-gradients',
    tier: 'search',
    statement:
      'along every set of coordinates, the gradient of the logistic loss at any record is no longer than ' +
      'the Lipschitz constant along the set, nor than the one derived from declared bounds; ' +
      'the loss changes by at most the constant times the distance; and far out the constant is attained',
    power:
      'an excess of 1e-12, or a constant 0.1 % too large, over 300 sets of records, ' +
      'points of sizes 1e-5 to 1e4, and all sets of up to 4 coordinates',
    run: (env) =>
      env.forAll(
        scenarios,
        ({ d, features, points }) => {
          const bound = certified(subject, features, d);
          return firstOf(
            sets(d).flatMap((set) => {
              const L = subject.lipschitzAlong(features, set);
              const records = features.flatMap((x): Example[] => [
                { features: x, label: 1 },
                { features: x, label: -1 },
              ]);
              const longest = features.toSorted((x, y) => lengthAlong(y, set) - lengthAlong(x, set))[0];
              const far = longest.map((entry) => (-1e3 * entry) / Math.hypot(...longest) ** 2);
              const reached = lengthAlong(gradientAt(subject, far, { features: longest, label: 1 }), set);
              return [
                ...records.flatMap((record) =>
                  points.flatMap((point, k) => {
                    const length = lengthAlong(gradientAt(subject, point, record), set);
                    const way = points[(k + 1) % points.length];
                    const moved = point.map((entry, j) => entry + (set.includes(j) ? way[j] : 0));
                    const rounding =
                      1e-12 * (valueAt(subject, moved, record) + valueAt(subject, point, record)) + 1e-15;
                    return [
                      exceeds({ what: `a gradient along ${set.join()}`, got: length, most: L }),
                      exceeds({
                        what: `a gradient along ${set.join()}, against declared bounds,`,
                        got: length,
                        most: bound(set),
                      }),
                      exceeds({
                        what: `the loss, moved along ${set.join()},`,
                        got:
                          Math.abs(valueAt(subject, moved, record) - valueAt(subject, point, record)) -
                          rounding,
                        most: L * lengthAlong(way, set),
                      }),
                    ];
                  }),
                ),
                exceeds({
                  what: `0.999 of the Lipschitz constant along ${set.join()}, which gradients should reach,`,
                  got: 0.999 * L,
                  most: reached,
                }),
              ];
            }),
          );
        },
        { runs: 300 },
      ),
  });

/**
 * The pair that attains the constant 2: along the first coordinate, opposite records with one label, far out
 * along the second.
 */
const opposite = {
  at: [0, -3000],
  one: { features: [1, 0.01], label: 1 },
  other: { features: [-1, 0.01], label: 1 },
} as const;

/** Row 14. */
export const gradientSensitivity = (subject: SketchingSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'maranjyan/gradient-sensitivity',
    tier: 'search',
    statement:
      'when one of n records is replaced by any other, the mean gradient of the logistic loss moves ' +
      'along each set by at most 2 L_U / n, the sensitivity used by the curator; ' +
      'two opposite records attain it',
    power:
      'an excess of 1e-12 over 200 sets of records and points, and any constant below 2 times L_U / n by ' +
      '1e-10 at the pair that reaches it',
    run: (env) =>
      both(
        () =>
          tried([1, 2, 7], (n) => {
            const set = Uint32Array.of(0);
            const [g, h] = [
              gradientAt(subject, opposite.at, opposite.one),
              gradientAt(subject, opposite.at, opposite.other),
            ];
            const L = subject.lipschitzAlong([opposite.one.features, opposite.other.features], set);
            const moved = Math.abs(g[0] - h[0]) / n;
            return firstOf([
              exceeds({
                what: `the gradient of the mean of ${n}`,
                got: moved,
                most: subject.boundedMeanSensitivity(L, n)['replace-one'] ?? Number.NaN,
                slack: 1e-10,
              }),
              exceeds({
                what: '2 L_U / n, which opposite records should reach,',
                got: (2 * L) / n,
                most: moved,
                slack: 1e-10,
              }),
            ]);
          }),
        () =>
          env.forAll(
            scenarios,
            ({ d, features, points }) =>
              firstOf(
                sets(d).flatMap((set) => {
                  const L = subject.lipschitzAlong(features, set);
                  const records = features.flatMap((x): Example[] => [
                    { features: x, label: 1 },
                    { features: x, label: -1 },
                  ]);
                  const n = records.length;
                  const most = subject.boundedMeanSensitivity(L, n)['replace-one'] ?? Number.NaN;
                  return points.flatMap((point) => {
                    const gradients = records.map((record) => gradientAt(subject, point, record));
                    return gradients.flatMap((g) =>
                      gradients.map((h) =>
                        exceeds({
                          what: `the mean gradient along ${set.join()}`,
                          got: lengthAlong(
                            g.map((entry, j) => (entry - h[j]) / n),
                            set,
                          ),
                          most,
                        }),
                      ),
                    );
                  });
                }),
              ),
            { runs: 200 },
          ),
      ),
  });
