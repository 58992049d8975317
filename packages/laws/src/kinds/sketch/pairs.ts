import type { RandomSource } from '@lethe/core';
import { boundedMean, nonNegativeMean, pool } from '../../evidence/index.js';
import { fails, holds, type Finding, type Violation } from '../../law/finding.js';
import { defineLaw, type LawEnv } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { notRefused } from '../sampler/declined.js';
import { frequencies } from '../sampler/frequencies.js';
import { allDraws, dimensionsTaken, drawFrom, pairProbabilities, smallDimensions } from './sets.js';

type Sketch = Subject<'sketch'>;
type Pair = readonly [i: number, j: number];

/** All pairs in small dimensions; else neighbours, ends and some others. */
function pairsOf(dimension: number, random: RandomSource): readonly Pair[] {
  const all = Array.from({ length: dimension }, (_, j) => j);
  if (dimension <= 24) return all.flatMap((i) => all.map((j): Pair => [i, j]));
  const any = (): Pair => [random.integer(dimension), random.integer(dimension)];
  return [
    [0, dimension - 1],
    [dimension - 1, 0],
    ...all.map((j): Pair => [j, j]),
    ...all.slice(1).map((j): Pair => [j - 1, j]),
    ...Array.from({ length: 400 }, any),
  ];
}

function wrongPairs({ plugin, params }: Sketch, dimension: number, env: LawEnv): Violation | undefined {
  const pair = (i: number, j: number): number => plugin.pairProbability(params, dimension, i, j);
  const marginals = plugin.marginals(params, dimension);
  const list = plugin.enumerate(params, dimension);
  const said = list === null ? null : pairProbabilities(list, dimension);
  const slack = 2 ** -48 * (1 + (list?.length ?? 0));
  const what = (i: number, j: number): string =>
    `coordinates ${i} and ${j} of ${dimension} have the declared pair probability ${pair(i, j)}`;
  for (const [i, j] of pairsOf(dimension, env.random(`pairs ${dimension}`))) {
    const declared = pair(i, j);
    const input = { dimension, i, j };
    const [p, q] = [marginals[i], marginals[j]];
    if (i === j && !(Math.abs(declared - p) <= slack * p))
      return {
        what: `${what(i, j)}; the marginal of the coordinate is ${p}`,
        measured: declared,
        allowed: p,
        input,
      };
    if (declared !== pair(j, i))
      return {
        what: `${what(i, j)}, and in the other order with ${pair(j, i)}`,
        measured: declared,
        allowed: pair(j, i),
        input,
      };
    const most = Math.min(p, q);
    const least = Math.max(0, p + q - 1);
    if (!(declared <= most + slack && declared >= least - slack))
      return {
        what: `${what(i, j)}; with marginals ${p} and ${q} it is between ${least} and ${most}`,
        measured: declared,
        allowed: declared > most ? most : least,
        input,
      };
    if (said !== null && !(Math.abs(declared - said[i * dimension + j]) <= slack))
      return {
        what: `${what(i, j)}; the listed sets that hold both have probability ${said[i * dimension + j]}`,
        measured: declared,
        allowed: said[i * dimension + j],
        input,
      };
  }
  const draws = smallDimensions.includes(dimension)
    ? allDraws({ kind: 'sketch', plugin, params } as Sketch, dimension)
    : null;
  if (draws !== null) {
    const seen = pairProbabilities(
      draws.map(({ value, probability }) => ({ drawn: value, probability })),
      dimension,
    );
    const off = seen.findIndex(
      (chance, at) => !(Math.abs(chance - pair(Math.floor(at / dimension), at % dimension)) <= 1e-12),
    );
    if (off >= 0)
      return {
        what: `${what(Math.floor(off / dimension), off % dimension)}; by enumeration it is ${seen[off]}`,
        measured: pair(Math.floor(off / dimension), off % dimension),
        allowed: seen[off],
        input: { dimension },
      };
  }
  return notRefused(
    [-1, dimension, 0.5, Number.NaN]
      .flatMap((bad) => [
        [bad, 0],
        [0, bad],
      ])
      .map(([i, j]) => ({
        call: `the probability that coordinates ${i} and ${j} of ${dimension} are drawn together`,
        run: () => pair(i, j),
      })),
  );
}

/** Declared pair probabilities are consistent. */
export const pairProbability = defineLaw<'sketch'>({
  id: 'sketch/pair-probability',
  kind: 'sketch',
  tier: 'exact',
  statement:
    'pair probabilities are symmetric, equal the marginal on the diagonal, ' +
    'are possible given the marginals, and equal those of the enumerated sets and outcomes; ' +
    'coordinates outside the dimension are refused',
  power:
    'an error above 1e-12 in any pair, dimensions 1 to 6 where outcomes or sets can be enumerated, ' +
    'and to 24 for sets; in some pairs up to 1000',
  check(subject, env) {
    let samples = 0;
    for (const dimension of dimensionsTaken(subject)) {
      samples++;
      const violation = wrongPairs(subject, dimension, env);
      if (violation !== undefined) return fails(samples, violation);
    }
    return holds(samples);
  },
});

function watchPairs(subject: Sketch, dimension: number, env: LawEnv): Finding {
  const { plugin, params } = subject;
  const randomness = env.random(`pairs looked at ${dimension}`);
  const random = env.random(`draws ${dimension}`);
  const pair = (i: number, j: number): number => plugin.pairProbability(params, dimension, i, j);
  const halves = (chance: number): readonly [number, number] => [Math.max(0, 1 - chance), chance];
  const mean = (pairs: readonly Pair[]): number =>
    pairs.reduce((sum, [i, j]) => sum + pair(i, j), 0) / pairs.length;
  const others = Array.from({ length: dimension }, (_, i) => i).flatMap((i) =>
    Array.from({ length: i }, (_entry, j): Pair => [i, j]),
  );
  const neighbours = others.filter(([i, j]) => i === j + 1);
  // All pairs, all neighbours, and some single pairs.
  const looks = [others, neighbours].map((pairs) => ({ pairs, process: frequencies(halves(mean(pairs))) }));
  const some = Array.from({ length: 12 }, () => others[randomness.integer(others.length)]).map((one) => ({
    pairs: [one],
    process: frequencies(halves(pair(...one))),
  }));
  const all = pool([...looks, ...some].map(({ process }) => process));
  const most = env.samples(4000);
  for (let i = 0; i < most; i++) {
    const held = new Uint8Array(dimension);
    for (const j of drawFrom(subject, dimension, random.fork(i)).coordinates) held[j] = 1;
    for (const { pairs, process } of [...looks, ...some]) {
      const [a, b] = pairs[pairs.length === 1 ? 0 : randomness.integer(pairs.length)];
      process.push(held[a] & held[b]);
    }
    if (all.rejects(env.alpha))
      return fails(i + 1, {
        what:
          `in dimension ${dimension}, pairs of coordinates are not ` +
          'drawn as often as their probabilities say',
        logE: all.peak,
        input: { dimension },
      });
  }
  return holds(most);
}

/** In large dimensions: number of pairs at a given distance that are drawn together. */
function watchDistances(subject: Sketch, dimension: number, env: LawEnv): Finding {
  const { plugin, params } = subject;
  const random = env.random(`distances ${dimension}`);
  const looks = Array.from({ length: Math.floor(Math.log2(dimension - 1)) + 1 }, (_, k) => 2 ** k).map(
    (distance) => {
      const pairs = dimension - distance;
      let mean = 0;
      for (let j = 0; j < pairs; j++) mean += plugin.pairProbability(params, dimension, j, j + distance);
      const slack = 2 ** -30 * mean + 1e-12;
      return {
        distance,
        more: nonNegativeMean({ atMost: mean + slack }),
        fewer: boundedMean({ atMost: slack - mean, lowest: -pairs - 1, highest: 0 }),
      };
    },
  );
  const all = pool(looks.flatMap(({ more, fewer }) => [more, fewer]));
  const most = env.samples(dimension > 100 ? 200 : 800);
  for (let i = 0; i < most; i++) {
    const held = new Uint8Array(dimension);
    const { coordinates } = drawFrom(subject, dimension, random.fork(i));
    for (const j of coordinates) held[j] = 1;
    for (const { distance, more, fewer } of looks) {
      let together = 0;
      for (const j of coordinates) together += held[j + distance] ?? 0;
      more.push(together);
      fewer.push(-together);
    }
    if (!all.rejects(env.alpha)) continue;
    const worst = looks.reduce((top, one) =>
      Math.max(one.more.logE, one.fewer.logE) > Math.max(top.more.logE, top.fewer.logE) ? one : top,
    );
    return fails(i + 1, {
      what:
        `in dimension ${dimension}, coordinates ${worst.distance} apart are not drawn together as often ` +
        'as their probabilities say',
      logE: all.peak,
      input: { dimension, distance: worst.distance },
    });
  }
  return holds(most);
}

/** Observed frequencies of pairs. */
export const pairFrequencies = defineLaw<'sketch'>({
  id: 'sketch/pair-frequencies',
  kind: 'sketch',
  property: 'pair-probability',
  tier: 'statistical',
  statement: 'pairs of coordinates are drawn together as often as their probabilities say',
  power:
    'the square of the marginal declared as the probability of a pair, for 2 of 6 coordinates within ' +
    '2000 draws; half of 0.05 within 4000; neighbours drawn together, or random numbers reused 2, 4, ' +
    '8, … coordinates later, in 40 and 1000 dimensions within 800',
  exempt: (subject) => {
    try {
      return dimensionsTaken(subject).every((dimension) => dimension < 2)
        ? 'it supports no dimension above 1'
        : undefined;
    } catch {
      // A plugin that throws here is tested again in the check.
      return undefined;
    }
  },
  check(subject, env) {
    const taken = dimensionsTaken(subject).filter((dimension) => dimension >= 2 && dimension <= 100);
    const tried = [
      ...new Set([
        taken.find((dimension) => dimension >= 4) ?? taken.at(-1),
        taken.findLast((dimension) => dimension <= 24) ?? taken[0],
      ]),
    ].filter((dimension) => dimension !== undefined);
    const large = dimensionsTaken(subject, [40, 1000]);
    let samples = 0;
    for (const dimension of [...tried, ...large]) {
      // The dimensions share alpha.
      const share = { ...env, alpha: env.alpha / (tried.length + large.length) };
      const finding = tried.includes(dimension)
        ? watchPairs(subject, dimension, share)
        : watchDistances(subject, dimension, share);
      samples += finding.samples;
      if (finding.verdict === 'fails') return fails(samples, finding.violation);
    }
    return holds(samples);
  },
});
