import { defineClaimCheck, judge, type ClaimCheck, type Violation } from '@lethe/laws';
import fc from 'fast-check';
import { listOf } from '../../common/inputs.js';
import { above, differs, first } from '../../common/judging.js';
import { minus, norm } from '../../common/vectors.js';
import {
  answered,
  averageOf,
  largest,
  norm1,
  projectedMeans,
  sensitivityOf,
  sparseRecords,
  valueOf,
  type SparseRecords,
} from './released.js';
import type { MeansSubject, ProjectedMean } from './subject.js';

const norms = [1, 1.5, 2, 4, 10, Infinity];
const inNorm = (x: readonly number[], p: number): number =>
  p === Infinity ? largest(x) : x.reduce((sum, entry) => sum + Math.abs(entry) ** p, 0) ** (1 / p);

/** A record of `sparsity` equal entries and norm `radius`. */
const flat = ({ dimension, sparsity, radius }: SparseRecords): readonly number[] =>
  Array.from({ length: dimension }, (_, j) => (j < sparsity ? radius / Math.sqrt(sparsity) : 0));

/** How far one record moves the value of a mean, against what is declared and the exact number. */
function moves(
  mean: ProjectedMean,
  length: (x: ArrayLike<number>) => number,
  given: SparseRecords,
  exact: number,
): Violation | undefined {
  const { dimension, records, other } = given;
  const declared = sensitivityOf(mean, given, { dimension, slots: records.length });
  const moved = (a: readonly number[], b: readonly number[]): number => {
    const [x, y] = [a, b].map((row) => valueOf(mean, given, [row, ...records.slice(1)]));
    return length(minus(x, y));
  };
  const extreme = flat(given);
  return first(
    differs('the declared sensitivity', declared, exact),
    above('how far a record moves the mean', moved(records[0], other), declared),
    differs(
      'how far opposite flat records move the mean',
      moved(
        extreme,
        extreme.map((x) => -x),
      ),
      exact,
    ),
  );
}

const within = ({ sparsity, radius }: SparseRecords) => ({ sparsity, radius });

/** Rows 1 to 4 and 99: sparse vectors, the set of their means, and what one record moves. */
export function recordChecks(subject: MeansSubject): readonly ClaimCheck[] {
  const { laplaceProjectionMechanism, projectionMechanism, l1ProjectionMechanism } = subject;
  return [
    defineClaimCheck({
      id: 'ghazi/norms-of-sparse-vectors',
      tier: 'search',
      statement:
        '‖x‖_p ≤ s^(1/p − 1/q)·‖x‖_q for vectors of s entries and p < q, with equality if all have one size',
      power: 'a relative error of 10⁻⁹, in 300 vectors of at most six entries',
      run: (env) =>
        env.forAll(
          fc
            .record({ x: listOf(6, -5, 5), p: fc.nat(4), more: fc.integer({ min: 1, max: 5 }) })
            .filter(({ x }) => x.some((entry) => entry !== 0)),
          ({ x, p: index, more }) => {
            const [p, q] = [norms[index], norms[Math.min(5, index + more)]];
            const entries = x.filter((entry) => entry !== 0).length;
            const by = subject.sparseNormRatio(entries, p, q);
            const signs = x.map(Math.sign);
            return first(
              above(`the norm of order ${p}`, inNorm(x, p), by * inNorm(x, q)),
              differs(`the norm of signs of order ${p}`, inNorm(signs, p), by * inNorm(signs, q)),
            );
          },
          { runs: 300 },
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/means-of-sparse-records',
      tier: 'search',
      statement:
        'means of sparse records have an ℓ1 norm of at most L√s: no record is scaled and the projection ' +
        'leaves their mean as it is, which need not be sparse',
      power: 'a relative error of 10⁻⁹, in 200 data sets and one whose mean has two entries for s = 1',
      run: (env) =>
        env.forAll(
          sparseRecords,
          (given) =>
            first(
              ...projectedMeans(subject).flatMap(([name, mean]) => {
                const { mean: value, answer } = answered(
                  mean,
                  within(given),
                  given.records,
                  averageOf(given.records).fill(0),
                );
                const off = minus(value, averageOf(given.records));
                return [
                  above(`${name}: what scaling moves`, norm(off), 0, 1e-12 * given.radius),
                  above(`${name}: the ℓ1 norm`, norm1(value), given.radius * Math.sqrt(given.sparsity)),
                  above(
                    `${name}: what the projection moves`,
                    norm(minus(answer, value)),
                    0,
                    1e-9 * given.radius,
                  ),
                ];
              }),
            ),
          {
            runs: 200,
            examples: [
              {
                dimension: 2,
                sparsity: 1,
                radius: 1,
                records: [
                  [1, 0],
                  [0, 1],
                ],
                other: [0, 0],
              },
            ],
          },
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/l1-sensitivity',
      tier: 'search',
      statement: 'one record moves the mean by at most 2L√s/n in ℓ1; opposite flat records attain it',
      power: 'a relative error of 10⁻⁹, in 200 data sets',
      run: (env) =>
        env.forAll(
          sparseRecords,
          (given) =>
            moves(
              laplaceProjectionMechanism,
              norm1,
              given,
              (2 * given.radius * Math.sqrt(given.sparsity)) / given.records.length,
            ),
          { runs: 200 },
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/l2-sensitivity',
      tier: 'search',
      statement: 'one record moves the mean by at most 2L/n in ℓ2; opposite records attain it',
      power: 'a relative error of 10⁻⁹, in 200 data sets',
      run: (env) =>
        env.forAll(
          sparseRecords,
          (given) =>
            first(
              ...[projectionMechanism, l1ProjectionMechanism].map((mean) =>
                moves(mean, norm, given, (2 * given.radius) / given.records.length),
              ),
            ),
          { runs: 200 },
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/records-of-the-l1-ball',
      tier: 'search',
      statement:
        'records with ‖z‖₁ ≤ L√s that are not sparse keep the sensitivity 2L√s/n of Algorithm 1 with δ = ' +
        '0, which scales none of them; with δ > 0 it is 2L/n only because records are held to ‖z‖₂ ≤ L too',
      power: 'a relative error of 10⁻⁹, in 200 data sets and on the axes',
      run: (env) =>
        env.forAll(
          sparseRecords.chain((given) =>
            fc
              .array(listOf(given.dimension, -4, 4), { minLength: 2, maxLength: 2 })
              .map((dense) => ({ ...given, dense })),
          ),
          ({ dense, ...given }) => {
            const ball = given.radius * Math.sqrt(given.sparsity);
            const rows = [...dense, given.records[0].map((_, j) => Number(j === 0))].map((row) =>
              row.map((x) => (x / Math.max(1, norm1(row))) * ball * (1 - 1e-12)),
            );
            const axis = rows[2].map((x) => -x);
            const at = (mean: ProjectedMean, row: readonly number[]): Float64Array =>
              valueOf(mean, within(given), [row, ...given.records.slice(1)]);
            const slots = given.records.length;
            return first(
              ...rows.map((row) =>
                above(
                  'what scaling moves',
                  norm(
                    minus(at(laplaceProjectionMechanism, row), averageOf([row, ...given.records.slice(1)])),
                  ),
                  0,
                  1e-12 * given.radius * Math.sqrt(given.sparsity),
                ),
              ),
              above(
                'how far a dense record moves the mean in ℓ1',
                norm1(
                  minus(at(laplaceProjectionMechanism, rows[0]), at(laplaceProjectionMechanism, rows[1])),
                ),
                (2 * ball) / slots,
              ),
              ...[projectionMechanism, l1ProjectionMechanism].map((mean) =>
                above(
                  'how far opposite records on an axis move the mean in ℓ2',
                  norm(minus(at(mean, rows[2]), at(mean, axis))),
                  (2 * given.radius) / slots,
                ),
              ),
            );
          },
          { runs: 200 },
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/records-of-the-l1-ball-printed',
      tier: 'exact',
      statement:
        'as printed: Algorithm 1 takes any records with ‖z‖₁ ≤ L√s for δ > 0, ' +
        'whose noise is for the sensitivity 2L/n',
      run() {
        const [radius, sparsity, slots] = [1, 4, 10];
        const one = [radius * Math.sqrt(sparsity), 0, 0, 0];
        const records = Array.from({ length: slots }, () => [0, 0, 0, 0]);
        const moved = norm(
          minus(averageOf([one, ...records.slice(1)]), averageOf([one.map((x) => -x), ...records.slice(1)])),
        );
        return judge(
          1,
          above(
            'how far opposite records on an axis move the mean in ℓ2',
            moved,
            sensitivityOf(l1ProjectionMechanism, { radius, sparsity }, { dimension: 4, slots }),
          ),
        );
      },
    }),
  ];
}
