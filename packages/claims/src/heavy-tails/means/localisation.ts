import { defineClaimCheck, type ClaimCheck } from '@lethe/laws';
import fc from 'fast-check';
import { both, differs, exceeds, firstOf, tried } from '../../common/compare.js';
import { chance } from '../../common/binomial.js';
import { tenTo } from '../../common/inputs.js';
import { norm } from '../../common/vectors.js';
import { expectation, discreteDistributions, orders, rawMoment } from './discrete-distributions.js';
import type { OracleSubject } from './subject.js';

/** Row C31. */
export const averagedMoments = (subject: OracleSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'lowy/averaged-moments',
    tier: 'search',
    statement:
      'R̃²_n = Σ 2^(−i) r̃²_(n/2^i) is at most (1 − 1/n) r̃² if moments do not increase with the number ' +
      'of records, and omitting the first phase at most doubles it: R̃²_(n/2) = 2(R̃²_n − ½ r̃²_(n/2))',
    power: 'a relative error of 1e-12, over 300 sequences of up to 30 moments',
    run: (env) =>
      env.forAll(
        fc.array(tenTo(-3, 3), { minLength: 1, maxLength: 30 }),
        (values) => {
          // From n/2 records down to one, moments increase.
          const moments = values.toSorted((a, b) => a - b);
          const square = subject.averagedMoment(moments) ** 2;
          const last = moments[moments.length - 1];
          const rest = moments.slice(1);
          return firstOf([
            exceeds({ what: 'R̃²', got: square, most: (1 - 2 ** -moments.length) * last ** 2 }),
            differs({
              what: 'R̃² of half the records',
              got: subject.averagedMoment(rest) ** 2,
              want: 2 * (square - moments[0] ** 2 / 2),
              size: square,
            }),
            exceeds({
              what: 'R̃² of half the records',
              got: subject.averagedMoment(rest) ** 2,
              most: 2 * square,
            }),
          ]);
        },
        { runs: 300 },
      ),
  });

const facts = {
  dimension: 3,
  epsilon: 1,
  distance: 2,
  uniformMoment: 0.7,
  uniformDoubleMoment: 1,
  secondMoment: 0.6,
  lipschitz: 0.5,
};

/** Row C32. */
export const lipschitzEvent = (subject: OracleSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'lowy/lipschitz-event',
    tier: 'search',
    statement:
      'the Lipschitz constant of a record exceeds s with probability at most (r̃_k/s)^k, that of a mean ' +
      'of records t r̃_k with probability at most t^(−k), and the t_i = (2^i √n)^(1/k) of the phases ' +
      'fail with total probability at most 1/√n; shipped phases have radii of 4 t_i r̃_k/λ_i',
    power:
      'a relative error of 1e-9 over 200 distributions; exact binomial distributions of up to 300 records, ' +
      'where a single outlier comes within 2 % of the bound; phases of 2 to 4096 records, to 1e-12',
    run: (env) =>
      both(
        () =>
          env.forAll(
            fc.record({ distribution: discreteDistributions(), order: orders, s: tenTo(-2, 3) }),
            ({ distribution, order, s }) =>
              exceeds({
                what: `the probability of more than ${s}`,
                got: expectation(distribution, (point) => Number(norm(point) > s)),
                most: subject.tailBound({ order, times: s / rawMoment(distribution, order) ** (1 / order) }),
                slack: 1e-9,
              }),
            { runs: 200 },
          ),
        () =>
          tried(
            [1, 3, 30, 300].flatMap((n) =>
              [1e-4, 0.01, 0.1, 0.5, 0.99].flatMap((p) =>
                [2, 2.5, 4].flatMap((order) =>
                  [1.001, 2, 10, (n * p ** (1 / order)) ** -1]
                    .filter((t) => t > 1)
                    .map((t) => ({ n, p, order, t })),
                ),
              ),
            ),
            ({ n, p, order, t }) =>
              // Constants 0 and 1: r̃_k = p^(1/k).
              exceeds({
                what: `the probability that ${n} constants have a mean above ${t} r̃`,
                got: chance(n, p, (k) => k / n >= t * p ** (1 / order) * (1 - 1e-12)),
                most: subject.tailBound({ order, times: t }),
                slack: 1e-9,
              }),
          ),
        () =>
          tried([2, 3, 8], (order) =>
            exceeds({
              what: 'nearly the whole bound',
              got: 0.98 * subject.tailBound({ order, times: 0.01 ** (-1 / order) }),
              most: chance(1, 0.01, (k) => k >= 1),
            }),
          ),
        () =>
          tried(
            [1, 3, 7, 12].flatMap((log) => [2, 3, 8].map((order) => ({ log, order }))),
            ({ log, order }) => {
              const n = 2 ** log;
              const { phases } = subject.localizedPhases({ ...facts, records: n, order }, 'corrected', {
                mostRounds: 1,
              });
              const times = phases.map(
                ({ radius, strength }) => (radius * strength) / (4 * facts.uniformMoment),
              );
              return firstOf([
                exceeds({
                  what: `the probability that some phase of ${n} records fails`,
                  got: times.reduce((sum, t) => sum + subject.tailBound({ order, times: t }), 0),
                  most: 1 / Math.sqrt(n),
                }),
                ...times.map((t, i) =>
                  differs({
                    what: `t of phase ${i + 1}`,
                    got: t,
                    want: (2 ** (i + 1) * Math.sqrt(n)) ** (1 / order),
                  }),
                ),
              ]);
            },
          ),
      ),
  });

/** Minimiser of `(1/n)Σ|x_i w − y_i| + (λ/2)(w − c)²`: the zero of the increasing slope. */
function regularised(
  records: readonly (readonly [x: number, y: number])[],
  strength: number,
  centre: number,
): number {
  const slope = (w: number, side: number): number =>
    records.reduce((sum, [x, y]) => sum + Math.abs(x) * (Math.sign(w - y / x) || side), 0) / records.length +
    strength * (w - centre);
  const kinks = records.map(([x, y]) => y / x).toSorted((a, b) => a - b);
  const kink = kinks.find((w) => slope(w, -1) <= 0 && slope(w, 1) >= 0);
  if (kink !== undefined) return kink;
  const from = kinks.findLastIndex((w) => slope(w, 1) < 0);
  const pull =
    records.reduce((sum, [x, y]) => sum + (from >= 0 && y / x <= kinks[from] ? 1 : -1) * Math.abs(x), 0) /
    records.length;
  return centre - pull / strength;
}
const pairs = fc.array(
  fc.tuple(
    fc.integer({ min: 1, max: 300 }).map((k) => k / 10),
    fc.integer({ min: -300, max: 300 }).map((k) => k / 10),
  ),
  { minLength: 1, maxLength: 12 },
);

/** Row C33. */
export const localisedMinimiser = (subject: OracleSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'lowy/localised-minimiser',
    tier: 'search',
    statement:
      'if the data part of a regularised risk is Lipschitz with the constant t r̃, its minimiser is ' +
      'within t r̃/λ of the centre, with equality for affine losses, so within the printed 2t r̃/λ and ' +
      'within half the radius of the phase',
    power:
      'a relative error of 1e-9 over 300 problems of least ' +
      'absolute deviations, solved exactly; any constant below 1',
    run: (env) =>
      both(
        () =>
          env.forAll(
            fc.record({
              records: pairs,
              strength: tenTo(-2, 2),
              centre: fc.integer({ min: -300, max: 300 }).map((k) => k / 10),
            }),
            ({ records, strength, centre }) => {
              const lipschitz = records.reduce((sum, [x]) => sum + x, 0) / records.length;
              const found = regularised(records, strength, centre);
              const risk = (w: number): number =>
                records.reduce(
                  (sum, [x, y]) =>
                    sum +
                    subject.absolute.value({}, Float64Array.of(w), {
                      features: Float64Array.of(x),
                      label: y,
                    }),
                  0,
                ) /
                  records.length +
                (strength / 2) * (w - centre) ** 2;
              return firstOf([
                ...[1e-3, -1e-3, 1, -1].map((step) =>
                  exceeds({
                    what: 'the risk at the minimiser found',
                    got: risk(found),
                    most: risk(found + step),
                    slack: 1e-12,
                  }),
                ),
                exceeds({
                  what: 'how far the minimiser is',
                  got: Math.abs(found - centre),
                  most: subject.minimiserDistance({ lipschitz, strength }),
                  slack: 1e-9,
                }),
                exceeds({
                  what: 'the distance that is stated',
                  got: subject.minimiserDistance({ lipschitz, strength }),
                  most: (2 * lipschitz) / strength,
                  slack: 1e-9,
                }),
              ]);
            },
            { runs: 300 },
          ),
        // All kinks are far away, so the data part is affine.
        () =>
          tried(
            [0.1, 1, 30].map((strength) => ({ strength })),
            ({ strength }) =>
              differs({
                what: 'how far the minimiser of an affine risk is',
                got: Math.abs(
                  regularised(
                    [
                      [2, 1e9],
                      [4, 1e9],
                    ],
                    strength,
                    1,
                  ) - 1,
                ),
                want: subject.minimiserDistance({ lipschitz: 3, strength }),
                tolerance: 1e-9,
              }),
          ),
        () =>
          tried([3, 8], (log) => {
            const { phases } = subject.localizedPhases(
              { ...facts, records: 2 ** log, order: 3 },
              'corrected',
              { mostRounds: 1 },
            );
            return firstOf(
              phases.map(({ strength, radius }, i) =>
                exceeds({
                  what: `twice the distance in phase ${i + 1}`,
                  got:
                    2 *
                    2 *
                    subject.minimiserDistance({
                      lipschitz: (2 ** (i + 1) * 2 ** (log / 2)) ** (1 / 3) * facts.uniformMoment,
                      strength,
                    }),
                  most: radius,
                }),
              ),
            );
          }),
      ),
  });
