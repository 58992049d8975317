import { InvalidParameter, seededRandom } from '@lethe/core';
import { randomFromKey, defined } from '@lethe/numerics';
import fc from 'fast-check';
import { seeds } from '../../arbitraries/seeds.js';
import { probabilities } from '../../engines/exhaustive-random.js';
import {
  boundedMean,
  logThreshold,
  nonNegativeMean,
  noteTest,
  pool,
  type EProcess,
} from '../../evidence/index.js';
import { fails, holds, skipped, type Finding, type Violation } from '../../law/finding.js';
import { defineLaw, type LawEnv } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { notRefused } from '../sampler/declined.js';
import { frequencies } from '../sampler/frequencies.js';
import {
  allDimensions,
  allDraws,
  dimensionsTaken,
  drawFrom,
  manyCoordinates,
  nameOf,
  notASet,
  pairProbabilities,
  smallDimensions,
} from './sets.js';

type Sketch = Subject<'sketch'>;

/** Invalid dimensions. */
const badDimensions = [0, -1, 2.5, Number.NaN, Infinity];

/** Draws are valid sets of coordinates. */
export const coordinates = defineLaw<'sketch'>({
  id: 'sketch/coordinates',
  kind: 'sketch',
  tier: 'search',
  statement:
    'a draw has ascending, distinct coordinates below the dimension, and is one of the enumerated sets ' +
    'if there are any; a dimension that is not a positive integer is refused',
  power:
    'a violation with probability 0.05, dimensions 1 to 1000; one of 5 invalid dimensions accepted, ' +
    'or refused with another error',
  check: (subject, env) =>
    noDimension(subject) ??
    env.forAll(
      fc.record({ dimension: fc.constantFrom(...allDimensions), seed: seeds }),
      ({ dimension, seed }): Violation | undefined => {
        if (dimensionsTaken(subject, [dimension]).length === 0) return undefined;
        const drawn = drawFrom(subject, dimension, seededRandom(seed));
        const broken = notASet(drawn, dimension);
        if (broken !== undefined) return broken;
        const list = subject.plugin.enumerate(subject.params, dimension);
        return list === null || list.some((one) => nameOf(one.drawn) === nameOf(drawn))
          ? undefined
          : { what: `it draws ${nameOf(drawn)}, which is not one of the ${list.length} listed sets` };
      },
      { runs: 250 },
    ),
});

function notListed(dimension: number): never {
  throw new InvalidParameter(`dimension ${dimension} has no list`, { dimension });
}

function noDimension({ plugin, params }: Sketch): Finding | undefined {
  const violation = notRefused(
    badDimensions.flatMap((dimension) => [
      {
        call: `a draw in dimension ${dimension}`,
        run: () => plugin.draw(params, dimension, seededRandom('refused')).coordinates,
        input: { dimension: String(dimension) },
      },
      {
        call: `the marginals in dimension ${dimension}`,
        run: () => plugin.marginals(params, dimension),
        input: { dimension: String(dimension) },
      },
      {
        call: `the list of sets in dimension ${dimension}`,
        // A sketch that never lists its sets has nothing to refuse.
        run: () => plugin.enumerate(params, dimension) ?? notListed(dimension),
        input: { dimension: String(dimension) },
      },
    ]),
  );
  return violation && fails(1, violation);
}

/** Draws are functions of public randomness. */
export const randomness = defineLaw<'sketch'>({
  id: 'sketch/coins',
  kind: 'sketch',
  tier: 'search',
  statement:
    'draws, marginals and lists depend on parameters, dimension and randomness alone: ' +
    'not on earlier calls, the kind of the source, or changes of arrays returned before',
  power: 'any such dependence within 60 sequences of up to eight draws',
  check: (subject, env) =>
    env.forAll(
      fc.array(
        fc.record({
          dimension: fc.constantFrom(...allDimensions.slice(0, 9)),
          seed: fc.constantFrom(1, 2, 3),
        }),
        { minLength: 2, maxLength: 8, size: 'max' },
      ),
      (calls): Violation | undefined => {
        const { plugin, params } = subject;
        const first = new Map<string, string>();
        for (const { dimension, seed } of calls) {
          if (dimensionsTaken(subject, [dimension]).length === 0) continue;
          const key = seededRandom(seed).key();
          const { coordinates: lent, block } = plugin.draw(params, dimension, randomFromKey(key, 'seeded'));
          const weights = plugin.marginals(params, dimension);
          const list = plugin.enumerate(params, dimension);
          const text = JSON.stringify([
            Array.from(lent),
            block ?? null,
            Array.from(weights),
            list?.slice(0, 50).map(({ drawn, probability }) => [nameOf(drawn), probability]) ?? null,
          ]);
          const label = `dimension ${dimension}, randomness ${seed}`;
          const before = first.get(label);
          if (before !== undefined && before !== text)
            return {
              what: `the same calls (${label}) give something else the second time`,
              witness: `${before.slice(0, 200)} then ${text.slice(0, 200)}`,
            };
          first.set(label, text);
          const again = nameOf(drawFrom(subject, dimension, randomFromKey(key, 'seeded')));
          const name = nameOf({ coordinates: lent, ...(block === undefined ? {} : { block }) });
          if (again !== name)
            return {
              what: `the same calls (${label}) give something else the second time`,
              witness: `${name} then ${again}`,
            };
          if (nameOf(drawFrom(subject, dimension, randomFromKey(key, 'secure'))) !== name)
            return {
              what: `a seeded and a secure source with equal randomness give different draws (${label})`,
            };
          const other = plugin.draw(params, dimension, seededRandom(`other coins than ${seed}`));
          const now = nameOf({ coordinates: lent, ...(block === undefined ? {} : { block }) });
          if (now !== name || other.coordinates === lent)
            return {
              what: `a drawn set changes with the next draw (${label}): both are one array`,
              witness: `${name} then ${now}`,
            };
          lent.fill(0);
          weights.fill(0.5);
        }
        return undefined;
      },
      { runs: 60 },
    ),
});

function exactly(
  subject: Sketch,
  check: (
    dimension: number,
    draws: readonly { readonly drawn: ReturnType<typeof drawFrom>; readonly probability: number }[],
  ) => Violation | undefined,
): Finding {
  let samples = 0;
  for (const dimension of dimensionsTaken(subject, smallDimensions)) {
    const outcomes = allDraws(subject, dimension);
    if (outcomes === null) continue;
    samples += outcomes.length;
    const violation = check(
      dimension,
      outcomes.map(({ value, probability }) => ({ drawn: value, probability })),
    );
    if (violation !== undefined) return fails(samples, { input: { dimension }, ...violation });
  }
  return samples === 0
    ? skipped('its outcomes cannot be enumerated; see sketch/frequencies')
    : holds(samples);
}

/** The scaled draw is unbiased. */
export const unbiased = defineLaw<'sketch'>({
  id: 'sketch/unbiased',
  kind: 'sketch',
  tier: 'exact',
  statement: 'the expectation of the drawn coordinates of x, divided by their marginals, is x',
  power: 'a relative bias above 1e-12 in any coordinate, dimensions 1 to 6, where outcomes can be enumerated',
  check: (subject) =>
    exactly(subject, (dimension, draws) => {
      const declared = subject.plugin.marginals(subject.params, dimension);
      const mean = new Float64Array(dimension);
      for (const { drawn, probability } of draws)
        for (const j of drawn.coordinates) mean[j] = mean[j] + probability / declared[j];
      const off = mean.findIndex((factor) => !(Math.abs(factor - 1) <= 1e-12));
      return off < 0
        ? undefined
        : {
            what:
              `coordinate ${off} of ${dimension} is ${mean[off]} times what it should be on average: ` +
              `it is drawn with probability ${mean[off] * declared[off]} and divided by ${declared[off]}`,
            measured: mean[off],
            allowed: 1,
          };
    }),
});

/** Every set has its declared probability. */
export const secondMoment = defineLaw<'sketch'>({
  id: 'sketch/second-moment',
  kind: 'sketch',
  tier: 'exact',
  statement:
    'each enumerated set is drawn with its declared probability, ' +
    'and pairs of coordinates with the resulting probability',
  power: 'an error of 1e-12 in a probability, dimensions 1 to 6, where outcomes and sets can be enumerated',
  check: (subject) =>
    exactly(subject, (dimension, draws) => {
      const list = subject.plugin.enumerate(subject.params, dimension);
      if (list === null) return undefined;
      const found = probabilities(
        draws.map(({ drawn, probability }) => ({ value: drawn, probability, outOf: null })),
        nameOf,
      );
      const declared = new Map(list.map(({ drawn, probability }) => [nameOf(drawn), probability]));
      const [seen, said] = [pairProbabilities(draws, dimension), pairProbabilities(list, dimension)];
      const pair = seen.findIndex((p, at) => !(Math.abs(p - said[at]) <= 1e-12));
      if (pair >= 0)
        return {
          what:
            `coordinates ${Math.floor(pair / dimension)} and ${pair % dimension} of ${dimension} are ` +
            `drawn together with probability ${seen[pair]}; the listed sets say ${said[pair]}`,
          measured: seen[pair],
          allowed: said[pair],
        };
      const set = [...found.keys(), ...declared.keys()].find(
        (name) => !(Math.abs((found.get(name) ?? 0) - (declared.get(name) ?? 0)) <= 1e-12),
      );
      return set === undefined
        ? undefined
        : {
            what:
              `the set ${set} is drawn with probability ${found.get(set) ?? 0}; ` +
              `it is listed with ${declared.get(set) ?? 0}`,
            measured: found.get(set) ?? 0,
            allowed: declared.get(set) ?? 0,
          };
    }),
});

/** E-processes for draws in one dimension against all declared probabilities. */
function watch(subject: Sketch, dimension: number, env: LawEnv): Finding {
  const { plugin, params } = subject;
  const declared = plugin.marginals(params, dimension).map((p) => Math.min(1, p));
  const list = plugin.enumerate(params, dimension);
  const randomnessOfLaw = env.random(`coordinates looked at ${dimension}`);
  const random = env.random(`draws ${dimension}`);
  const groups = Math.min(8, dimension);
  const byRank = Array.from({ length: dimension }, (_, j) => j).toSorted(
    (i, j) => declared[i] - declared[j] || i - j,
  );
  const inOrder = Array.from({ length: dimension }, (_, j) => j);
  const looks = [inOrder, byRank].map((order) => {
    const edges = Array.from({ length: groups + 1 }, (_, g) => Math.floor((g * dimension) / groups));
    const chances = Float64Array.from({ length: 2 * groups }, (_, k) => {
      const members = order.slice(edges[k >> 1], edges[(k >> 1) + 1]);
      const mean =
        members.reduce((sum, j) => sum + (k % 2 === 1 ? declared[j] : 1 - declared[j]), 0) / members.length;
      return mean / groups;
    });
    return { order, edges, process: frequencies(chances) };
  });
  const few = list !== null && list.length <= 64 ? list : null;
  const names = new Map(few?.map(({ drawn }, k) => [nameOf(drawn), k]));
  const sets: EProcess | null = few === null ? null : frequencies(few.map(({ probability }) => probability));
  // Single coordinates in small dimensions, the ends in large
  // ones, and the number of drawn coordinates in ranges.
  const single = (dimension > 64 ? [0, 1, dimension - 2, dimension - 1] : inOrder).map((j) => ({
    j,
    process: frequencies([1 - declared[j], declared[j]]),
  }));
  const one = pool(single.map(({ process }) => process));
  const rangeOf = Uint8Array.from(declared, (_p, j) => Math.floor((j * groups) / dimension));
  const expected = new Float64Array(groups);
  const found = new Float64Array(groups);
  declared.forEach((p, j) => {
    expected[rangeOf[j]] = expected[rangeOf[j]] + p * (1 + 2 ** -40);
  });
  const counts = Array.from(expected, (atMost) => nonNegativeMean({ atMost }));
  const square = (of: (p: number) => number): number =>
    declared.reduce((sum, p) => sum + of(p), 0) / dimension;
  const successive = frequencies([
    square((p) => (1 - p) ** 2),
    square((p) => 2 * p * (1 - p)),
    square((p) => p * p),
  ]);
  const all = pool([
    successive,
    ...looks.map(({ process }) => process),
    pool(counts),
    one,
    ...(sets === null ? [] : [sets]),
  ]);
  // Draws of many coordinates are slow, but have more power each.
  const most = env.samples(dimension > 100 ? 1000 : 5000);
  // Two draws from each source: the second must be independent of the first.
  let source = random;
  let before = new Uint8Array(dimension);
  for (let i = 0; i < most; i++) {
    if (i % 2 === 0) source = random.fork(i);
    const drawn = drawFrom(subject, dimension, source);
    const held = new Uint8Array(dimension);
    if (notASet(drawn, dimension) !== undefined) return fails(i + 1, defined(notASet(drawn, dimension)));
    for (const j of drawn.coordinates) held[j] = 1;
    for (const { order, edges, process } of looks) {
      const group = randomnessOfLaw.integer(groups);
      const j = order[edges[group] + randomnessOfLaw.integer(edges[group + 1] - edges[group])];
      process.push(2 * group + held[j]);
    }
    for (const { j, process } of single) process.push(held[j]);
    found.fill(0);
    for (const j of drawn.coordinates) found[rangeOf[j]] = found[rangeOf[j]] + 1;
    counts.forEach((process, g) => {
      process.push(found[g]);
    });
    if (i % 2 === 1) {
      const j = randomnessOfLaw.integer(dimension);
      successive.push(before[j] + held[j]);
    }
    before = held;
    if (sets !== null) {
      const at = names.get(nameOf(drawn));
      if (at === undefined)
        return fails(i + 1, {
          what: `it draws ${nameOf(drawn)}, which is not one of the listed sets`,
          input: { dimension },
        });
      sets.push(at);
    }
    if (all.rejects(env.alpha))
      return fails(i + 1, {
        what:
          `in dimension ${dimension}, coordinates are not drawn as often as the ` +
          `marginals${sets === null ? '' : ' and the enumerated sets'} say`,
        witness:
          sets !== null && sets.logE >= Math.max(...looks.map(({ process }) => process.logE))
            ? 'which set is drawn'
            : 'whether a random coordinate is drawn',
        logE: all.peak,
        input: { dimension },
      });
  }
  return holds(most);
}

/** Draws with more coordinates than 16 bits can index: numbers of drawn coordinates in eight ranges. */
function watchMany(subject: Sketch, env: LawEnv): Finding {
  const declared = subject.plugin.marginals(subject.params, manyCoordinates);
  const stretch = manyCoordinates / 8;
  const random = env.random('many');
  const means = Array.from({ length: 8 }, (_, g) =>
    declared.subarray(g * stretch, (g + 1) * stretch).reduce((sum, p) => sum + p, 0),
  );
  const more = means.map((mean) => nonNegativeMean({ atMost: mean * (1 + 2 ** -30) }));
  const fewer = means.map((mean) =>
    boundedMean({ atMost: -mean * (1 - 2 ** -30), lowest: -stretch - 1, highest: 0 }),
  );
  const all = pool([...more, ...fewer]);
  const most = env.samples(160);
  const found = new Float64Array(8);
  for (let i = 0; i < most; i++) {
    const drawn = drawFrom(subject, manyCoordinates, random.fork(i));
    const broken = notASet(drawn, manyCoordinates);
    if (broken !== undefined) return fails(i + 1, broken);
    found.fill(0);
    for (const j of drawn.coordinates) found[Math.floor(j / stretch)]++;
    found.forEach((count, g) => {
      more[g].push(count);
      fewer[g].push(-count);
    });
    if (all.rejects(env.alpha))
      return fails(i + 1, {
        what:
          `in dimension ${manyCoordinates}, some ranges of coordinates ` +
          'are not drawn as often as the marginals say',
        logE: all.peak,
        input: { dimension: manyCoordinates },
      });
  }
  return holds(most);
}

/** Dimensions in which every coordinate is waited for, and how many coordinates may be drawn meanwhile. */
const waitedFor = [129, 1003];
const mostCoordinates = 200_000;

/** Draws until every coordinate was in one of them, at most so many as make that nearly certain. */
function watchEvery(subject: Sketch, dimension: number, env: LawEnv): Finding {
  const declared = subject.plugin.marginals(subject.params, dimension);
  const rarest = declared.reduce((least, p) => (p > 0 ? Math.min(least, p) : least), 1);
  const expected = declared.reduce((sum, p) => sum + p, 0);
  const needed = Math.ceil((logThreshold(env.alpha) + Math.log(dimension)) / -Math.log1p(-rarest)) + 1;
  if (!(needed * expected <= mostCoordinates)) return holds(0);
  noteTest(env.alpha, Infinity);
  const random = env.random(`every ${dimension}`);
  const left = new Set([...declared.keys()].filter((j) => declared[j] > 0));
  let samples = 0;
  while (samples < needed && left.size > 0)
    for (const j of drawFrom(subject, dimension, random.fork(samples++)).coordinates) left.delete(j);
  return left.size === 0
    ? holds(samples)
    : fails(samples, {
        what:
          `of ${dimension} coordinates ${[...left].slice(0, 5).join(', ')} ` +
          `are in none of ${needed} draws`,
        measured: left.size,
        allowed: 0,
        input: { dimension },
      });
}

/** The distribution of draws, as far as samples show. */
export const drawFrequencies = defineLaw<'sketch'>({
  id: 'sketch/frequencies',
  kind: 'sketch',
  property: 'marginals',
  tier: 'statistical',
  statement: 'coordinates and enumerated sets have their declared probabilities, independently in every draw',
  power:
    'a coordinate that is never drawn, at a marginal of 1/24 in 24 dimensions or wherever it is in 129, ' +
    'the first or last at 1/10 in 1000, half of 1000 coordinates within 5000 draws or of 131 072 within ' +
    '160; an error of 10 % in a marginal of ½ within 4000',
  check(subject, env) {
    const taken = dimensionsTaken(subject);
    const small = taken.filter((dimension) => dimension >= 4 && dimension <= 24);
    const tried = [
      ...new Set([
        ...small.slice(0, 1),
        ...small.slice(-1),
        ...taken.slice(-2),
        ...dimensionsTaken(subject, [manyCoordinates]),
      ]),
    ];
    const waited = dimensionsTaken(subject, waitedFor);
    // The dimensions share alpha.
    const share = { ...env, alpha: env.alpha / (tried.length + waited.length) };
    let samples = 0;
    for (const [i, dimension] of [...tried, ...waited].entries()) {
      const drawn = (): Finding =>
        dimension === manyCoordinates ? watchMany(subject, share) : watch(subject, dimension, share);
      const finding = i < tried.length ? drawn() : watchEvery(subject, dimension, share);
      samples += finding.samples;
      if (finding.verdict === 'fails') return fails(samples, finding.violation);
    }
    return holds(samples);
  },
});
