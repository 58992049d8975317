import { groupEvent, meanShape } from '@lethe/core';
import { defineClaimCheck, type ClaimCheck } from '@lethe/laws';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { both, differs, exceeds, firstOf, tried } from '../../common/compare.js';
import { tenTo } from '../../common/inputs.js';
import { minus, norm } from '../../common/vectors.js';
import { rhoOf } from '../curated.js';
import { sizes } from './discrete-distributions.js';
import { valueOf } from './release.js';
import type { OracleSubject } from './subject.js';

/** Records of equal length, a replacement of the first, and a direction. */
const neighbours = fc
  .tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 12 }))
  .chain(([dimension, count]) => {
    const one = fc.array(sizes, { minLength: dimension, maxLength: dimension });
    return fc.record({
      dimension: fc.constant(dimension),
      records: fc.array(one, { minLength: count, maxLength: count }),
      other: one,
      radius: tenTo(-3, 3),
    });
  });
const replaced = (
  records: readonly (readonly number[])[],
  others: readonly (readonly number[])[],
): (readonly number[])[] => records.map((record, i) => others[i] ?? record);

/** Row C2. */
export const meanSensitivity = (subject: OracleSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'lowy/mean-sensitivity',
    tier: 'search',
    statement:
      'replacing one of s records moves the mean of clipped records by at most 2C/s, with equality for ' +
      'opposite records outside the ball, and the oracle declares 2C/s',
    power:
      'a relative error of 1e-12, over 300 neighbours of up ' +
      'to 12 records with entries and radii from 1e-3 to 1e3',
    run: (env) =>
      env.forAll(
        neighbours,
        ({ records, other, radius, dimension }) => {
          const { ballMean } = subject;
          const s = records.length;
          const at = (data: readonly (readonly number[])[]): Float64Array =>
            valueOf(ballMean, { radius }, data);
          const most = (2 * radius) / s;
          const far = Array.from({ length: dimension }, (_, j) => (j === 0 ? 3 * radius : 0));
          const rounding = 1e-12 * radius;
          return firstOf([
            exceeds({
              what: 'how far the mean moves',
              got: norm(minus(at(records), at(replaced(records, [other])))),
              most: most + rounding,
            }),
            differs({
              what: 'how far it moves between opposite records',
              got: norm(minus(at(replaced(records, [far])), at(replaced(records, [far.map((x) => -x)])))),
              want: most,
              size: radius,
            }),
            differs({
              what: 'the declared sensitivity',
              got: defined(ballMean.sensitivity({ radius }, { dimension, slots: s })['replace-one']),
              want: most,
            }),
          ]);
        },
        { runs: 300 },
      ),
  });

/** Row C9. */
export const medianSensitivity = (subject: OracleSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'lowy/median-sensitivity',
    tier: 'search',
    statement:
      'the median changes by at most the largest change among the numbers; so for m groups that divide ' +
      's, replacing a record moves the coordinate-wise median of means by at most 2τm√d/s, with equality ' +
      'for one group and two corners of the cube, and for an odd number of groups the declared ' +
      'sensitivity is this bound',
    power:
      'a relative error of 1e-12, over 300 neighbours of up to 12 records in up to four dimensions and ' +
      'every number of groups that divides them',
    run: (env) =>
      both(
        () =>
          env.forAll(
            fc.array(fc.tuple(sizes, sizes), { minLength: 1, maxLength: 9 }),
            (pairs) => {
              // Groups of one record each: the oracle is the median itself.
              const median = (values: readonly number[]): number =>
                valueOf(
                  subject.coordinateMedianOfMeans,
                  { limit: 1e4, groups: values.length },
                  values.map((x) => [x]),
                )[0];
              const [a, b] = [pairs.map(([x]) => x), pairs.map(([, y]) => y)];
              const ascending = a.toSorted((x, y) => x - y);
              const half = a.length >> 1;
              return firstOf([
                differs({
                  what: 'the median',
                  got: median(a),
                  want: a.length % 2 === 1 ? ascending[half] : (ascending[half - 1] + ascending[half]) / 2,
                  size: 1,
                }),
                exceeds({
                  what: 'how far the median moves',
                  got: Math.abs(median(a) - median(b)),
                  most: Math.max(...pairs.map(([x, y]) => Math.abs(x - y))) + 1e-12 * norm([...a, ...b]),
                }),
              ]);
            },
            { runs: 300 },
          ),
        () =>
          env.forAll(
            neighbours,
            ({ records, other, radius: limit, dimension }) => {
              const s = records.length;
              const rounding = 1e-12 * limit * Math.sqrt(dimension);
              return firstOf(
                Array.from({ length: s }, (_, i) => i + 1)
                  .filter((groups) => s % groups === 0)
                  .flatMap((groups) => {
                    const at = (data: readonly (readonly number[])[]): Float64Array =>
                      valueOf(subject.coordinateMedianOfMeans, { limit, groups }, data);
                    const most = (2 * limit * groups * Math.sqrt(dimension)) / s;
                    const corner = Array.from({ length: dimension }, () => 2 * limit);
                    const declared = defined(
                      subject.coordinateMedianOfMeans.sensitivity(
                        { limit, groups },
                        meanShape({ dimension, slots: s }),
                      )['replace-one'],
                    );
                    const moved = norm(minus(at(records), at(replaced(records, [other]))));
                    const attained = norm(
                      minus(at(replaced(records, [corner])), at(replaced(records, [corner.map((x) => -x)]))),
                    );
                    return [
                      exceeds({
                        what: `how far the median of ${groups} means moves`,
                        got: moved,
                        most: declared + rounding,
                      }),
                      exceeds({
                        what: `how far the median of ${groups} means moves between corners`,
                        got: attained,
                        most: declared + rounding,
                      }),
                      groups === 1
                        ? differs({
                            what: 'how far one mean moves between corners',
                            got: attained,
                            want: most,
                            size: limit,
                          })
                        : undefined,
                      groups % 2 === 1
                        ? differs({ what: 'the declared sensitivity', got: declared, want: most })
                        : exceeds({ what: 'the declared sensitivity', got: declared, most }),
                    ];
                  }),
              );
            },
            { runs: 300 },
          ),
      ),
  });

/** Row C9, R14 as printed: fails. */
export const medianNoisePrinted = (subject: OracleSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'lowy/median-noise-printed',
    tier: 'exact',
    statement:
      'as printed: the variance 72τ²m²d/(s²ε²) of Lemma 52 ' +
      'makes a median of means cost ε²/2, as in Algorithm 12',
    run: () =>
      tried(
        [{ limit: 2, groups: 3, records: 12, dimension: 5, epsilon: 0.5 }],
        ({ limit, groups, records, dimension, epsilon }) => {
          const setting = { clipNorm: limit, groups, records, dimension, epsilon, all: records, rounds: 1 };
          const shift = defined(
            subject.coordinateMedianOfMeans.sensitivity(
              { limit, groups },
              meanShape({ dimension, slots: records }),
            )['replace-one'],
          );
          return differs({
            what: 'the ρ that the noise of Lemma 52 costs',
            got: subject.shiftedRenyi({
              alpha: 1,
              shift,
              variance: subject.noiseVariances.medianOfMeansPrinted(setting),
            }),
            want: epsilon ** 2 / 2,
            tolerance: 1e-9,
          });
        },
      ),
  });

/** Row C15. */
export const groupPrivacy = (subject: OracleSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'lowy/group-privacy',
    tier: 'search',
    statement:
      'h records that differ together move the clipped mean by at most 2hC/s, with equality if all are ' +
      'opposite, so they cost h²ρ; the group event has the same cost',
    power: 'a relative error of 1e-9, over 200 groups among up to 12 records',
    run: (env) =>
      env.forAll(
        fc.record({ case: neighbours, size: fc.integer({ min: 1, max: 12 }), rho: tenTo(-3, 1) }),
        ({ case: { records, other, radius, dimension }, size: wanted, rho }) => {
          const s = records.length;
          const size = Math.min(wanted, s);
          const at = (data: readonly (readonly number[])[]): Float64Array =>
            valueOf(subject.ballMean, { radius }, data);
          const most = (2 * size * radius) / s;
          const far = Array.from({ length: dimension }, (_, j) => (j === 0 ? 3 * radius : 0));
          const all = (point: readonly number[]): (readonly number[])[] =>
            Array.from({ length: size }, () => point);
          // The noise of ρ for one record, at the shift of the group.
          const one = defined(
            subject.ballMean.sensitivity({ radius }, { dimension, slots: s })['replace-one'],
          );
          const variance = one ** 2 / (2 * rho);
          const shift = norm(
            minus(at(replaced(records, all(far))), at(replaced(records, all(far.map((x) => -x))))),
          );
          return firstOf([
            exceeds({
              what: 'how far a group moves the mean',
              got: norm(minus(at(records), at(replaced(records, all(other))))),
              most: most + 1e-12 * radius,
            }),
            differs({
              what: 'the divergence of order 2 that a group reaches',
              got: subject.shiftedRenyi({ alpha: 2, shift, variance }),
              want: 2 * subject.groupRho(rho, size),
              tolerance: 1e-9,
            }),
            differs({
              what: 'the ρ of the event of a group',
              got: rhoOf(
                groupEvent(size, subject.gaussian.event({}, 1 / Math.sqrt(2 * rho), { 'replace-one': 1 })),
              ),
              want: subject.groupRho(rho, size),
              tolerance: 1e-9,
            }),
          ]);
        },
        { runs: 200 },
      ),
  });
