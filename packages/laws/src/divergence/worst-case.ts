import { type Adjacency, type CoreEvent, type PrivacyEvent, type Sensitivity } from '@lethe/core';
import { defined, divideDown, divideUp, multiplyUp, sqrtDown, sqrtUp } from '@lethe/numerics';
import {
  amplifiedAttains,
  groupAttains,
  groupDominates,
  mixed,
  mixedPair,
  selectionAttains,
  shuffledAttains,
} from './attained.js';
import { continuousPair, exponentialPair, gaussianPair } from './continuous-pair.js';
import { finitePair, integerPair, responsePair } from './finite-pair.js';
import { gaussianNoise, laplaceNoise, type Noise } from './noise.js';
import type { Bounding, Scenario, Way } from './scenario.js';
import type { WorstPair } from './worst-pair.js';

interface Asked {
  readonly adjacency: Adjacency;
  readonly bounding: Bounding;
  readonly way: Way;
}

const mostScenarios = 64;
const nothing: Scenario = { parts: [], failure: 0 };

/**
 * Worst cases of an event of core, from its meaning; `undefined` without a closed form
 * or with too many cases.
 */
export function worstCases(event: PrivacyEvent, asked: Asked): readonly Scenario[] | undefined {
  if (event.v !== 1) return undefined;
  const core = event as CoreEvent;
  const { adjacency, bounding } = asked;
  switch (core.kind) {
    case 'core/free':
      return [nothing];
    case 'core/unprotected':
      return [{ parts: [], failure: 1 }];
    case 'core/gaussian':
      return shifted(core.sensitivity, core.sigma, asked, (mu) => gaussianPair(mu));
    case 'core/laplace':
      return shifted(core.sensitivity, core.scale, asked, (shift) =>
        continuousPair({ noise: laplaceNoise, rate: 1, up: shift, down: 0 }),
      );
    case 'core/exponential':
      return shifted(core.sensitivity, 1 / core.epsilon, asked, exponentialPair);
    case 'core/discrete-gaussian':
      return discrete(
        core.sensitivity[adjacency],
        (k) => -(k * k) / (2 * core.sigma * core.sigma),
        `discrete gaussian ${core.sigma}`,
        Math.SQRT2,
        bounding,
      );
    case 'core/discrete-laplace': {
      const shift = core.sensitivity[adjacency];
      const found = discrete(shift, (k) => -k / core.scale, `discrete laplace ${core.scale}`, 2, bounding);
      return (
        found ??
        (shift === undefined || bounding === 'attain'
          ? undefined
          : one(responsePair(Math.floor(shift) / core.scale)))
      );
    }
    case 'core/prefix-sum': {
      if (bounding === 'attain' && core.attained !== true) return undefined;
      const outwards = bounding === 'attain' ? 1 + 2 ** -51 : 1 - 2 ** -51;
      return shifted(core.sensitivity, (core.sigma / core.columnNorm) * outwards, asked, (mu) =>
        gaussianPair(mu),
      );
    }
    case 'core/randomized-response':
      return adjacency === 'add-remove' ? undefined : randomised(core);
    case 'core/pure':
      return one(responsePair(core.epsilon));
    case 'core/verified':
      return bounding === 'attain'
        ? undefined
        : [{ parts: [{ pair: responsePair(core.epsilon), count: 1 }], failure: core.delta }];
    case 'core/approximate':
      return [{ parts: [{ pair: responsePair(core.epsilon), count: 1 }], failure: core.delta }];
    case 'core/failing':
      return worstCases(core.event, asked)?.map((inner) =>
        together(inner, { parts: [], failure: core.delta }),
      );
    case 'core/parallel':
      return unionOf(core.parts.map((part) => worstCases(part, asked)));
    case 'core/compose':
      return composed(core, asked);
    case 'core/sampled':
      return sampled(core, asked);
    case 'core/gaussian-mixture':
      return bounding === 'dominate' || adjacency === 'replace-one' ? undefined : mixed(core, asked.way);
    case 'core/gaussian-mixture-pair':
      return mixedPair(core, asked);
    case 'core/group':
      return bounding === 'attain' ? groupAttains(core, asked) : groupOfNoise(core, asked);
    case 'core/selection':
      if (bounding === 'attain') return selectionAttains(core, asked);
      if (core.cap === 1 || core.stopProbability === 1) return worstCases(core.base, asked);
      return undefined;
    case 'core/negative-binomial-selection':
    case 'core/poisson-selection':
      return bounding === 'attain' ? selectionAttains(core, asked) : undefined;
    case 'core/shuffled-local':
      return bounding === 'attain' && adjacency === 'replace-one' ? shuffledAttains(core) : undefined;
    default:
      return undefined;
  }
}

/** Noise with the maximal shift of all records of a group. */
function groupOfNoise(group: CoreEvent<'core/group'>, asked: Asked): readonly Scenario[] | undefined {
  const { size, event } = group;
  const core = event as CoreEvent;
  if (size === 1) return worstCases(event, asked);
  if (core.kind === 'core/sampled') return groupDominates(group, asked);
  if (core.kind !== 'core/gaussian' && core.kind !== 'core/laplace') return undefined;
  return worstCases(
    {
      ...core,
      sensitivity: Object.fromEntries(
        Object.entries(core.sensitivity).map(([adjacency, distance]) => [
          adjacency,
          multiplyUp(defined(distance), size),
        ]),
      ),
    } as CoreEvent,
    asked,
  );
}

const one = (pair: WorstPair): readonly Scenario[] => [{ parts: [{ pair, count: 1 }], failure: 0 }];

/** A shift by the sensitivity in units of the scale, rounded down to be attained or up to dominate. */
function shifted(
  sensitivity: Sensitivity,
  scale: number,
  { adjacency, bounding }: Asked,
  pair: (shift: number) => WorstPair,
): readonly Scenario[] | undefined {
  const distance = sensitivity[adjacency];
  if (distance === undefined) return undefined;
  const shift = (bounding === 'attain' ? divideDown : divideUp)(distance, scale);
  return Number.isFinite(shift) ? one(pair(shift)) : undefined;
}

/**
 * Integer noise. From `single` on, the shift may be spread
 * over coordinates, and a single one need not be the worst.
 */
function discrete(
  sensitivity: number | undefined,
  logWeight: (k: number) => number,
  key: string,
  single: number,
  bounding: Bounding,
): readonly Scenario[] | undefined {
  if (sensitivity === undefined || !(logWeight(20_000) < -60)) return undefined;
  const shift = Math.floor(sensitivity);
  if (shift === 0) return [nothing];
  return bounding === 'dominate' && sensitivity >= single
    ? undefined
    : one(integerPair(`${key} ${shift}`, logWeight, shift));
}

function randomised({ p, categories }: CoreEvent<'core/randomized-response'>): readonly Scenario[] {
  if (p === 0) return [{ parts: [], failure: 1 }];
  if (p === 1) return [nothing];
  const light = p / categories;
  const heavy = 1 - p + light;
  const epsilon = Math.log1p(((1 - p) * categories) / p);
  // Many binary responses are summed exactly.
  if (categories === 2) return one(responsePair(epsilon));
  const outcomes = [
    { p: heavy, loss: epsilon },
    { p: light, loss: -epsilon },
    { p: light * (categories - 2), loss: 0 },
  ].filter((outcome) => outcome.p > 0);
  return one(finitePair(`randomised response ${p} ${categories}`, outcomes));
}

/**
 * Parallel blocks, of which one contains the record. Another
 * block may attain more than a block without a known bound.
 */
function unionOf(parts: readonly (readonly Scenario[] | undefined)[]): readonly Scenario[] | undefined {
  return parts.some((part) => part === undefined) ? undefined : parts.flatMap((part) => defined(part));
}

function composed({ parts }: CoreEvent<'core/compose'>, asked: Asked): readonly Scenario[] | undefined {
  let total: readonly Scenario[] = [nothing];
  for (const { event, count } of parts) {
    const found = worstCases(event, asked);
    if (found === undefined || total.length * found.length > mostScenarios) return undefined;
    // A record may be in different cases in different runs; such mixtures are not supported.
    if (found.length > 1 && count > 1 && asked.bounding === 'dominate') return undefined;
    const repeated = found.map((scenario) => times(scenario, count));
    total = total.flatMap((before) => repeated.map((scenario) => together(before, scenario)));
  }
  return total.length === 0 ? [nothing] : total;
}

const times = ({ parts, failure }: Scenario, count: number): Scenario => ({
  parts: parts.map((part) => ({ pair: part.pair, count: part.count * count })),
  failure: failure === 1 ? 1 : -Math.expm1(count * Math.log1p(-failure)),
});

function together(a: Scenario, b: Scenario): Scenario {
  const parts = new Map(a.parts.map((part) => [part.pair.key, part]));
  for (const part of b.parts)
    parts.set(part.pair.key, { pair: part.pair, count: part.count + (parts.get(part.pair.key)?.count ?? 0) });
  return { parts: [...parts.values()], failure: a.failure + b.failure - a.failure * b.failure };
}

const presences: { readonly [A in Adjacency]: readonly Adjacency[] } = {
  'add-remove': ['add-remove'],
  'zero-out': ['zero-out', 'add-remove'],
  'replace-one': ['zero-out', 'add-remove'],
};

function sampled(
  { sampler, event }: CoreEvent<'core/sampled'>,
  asked: Asked,
): readonly Scenario[] | undefined {
  const { adjacency, bounding, way } = asked;
  if (sampler.kind === 'core/random-allocation' && sampler.steps === 1) return worstCases(event, asked);
  if (
    sampler.kind === 'core/fixed-size' &&
    !sampler.replacement &&
    sampler.size === sampler.n &&
    adjacency !== 'add-remove'
  )
    return worstCases(event, asked);
  if (sampler.kind !== 'core/poisson')
    return bounding === 'attain' ? amplifiedAttains(sampler, event, asked) : undefined;
  const { rate } = sampler;
  if (rate === 1) return worstCases(event, asked);
  for (const presence of presences[adjacency]) {
    const inner = location(event, presence, bounding);
    if (inner === undefined) continue;
    const { noise, shift } = inner;
    const pairOf = (up: number, down: number): WorstPair => continuousPair({ noise, rate, up, down });
    if (adjacency !== 'replace-one') return one(way === 'with' ? pairOf(shift, 0) : pairOf(0, shift));
    const apart =
      bounding === 'attain' ? (location(event, 'replace-one', 'attain')?.shift ?? Infinity) : Infinity;
    if (apart >= 2 * shift) return one(pairOf(shift, shift));
    // Presences with a distance beyond the sensitivity to replacement:
    // one at its end and the other as far as allowed, or both half-way.
    const up = Math.min(apart, shift);
    return [...one(pairOf(up, Math.max(0, apart - up))), ...one(pairOf(apart / 2, apart / 2))];
  }
  return undefined;
}

/** A pure location shift, in units of the noise: one Laplace release, or Gaussians combined. */
function location(
  event: PrivacyEvent,
  adjacency: Adjacency,
  bounding: Bounding,
): { readonly noise: Noise; readonly shift: number } | undefined {
  const divide = bounding === 'attain' ? divideDown : divideUp;
  const core = event as CoreEvent;
  if (core.kind === 'core/laplace' || core.kind === 'core/gaussian') {
    const distance = core.sensitivity[adjacency];
    if (distance === undefined) return undefined;
    return core.kind === 'core/gaussian'
      ? { noise: gaussianNoise, shift: divide(distance, core.sigma) }
      : { noise: laplaceNoise, shift: divide(distance, core.scale) };
  }
  if (core.kind !== 'core/compose' || core.parts.length === 0) return undefined;
  let square = 0;
  for (const { event: part, count } of core.parts) {
    const inner = location(part, adjacency, bounding);
    if (inner?.noise !== gaussianNoise) return undefined;
    square =
      bounding === 'attain'
        ? square + inner.shift * inner.shift * count * (1 - 2 ** -50)
        : multiplyUp(square + multiplyUp(multiplyUp(inner.shift, inner.shift), count), 1 + 2 ** -50);
  }
  return {
    noise: gaussianNoise,
    shift: (bounding === 'attain' ? sqrtDown : sqrtUp)(square * (bounding === 'attain' ? 1 - 2 ** -40 : 1)),
  };
}
