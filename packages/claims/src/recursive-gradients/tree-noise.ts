import { clippedMeanEvent, type PrefixSum } from '@lethe/core';
import { defineClaimCheck, judge, type ClaimCheck, type Violation } from '@lethe/laws';
import { mechanisms } from '@lethe/mechanisms';
import { each } from '../common/each.js';
import { above, differs, first } from '../common/judging.js';
import { norm } from '../common/vectors.js';
import { drawsOf } from './paths.js';
import type { RecursiveGradientsSubject } from './subject.js';

const once = { times: 1, gap: 1 << 20 };
const bits = (i: number): number => i.toString(2).replaceAll('0', '').length;
const log2 = (T: number): number => Math.floor(Math.log2(T) + 1e-12);
const upLog2 = (T: number): number => Math.ceil(Math.log2(T) - 1e-12);
/** Nodes that contain leaf `l`: those of the chain `l, l + low(l), …`. */
function columnWeight(l: number, T: number): number {
  let count = 0;
  for (let node = l; node <= T; node += node & -node) count++;
  return count;
}

/** Rows of `B`: coefficients of the rows of noise in each running sum. */
function decoderOf({ begin }: Pick<PrefixSum, 'begin'>, T: number): readonly Float64Array[] {
  const run = begin({}, { steps: T, dimension: T });
  const sum = new Float64Array(T);
  const increment = new Float64Array(T);
  return each(T, () => {
    run.nextInto(increment, (row, out) => {
      out.fill(0);
      out[row] = 1;
    });
    for (let j = 0; j < T; j++) sum[j] += increment[j];
    return sum.slice();
  });
}

/** Of noise `μ`-GDP: `δ(ε)`. */
const deltaOf = ({ gdp }: RecursiveGradientsSubject, mu: number, epsilon: number): number =>
  gdp.delta(clippedMeanEvent(1 / mu, 'zero-out'), { adjacency: 'zero-out', epsilon }).upper;
const classicalMu = (epsilon: number, delta: number): number =>
  epsilon / Math.sqrt(2 * Math.log(1.25 / delta));

/** Rows 32 to 39, 41 to 47, 69 and 72: noise of running sums, and what it costs. */
export function treeNoiseChecks(subject: RecursiveGradientsSubject): readonly ClaimCheck[] {
  const { binaryTree, independentIncrements, noiseOfSums, likelyNorm, gaussian, scheduleOf, noisePerClip } =
    subject;
  const sizes = [1, 2, 3, 5, 7, 8, 16, 31, 64, 65];
  const treeAt = (rounds: number, gdpMu: number, dimension = 1) =>
    noiseOfSums(
      {
        registry: [binaryTree, ...mechanisms.filter(({ name }) => name !== 'binary-tree')],
        prefixSum: { kind: 'prefixSum', name: 'binary-tree', params: {} },
        dimension,
        adjacency: 'zero-out',
        noiseMultiplier: 1 / gdpMu,
      },
      rounds,
    );
  return [
    defineClaimCheck({
      id: 'choquette-choo/tree',
      tier: 'exact',
      statement:
        'the tree has a node for every step, node i the sum of (i − low(i), i], and running sum i the ' +
        'nodes of its bits: A = BC',
      power: 'nodes of the height below',
      run: () =>
        judge(
          sizes.length,
          first(
            ...sizes.flatMap((T) => {
              const B = decoderOf(binaryTree, T);
              const shape = { steps: T, dimension: 1 };
              return each(T, (i) =>
                first(
                  ...each(T, (l) =>
                    differs(
                      `entry ${i}, ${l} of BC`,
                      each(T, (m) => B[i][m] * binaryTree.encoder({}, shape, m, l)).reduce(
                        (a, b) => a + b,
                        0,
                      ),
                      l <= i ? 1 : 0,
                      0,
                    ),
                  ),
                  differs(`the variance of sum ${i}`, norm(B[i]) ** 2, bits(i + 1)),
                  differs(
                    `the stated variance of sum ${i}`,
                    binaryTree.variance({}, shape, i),
                    bits(i + 1),
                    0,
                  ),
                ),
              );
            }),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'choquette-choo/tree-printed',
      tier: 'exact',
      statement: 'nodes (j, k) for odd j up to T/2^k − 1 are enough for every running sum up to 8',
      run() {
        const nodes = each(4, (k) =>
          each(8, (j) => j + 1).filter((j) => j % 2 === 1 && j <= 8 / 2 ** k - 1),
        ).flatMap((odd, k) => odd.map((j) => j * 2 ** k));
        return judge(8, above('the nodes that sum 8 lacks', nodes.includes(8) ? 0 : 1, 0));
      },
    }),
    defineClaimCheck({
      id: 'choquette-choo/tree-stream',
      tier: 'search',
      statement: 'the noise of a run is B z for the rows z it was given, row by row',
      power: 'lower nodes that are not replaced',
      run() {
        const draws = drawsOf('stream');
        return judge(
          sizes.length,
          first(
            ...sizes.flatMap((T) => {
              const z = each(T, () => draws.uniform(-1, 1));
              const run = binaryTree.begin({}, { steps: T, dimension: 1 });
              let sum = 0;
              const increment = new Float64Array(1);
              return each(T, (t) => {
                run.nextInto(increment, (row, out) => {
                  out[0] = z[row];
                });
                sum += increment[0];
                let wanted = 0;
                for (let node = t + 1; node > 0; node -= node & -node) wanted += z[node - 1];
                return above(`the noise of sum ${t}`, Math.abs(sum - wanted), 1e-12);
              });
            }),
          ),
        );
      },
    }),
    defineClaimCheck({
      id: 'choquette-choo/tree-covariance',
      tier: 'exact',
      statement: 'sums i and l share popcount(i >> (h + 1)) nodes, h the top bit in which they differ',
      power: 'noise of its own for every sum',
      run: () =>
        judge(
          32,
          first(
            ...each(32, (i) =>
              first(
                ...each(i, (l) => {
                  const B = decoderOf(binaryTree, 32);
                  const top = log2((i + 1) ^ (l + 1));
                  const shared = B[i].reduce((sum, one, m) => sum + one * B[l][m], 0);
                  return differs(`the covariance of ${i} and ${l}`, shared, bits((i + 1) >> (top + 1)), 0);
                }),
              ),
            ).slice(-4),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'choquette-choo/tree-memory',
      tier: 'exact',
      statement: 'a run keeps ⌊log₂ T⌋ + 1 vectors and draws T rows, up to T = 10⁵',
      power: 'a vector for every step',
      run: () =>
        judge(
          3,
          first(
            ...[1, 1000, 1e5].map((T) => {
              const run = binaryTree.begin({}, { steps: T, dimension: 1 });
              const out = new Float64Array(1);
              const drawn = new Set<number>();
              let calls = 0;
              for (let t = 0; t < T; t++)
                run.nextInto(out, (row, noise) => {
                  calls++;
                  drawn.add(row);
                  noise[0] = 0;
                });
              return first(
                differs(
                  'vectors kept',
                  binaryTree.vectorsKept?.({}, { steps: T, dimension: 1 }) ?? -1,
                  log2(T) + 1,
                  0,
                ),
                differs('rows drawn', drawn.size, T, 0),
                differs('calls', calls, T, 0),
              );
            }),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'choquette-choo/gaussian-norms',
      tier: 'exact',
      statement:
        'P[χ²_d ≥ 2d ln(2T/δ)] ≤ δ/(2T), and norms stay ' +
        'below √d + √(2 ln(T/δ)) with probability 1 − δ/T each',
      power: 'the same without the second term',
      run() {
        const found = [2, 4, 10, 100].flatMap((d) =>
          [1, 10, 1000].flatMap((T) =>
            [0.5, 1e-3, 1e-9].flatMap((delta) => [
              above(
                'log of the printed tail',
                logTail(d, 2 * d * Math.log((2 * T) / delta)),
                Math.log(delta / (2 * T)),
              ),
              above('log of the likely tail', logTail(d, likelyNorm(d, T, delta) ** 2), Math.log(delta / T)),
            ]),
          ),
        );
        return judge(found.length, first(...found));
      },
    }),
    defineClaimCheck({
      id: 'choquette-choo/lemma-8',
      tier: 'exact',
      statement:
        'errors of all sums are at most 4C log₂^{3/2}(T)√(d ln(2T/δ))/μ but with probability δ, for T ≥ ' +
        '2: 1 + ⌈log₂ T⌉ and ⌈log₂ T⌉ are at most 2 log₂ T',
      power: 'noise of a larger tree',
      run: () => judge(36, first(...lemmaEight((T) => Math.log2(T)))),
    }),
    defineClaimCheck({
      id: 'choquette-choo/lemma-8-printed',
      tier: 'exact',
      statement: 'the same with the natural logarithm',
      run: () => judge(36, first(...lemmaEight((T) => Math.log(T)))),
    }),
    defineClaimCheck({
      id: 'choquette-choo/tree-sensitivity',
      tier: 'exact',
      statement:
        'one increment of size 1 moves the nodes by √(its chain), ' +
        'at most √(1 + ⌊log₂ T⌋), attained at the first',
      power: 'the number of bits in place of the chain',
      run: () =>
        judge(
          sizes.length,
          first(
            ...sizes.flatMap((T) => {
              const shape = { steps: T, dimension: 1 };
              const most = binaryTree.columnNorm({}, shape, once);
              return [
                differs('the largest', most, Math.sqrt(1 + log2(T))),
                differs('that of the first', columnWeight(1, T), 1 + log2(T), 0),
                ...each(T, (l) => {
                  const column = each(T, (i) => binaryTree.encoder({}, shape, i, l));
                  return first(
                    differs(`column ${l}`, norm(column) ** 2, columnWeight(l + 1, T)),
                    above(`column ${l}`, norm(column), most),
                  );
                }),
              ];
            }),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'choquette-choo/gaussian-profile',
      tier: 'exact',
      statement: 'δ(ε) of μ-GDP, at eight listed settings, and the largest μ for five budgets',
      power: 'μ that is a part in a thousand larger',
      run: () =>
        judge(
          13,
          first(
            ...(
              [
                [1, 1, 0.126936737506644],
                [1, 0.25, 2.92427210485641e-6],
                [0.5, 0.2, 5.12536083158332e-4],
                [2, 1, 0.0209236358211137],
                [4, 1, 4.71224120079312e-5],
                [0, 1, 0.382924922548026],
                [8, 2, 4.95401738938745e-4],
                [0.1, 0.05, 4.46191864884714e-4],
              ] as const
            ).map(([epsilon, mu, delta]) =>
              differs(`δ(${epsilon}; ${mu})`, deltaOf(subject, mu, epsilon), delta, 1e-6),
            ),
            ...(
              [
                [1, 1e-6, 0.236704380663],
                [1, 5e-7, 0.229086942728],
                [2, 1e-6, 0.448334740395],
                [0.5, 1e-5, 0.142210558669],
                [8, 1e-5, 1.66603059785],
              ] as const
            ).map(([epsilon, delta, mu]) =>
              differs(
                `μ(${epsilon}, ${delta})`,
                1 / gaussian.multiplierFor({}, { epsilon, delta }),
                mu,
                1e-6,
              ),
            ),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'choquette-choo/loss-of-noise',
      tier: 'exact',
      statement:
        'a shift at step l has the privacy loss of μ_l = √(its chain)·C/σ, which at the first step is ' +
        'the μ of the plan: nodes have variance σ²',
      power: 'noise for a tree of one level less',
      run: () =>
        judge(
          sizes.length,
          first(
            ...sizes.flatMap((T) => {
              const mu = 0.7;
              const { deviations } = treeAt(T, mu);
              const sigma = deviations[0];
              return [
                differs('μ of the first step', Math.sqrt(columnWeight(1, T)) / sigma, mu, 1e-9),
                ...each(T, (l) => above(`μ of step ${l}`, Math.sqrt(columnWeight(l + 1, T)) / sigma, mu)),
                ...each(T, (t) =>
                  differs(`the noise of sum ${t}`, deviations[t], sigma * Math.sqrt(bits(t + 1)), 1e-9),
                ),
              ];
            }),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'choquette-choo/best-attack',
      tier: 'exact',
      statement:
        'the best test on the sufficient statistic of all sums has δ(ε) of the plan’s μ, at ε = 0 and ε ' +
        '= μ, and more with the σ of Corollary 9',
      power: 'noise for a tree of one level less',
      run() {
        const mu = 0.1842;
        const T = 1024;
        const sigma = treeAt(T, mu).deviations[0];
        const attained = Math.sqrt(1 + log2(T)) / sigma;
        const printed = Math.sqrt((2 * 11) / 10) * mu;
        return judge(
          4,
          first(
            ...[0, mu].map((epsilon) =>
              above(
                'δ of the best test',
                deltaOf(subject, attained, epsilon),
                deltaOf(subject, mu, epsilon),
                1e-9,
              ),
            ),
            differs('δ(0) of the plan', deltaOf(subject, attained, 0), 0.0734, 1e-2),
            differs('δ(0) with the printed σ', deltaOf(subject, printed, 0), 0.1087, 1e-2),
          ),
        );
      },
    }),
    defineClaimCheck({
      id: 'choquette-choo/corollary-9',
      tier: 'exact',
      statement: 'σ = c_DP L√(2(1 + ⌊log₂ T⌋) ln(2.5/δ))/(εBβ) is (ε, δ/2)-private',
      power: 'a profile of half the loss',
      run: () => judge(1, corollaryNine(2 * 11)),
    }),
    defineClaimCheck({
      id: 'choquette-choo/corollary-9-printed',
      tier: 'exact',
      statement: 'so is σ = c_DP L√(log₂(T) ln(2.5/δ))/(εBβ)',
      run: () => judge(1, corollaryNine(10)),
    }),
    defineClaimCheck({
      id: 'choquette-choo/corollary-13',
      tier: 'exact',
      statement:
        'the σ of Corollary 13 is 2√(log₂ T/(1 + ⌊log₂ T⌋)) ≥ √2 times what its μ needs; at the golden ' +
        'set 1.71356e-5 against 8.58248e-6',
      power: 'noise for a tree of one level less',
      run: () =>
        judge(
          6,
          first(
            ...[2, 3, 16, 1000, 1024].map((T) =>
              above('√2', Math.SQRT2, 2 * Math.sqrt(Math.log2(T) / (1 + log2(T)))),
            ),
            differs(
              'σ at the golden set',
              (treeAt(1000, 0.184228610287).deviations[0] * 12) / (1000 * 24_000),
              8.58248253416e-6,
              1e-9,
            ),
            differs(
              'the printed one over it',
              (24 * Math.SQRT2 * Math.sqrt(Math.log2(1000) * Math.log(2.5 / 1e-6))) /
                (1000 * 24_000 * 8.58248253416e-6),
              1.9965755,
              1e-6,
            ),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'choquette-choo/classical-noise',
      tier: 'exact',
      statement:
        'μ-GDP is (μ√(2 ln(1.25/δ)), δ)-private up to the listed μ, where ε is 4.4 to 9.4, and so for ε ≤ 1',
      power: 'a profile of half the loss',
      run: () =>
        judge(
          12,
          first(
            ...roots.flatMap(([delta, mu]) => [
              above('δ below the root', classicalDelta(mu - 1e-3, delta), delta),
              above('δ above the root, over δ', delta, classicalDelta(mu + 1e-3, delta)),
              above('δ at ε = 1', deltaOf(subject, classicalMu(1, delta), 1), delta),
            ]),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'choquette-choo/classical-noise-printed',
      tier: 'exact',
      statement: 'the same for every μ',
      run: () => judge(2, first(...[3, 4].map((mu) => above('δ', classicalDelta(mu, 1e-5), 1e-5)))),
    }),
    defineClaimCheck({
      id: 'choquette-choo/noise-law',
      tier: 'exact',
      statement:
        'b_t has variance popcount(t + 1)σ_b², σ_b = K√(1 + ⌊log₂ T⌋)/(Bβμ): ' +
        '6.67980e-6 at the golden set for (1, 10⁻⁶)',
      power: 'noise for a tree of one level less',
      run() {
        const { deviations } = treeAt(1000, 0.236704380663);
        const scale = 12 / (1000 * 24_000);
        return judge(
          1000,
          first(
            differs('σ_b', deviations[0] * scale, 6.67980383656e-6, 1e-9),
            ...each(1000, (t) =>
              differs(`of step ${t}`, deviations[t] ** 2, bits(t + 1) * deviations[0] ** 2),
            ),
          ),
        );
      },
    }),
    defineClaimCheck({
      id: 'choquette-choo/corollary-12',
      tier: 'exact',
      statement:
        'd ≤ B²β²μ²/(256M² log₂³(T) ln(2T/δ)) makes b of Lemma ' +
        '8 at most (2c_M + 1)L/M, and the noise of the plan, too',
      power: 'noise for a tree of one level more',
      run: () => judge(3, first(...corollaryTwelve(256))),
    }),
    defineClaimCheck({
      id: 'choquette-choo/corollary-12-printed',
      tier: 'exact',
      statement: 'the same for 16 in place of 256',
      run: () => judge(3, first(...corollaryTwelve(16))),
    }),
    defineClaimCheck({
      id: 'choquette-choo/noise-on-increments',
      tier: 'exact',
      statement:
        'fresh noise on each increment has squared error T in the worst sum, the tree (1 + ⌊log₂ ' +
        'T⌋)⌊log₂(T + 1)⌋: 1024 against 110',
      power: 'a tree of one level more',
      run: () =>
        judge(
          4,
          first(
            ...[2, 7, 64, 1024].map((T) => {
              const shape = { steps: T, dimension: 1 };
              const worst = (plugin: Pick<PrefixSum, 'variance'>): number =>
                Math.max(...each(T, (t) => plugin.variance({}, shape, t)));
              return first(
                differs(
                  'fresh noise',
                  worst(independentIncrements) * independentIncrements.columnNorm({}, shape, once) ** 2,
                  T,
                ),
                differs(
                  'the tree',
                  worst(binaryTree) * binaryTree.columnNorm({}, shape, once) ** 2,
                  (1 + log2(T)) * log2(T + 1),
                ),
              );
            }),
          ),
        ),
    }),
  ];

  function lemmaEight(log: (T: number) => number): readonly (Violation | undefined)[] {
    return [2, 3, 4, 64, 1000, 4096].flatMap((T) =>
      [1, 50].flatMap((d) =>
        [0.1, 1e-6, 1e-12].map((delta) =>
          first(
            above('the proof’s levels', upLog2(T) * Math.sqrt(1 + upLog2(T)) * Math.SQRT2, 4 * log(T) ** 1.5),
            above(
              'the likely error of the shipped noise',
              treeAt(T, 1, d).worst * likelyNorm(d, T, delta),
              4 * log(T) ** 1.5 * Math.sqrt(d * Math.log((2 * T) / delta)),
            ),
          ),
        ),
      ),
    );
  }

  function corollaryNine(squares: number): Violation | undefined {
    const [epsilon, delta] = [1, 1e-6];
    const mu = (epsilon * Math.sqrt(11)) / Math.sqrt(squares * Math.log(2.5 / delta));
    return above('δ(ε)', deltaOf(subject, mu, epsilon), delta / 2);
  }

  function classicalDelta(mu: number, delta: number): number {
    return deltaOf(subject, mu, mu * Math.sqrt(2 * Math.log(1.25 / delta)));
  }

  function corollaryTwelve(factor: number): readonly (Violation | undefined)[] {
    return [1e4, 1e6, 1e8].map((n) => {
      const [M, L, D, delta, mu] = [1, 1, 1, 1e-6, 0.2];
      const facts = {
        slots: n,
        dimension: 1,
        lipschitz: L,
        smoothness: M,
        diameter: D,
        startDistance: D,
        epsilon: 1,
        delta,
      };
      const noiseAt = (rounds: number) => treeAt(rounds, mu);
      const plan = scheduleOf(
        { ...facts, noiseAt },
        { setting: 'any', choice: 'printed', literal: true, given: {} },
      );
      if (plan === null) return { what: 'there is no plan', measured: 0, allowed: 1 };
      const { rounds: T, batchSize: B, beta, clipNorm } = plan;
      const logs = Math.log2(T) ** 3 * Math.log((2 * T) / delta);
      const d = Math.floor((B * beta * mu) ** 2 / (factor * M ** 2 * logs));
      const printed = (4 * (clipNorm / (B * beta)) * Math.sqrt(logs * d)) / mu;
      const own = clipNorm * noisePerClip({ slots: n, dimension: d, noiseAt }, plan);
      return first(
        above('b of Lemma 8', printed, ((2 * M * D) / L + 1) * (L / M), 1e-3),
        above('b of the plan', own, ((2 * M * D) / L + 1) * (L / M)),
      );
    });
  }
}

/** Largest μ for which the classical conversion holds. */
const roots = [
  [0.5, 3.2986],
  [0.1, 2.5551],
  [1e-2, 2.1792],
  [1e-5, 1.7379],
] as const;

/** `ln P[χ²_d ≥ x]` for even `d`, by its finite sum. */
function logTail(d: number, x: number): number {
  let term = 0;
  let sum = 1;
  for (let k = 1; k < d / 2; k++) {
    term += Math.log(x / 2 / k);
    sum += Math.exp(term);
  }
  return -x / 2 + Math.log(sum);
}
