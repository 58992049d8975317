import { InvalidParameter, seededRandom } from '@lethe/core';
import { defineClaimCheck, judge, type ClaimCheck } from '@lethe/laws';
import { logBinomial } from '@lethe/numerics';
import { chance } from '../common/binomial.js';
import { above, differs, first, refusal } from '../common/judging.js';
import type { SparseGradientsSubject } from './subject.js';

const shapes = [
  [4, 2],
  [8, 2],
  [8, 4],
  [10, 4],
  [12, 4],
  [10, 5],
  [12, 6],
  [9, 3],
] as const;

/** A block of one record with columns 0 and 1, and one of two. */
const blockRows = [
  [{ row: { columns: Uint32Array.of(0, 1), values: Float64Array.of(0.6, -0.8) }, copies: 3 }],
  [
    { row: { columns: Uint32Array.of(1), values: Float64Array.of(1) }, copies: 1 },
    { row: { columns: Uint32Array.of(0), values: Float64Array.of(-0.5) }, copies: 2 },
  ],
];
const blockShape = { rows: 8, columns: 7, blocks: 2, rowsPerBlock: 3, columnsPerBlock: 3 };
/** Means of the two blocks over their three columns, written out. */
const blockMeans = [
  [0.6, -0.8, 0],
  [-1 / 3, 1 / 3, 0],
];

/** Rows 83 to 92 of the claims: packings, and records in blocks. */
export function packingChecks(subject: SparseGradientsSubject): readonly ClaimCheck[] {
  const {
    greedyPacking,
    independentFailures,
    logPackingPromise,
    packingMeanBound,
    pureBlocks,
    blockDiagonal,
    separationOf,
  } = subject;
  const drawn = () => blockDiagonal(blockShape, (k) => blockRows[k]);
  return [
    defineClaimCheck({
      id: 'ghazi/close-supports',
      tier: 'exact',
      statement:
        'Σ_{j ≤ s/4} C(s,j)·C(d−s,j) ≤ C(d, ⌊s/2⌋), and the counted ratio of supports is at least ' +
        'C(d,s)/C(d,⌊s/2⌋), for s ≤ d/2 and d ≤ 40',
      power: 'certain in these dimensions',
      run() {
        let tried = 0;
        for (let d = 2; d <= 40; d++)
          for (let s = 1; s <= d / 2; s++) {
            let close = 0;
            for (let j = 0; j <= Math.floor(s / 4); j++)
              close += Math.exp(logBinomial(s, j) + logBinomial(d - s, j));
            const most = logBinomial(d, Math.floor(s / 2));
            tried++;
            const wrong =
              above(`close supports, d = ${d}, s = ${s}`, Math.log(close), most, 1e-9) ??
              above(
                `the ratio of supports, d = ${d}, s = ${s}`,
                logBinomial(d, s) - most,
                separationOf({ columns: d, entries: s }).logRatio,
                1e-9,
              );
            if (wrong !== undefined) return judge(tried, wrong);
          }
        return judge(tried, undefined);
      },
    }),
    defineClaimCheck({
      id: 'ghazi/packing-size',
      tier: 'exact',
      statement:
        'the greedy packing has (d/s − ½)^(s/2) points or more, in eight shapes of at most 12 columns',
      power: 'a promise above what the smallest packing has, by a factor 3 in eight shapes',
      run: () =>
        judge(
          shapes.length,
          first(
            ...shapes.flatMap(([d, s]) => [
              above(
                `the promise for d = ${d}, s = ${s}`,
                Math.exp(logPackingPromise(d, s)),
                greedyPacking(d, s).length,
              ),
              differs(
                `the promise for d = ${d}, s = ${s}`,
                Math.exp(logPackingPromise(d, s)),
                (d / s - 0.5) ** (s / 2),
              ),
            ]),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/packing-apart',
      tier: 'exact',
      statement:
        'points of the greedy packing have s entries and squared distances 2(s − common)/s of ½ or more',
      power: 'two points that are too near, in eight shapes',
      run: () =>
        judge(
          shapes.length,
          first(
            ...shapes.map(([d, s]) => {
              const points = greedyPacking(d, s).map((columns) => new Set(columns));
              let nearest = Infinity;
              for (const [i, a] of points.entries())
                for (const b of points.slice(0, i)) {
                  const common = [...a].filter((j) => b.has(j)).length;
                  nearest = Math.min(nearest, (2 * (s - common)) / s);
                }
              return first(
                differs(
                  `entries of points for d = ${d}, s = ${s}`,
                  Math.min(...points.map(({ size }) => size)),
                  s,
                ),
                above(`½ beside the squared distance of points for d = ${d}, s = ${s}`, 0.5, nearest),
              );
            }),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/records-of-zeros',
      tier: 'exact',
      statement: 'with c times as many records the proved bound is at least a c-th, for c = 2, 8 and 1024',
      power: 'any smaller bound, by 10⁻⁹',
      run: () =>
        judge(
          27,
          first(
            ...[3, 40, 1000].flatMap((n) =>
              [20, 400, 1e5].flatMap((dimension) => {
                const at = (count: number): number =>
                  pureBlocks({ n: count, dimension, sparsity: 3, epsilon: 0.5, probability: 1 / 3 }).error;
                return [2, 8, 1024].map((c) =>
                  above(`n = ${n}, d = ${dimension}, c = ${c}`, at(n) / c, at(c * n)),
                );
              }),
            ),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/packing-error',
      tier: 'exact',
      statement:
        'the bound is (1/√8)·min{1, ⌊ln(p/2)/ε⌋/n} with probability ½ or more, ' +
        'p e^{−εn′} = 2 or more for its n′ copies, and it is refused where ln(p/2) < ε',
      power: 'certain in eight shapes, for four n and four ε',
      run: () =>
        judge(
          128,
          first(
            ...shapes.flatMap(([dimension, sparsity]) => {
              const points = greedyPacking(dimension, sparsity).length;
              return [1, 2, 10, 1000].flatMap((n) =>
                [0.01, 0.3, 1, 6].map((epsilon) => {
                  const given = packingMeanBound.params.parse({ n, dimension, sparsity, epsilon });
                  const whole = Math.floor(Math.log(points / 2) / epsilon);
                  const what = `the bound for ${points} points, n = ${n}, ε = ${epsilon}`;
                  if (whole < 1) return refusal(what, () => packingMeanBound.evaluate(given));
                  const { value, probability } = packingMeanBound.evaluate(given);
                  return first(
                    differs(what, value, Math.min(1, whole / n) / Math.sqrt(8)),
                    above(`one half beside the probability, ${what}`, 0.5, probability ?? 0),
                  );
                }),
              );
            }),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/packing-error-printed',
      tier: 'exact',
      statement:
        'for 3 points, n = 1 and ε = 1 every ε-private answer errs with probability ½: ' +
        'a randomised response over the points is right with probability e/(e + 2)',
      run() {
        const points = greedyPacking(3, 1).length;
        const wrong = (points - 1) / (Math.E + points - 1);
        return judge(1, above('the printed probability of an error, with a randomised response', 0.5, wrong));
      },
    }),
    defineClaimCheck({
      id: 'ghazi/mean-of-blocks',
      tier: 'exact',
      statement: 'the mean of two blocks of three records among eight is (3/8)[z̄₁ | z̄₂ | 0], written out',
      power: 'certain',
      run() {
        const { mean } = drawn();
        const expected = [...blockMeans.flat(), 0].map((x) => (3 / 8) * x);
        return judge(7, first(...expected.map((x, j) => differs(`entry ${j}`, mean[j] + 1, x + 1))));
      },
    }),
    defineClaimCheck({
      id: 'ghazi/records-of-blocks',
      tier: 'exact',
      statement:
        'records of block k have columns of block k only, ' +
        'and no more entries than the block’s; the rest are zero',
      power: 'certain, and for blocks that do not fit',
      run() {
        const { features } = drawn();
        if (features instanceof Float64Array) throw new InvalidParameter('records are dense', {});
        const { rowStarts, columnIndices } = features;
        const parts = Array.from({ length: 8 }, (_, i) => {
          const columns = [...columnIndices.subarray(rowStarts[i], rowStarts[i + 1])];
          const block = Math.floor(i / 3);
          const entries = [2, 2, 2, 1, 1, 1, 0, 0][i];
          return first(
            differs(`entries of record ${i}`, columns.length + 1, entries + 1),
            ...columns.map((j) =>
              differs(`the block of column ${j} of record ${i}`, Math.floor(j / 3) + 1, block + 1),
            ),
          );
        });
        return judge(
          9,
          first(
            ...parts,
            refusal('a block more than there are records', () =>
              blockDiagonal({ ...blockShape, rows: 5 }, (k) => blockRows[k]),
            ),
          ),
        );
      },
    }),
    defineClaimCheck({
      id: 'ghazi/error-of-blocks',
      tier: 'search',
      statement:
        '‖A − z̄‖² = (n₀/n)² Σ_k ‖(n/n₀)A_k − z̄_k‖² for answers that are zero outside of the blocks, ' +
        'and more for others, at 50 random answers',
      power: 'a relative error of 10⁻⁹',
      run() {
        const { mean } = drawn();
        const random = seededRandom('answers');
        return judge(
          50,
          first(
            ...Array.from({ length: 50 }, (_, i) => {
              const answer = random.gaussianInto(new Float64Array(7));
              if (i % 2 === 0) answer[6] = 0;
              const whole = answer.reduce((sum, x, j) => sum + (x - mean[j]) ** 2, 0);
              const parts = blockMeans
                .flat()
                .reduce(
                  (sum, x, j) => sum + ((8 / 3) * answer[j] - x) ** 2,
                  answer[6] === 0 ? 0 : Number.MIN_VALUE,
                );
              const summed = (3 / 8) ** 2 * parts;
              return answer[6] === 0
                ? differs('the squared error', whole, summed)
                : above('the sum over blocks', summed, whole, 0);
            }),
          ),
        );
      },
    }),
    defineClaimCheck({
      id: 'ghazi/independent-failures',
      tier: 'exact',
      statement: 'P[Bin(K, ρ₀) ≥ ρ₀K/2] ≥ 1 − exp(−ρ₀K/8) for K up to 200 and ten ρ₀',
      power: 'a constant of 0.7 for 1/8',
      run: () =>
        judge(
          80,
          first(
            ...[1, 2, 3, 5, 10, 30, 100, 200].flatMap((blocks) =>
              [0.02, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 0.9, 1].map((each) =>
                above(
                  `K = ${blocks}, ρ₀ = ${each}`,
                  independentFailures(blocks, each),
                  chance(blocks, each, (k) => k >= (each * blocks) / 2),
                  1e-12,
                ),
              ),
            ),
          ),
        ),
    }),
  ];
}
