import { type Adjacency, type CoreEvent, type PrivacyEvent, type SamplerSpec } from '@lethe/core';
import { defined, divideDown } from '@lethe/numerics';
import { amplifiedPairs } from './amplified.js';
import { binomialDistribution } from './binomial-law.js';
import { continuousPair, gaussianPair } from './continuous-pair.js';
import { finitePair } from './finite-pair.js';
import { halfLines, mixturePair, type Places } from './mixture-pair.js';
import { gaussianNoise, laplaceNoise } from './noise.js';
import { noneOfRuns, selectedGaussian, selectedPromise, type Stopping } from './selected-pair.js';
import type { Bounding, Scenario, Way } from './scenario.js';
import type { Outcome, WorstPair } from './worst-pair.js';

/* What some neighbours come to, of events whose worst case is not known in closed form. */

interface Asked {
  readonly adjacency: Adjacency;
  readonly way: Way;
}
type Found = readonly Scenario[] | undefined;

const each = (pairs: readonly WorstPair[]): readonly Scenario[] =>
  pairs.map((pair) => ({ parts: [{ pair, count: 1 }], failure: 0 }));
const lost = (failure: number): Scenario => ({ parts: [], failure });

/** Noise of scale 1 on a sum. */
function scaled(event: PrivacyEvent): Parameters<typeof amplifiedPairs>[1] | undefined {
  const core = event as CoreEvent;
  if (core.kind !== 'core/gaussian' && core.kind !== 'core/laplace') return undefined;
  const scale = core.kind === 'core/gaussian' ? core.sigma : core.scale;
  const noise = core.kind === 'core/gaussian' ? gaussianNoise : laplaceNoise;
  const sensitivity = Object.fromEntries(
    Object.entries(core.sensitivity).map(([adjacency, distance]) => [
      adjacency,
      divideDown(defined(distance), scale),
    ]),
  );
  return Object.values(sensitivity).every((shift) => shift < 700) ? { noise, sensitivity } : undefined;
}

export function amplifiedAttains(
  sampler: Exclude<SamplerSpec, { kind: 'core/poisson' }>,
  event: PrivacyEvent,
  asked: Asked,
): Found {
  const release = scaled(event);
  const pairs = release && amplifiedPairs(sampler, release, asked);
  return pairs && each(pairs);
}

/** Noise of scale 1 with a random shift in the presence of the record. */
export function mixed({ sigma, shifts, probabilities }: CoreEvent<'core/gaussian-mixture'>, way: Way): Found {
  const present: Places = shifts.map((shift, i) => ({
    at: divideDown(shift, sigma),
    weight: probabilities[i],
  }));
  const absent: Places = [{ at: 0, weight: 1 }];
  if (present.some(({ at }) => !(at < 700))) return undefined;
  return each([
    way === 'with'
      ? mixturePair(gaussianNoise, present, absent)
      : mixturePair(gaussianNoise, absent, present),
  ]);
}

/** Gaussian noise of scale 1 around two random places, on neighbours in either order. */
export function mixedPair(
  { sigma, first, second }: CoreEvent<'core/gaussian-mixture-pair'>,
  { adjacency, way, bounding }: Asked & { readonly bounding: Bounding },
): Found {
  const [upper, lower] = [first, second].map(({ means, probabilities }): Places =>
    means.map((mean, i) => ({ at: mean / sigma, weight: probabilities[i] })),
  );
  if ([...upper, ...lower].some(({ at }) => !(Math.abs(at) < 350))) return undefined;
  return placed([upper, lower], {
    ways: adjacency === 'replace-one' ? ['with', 'without'] : [way],
    bounding,
  });
}

/** The pair of places in these ways: what it comes to, or bounds of it. */
function placed(
  [first, second]: readonly [Places, Places],
  { ways, bounding }: { readonly ways: readonly Way[]; readonly bounding: Bounding },
): Found {
  const pairOf =
    bounding === 'attain' ? (p: Places, q: Places) => mixturePair(gaussianNoise, p, q) : halfLines;
  return each(ways.map((way) => (way === 'with' ? pairOf(first, second) : pairOf(second, first))));
}

/**
 * Records of a group in a Poisson sample, each drawn by itself, that all move the sum of the sample in one
 * direction; those that replace them move it in the other. No group moves it further.
 */
export function groupDominates({ size, event }: CoreEvent<'core/group'>, { adjacency, way }: Asked): Found {
  const core = event as CoreEvent;
  if (core.kind !== 'core/sampled' || core.sampler.kind !== 'core/poisson' || size > 50) return undefined;
  const release = core.event as CoreEvent;
  if (release.kind !== 'core/gaussian') return undefined;
  const { sensitivity, sigma } = release;
  const presence =
    adjacency === 'add-remove'
      ? sensitivity[adjacency]
      : (sensitivity['zero-out'] ?? sensitivity['add-remove']);
  if (presence === undefined || (presence / sigma) * size > 300) return undefined;
  const drawn = binomialDistribution(size, core.sampler.rate);
  const present = drawn.map((weight, k) => ({ at: (k * presence) / sigma, weight }));
  return adjacency === 'replace-one'
    ? placed([present, present.map(({ at, weight }) => ({ at: -at, weight }))], {
        ways: ['with'],
        bounding: 'dominate',
      })
    : placed([present, [{ at: 0, weight: 1 }]], { ways: [way], bounding: 'dominate' });
}

/** Records with shifts in the same direction; those that replace them have opposite ones. */
export function groupAttains({ size, event }: CoreEvent<'core/group'>, asked: Asked): Found {
  const core = event as CoreEvent;
  const noisy = scaled(event);
  const distance = noisy?.sensitivity[asked.adjacency];
  if (distance !== undefined && Number.isFinite(distance * size)) {
    const shift = distance * size * (1 - 2 ** -51);
    return each([
      defined(noisy).noise === gaussianNoise
        ? gaussianPair(shift)
        : continuousPair({ noise: laplaceNoise, rate: 1, up: shift, down: 0 }),
    ]);
  }
  // Laplace noise attains the group bound with equality, for any size.
  if (core.kind === 'core/pure')
    return core.epsilon * size < 700
      ? each([
          continuousPair({ noise: laplaceNoise, rate: 1, up: core.epsilon * size * (1 - 2 ** -51), down: 0 }),
        ])
      : undefined;
  if (core.kind === 'core/approximate') return [lost(chained(core, size))];
  if (core.kind !== 'core/sampled' || core.sampler.kind !== 'core/poisson' || size > 50) return undefined;
  const inner = scaled(core.event);
  const apart = inner?.sensitivity[asked.adjacency];
  if (apart === undefined || apart * size > 300) return undefined;
  const isReplaced = asked.adjacency === 'replace-one';
  const by = isReplaced ? apart / 2 : apart;
  const drawn = binomialDistribution(size, core.sampler.rate);
  const present: Places = drawn.map((weight, k) => ({ at: k * by, weight }));
  const absent: Places = isReplaced
    ? drawn.map((weight, k) => ({ at: -k * by, weight }))
    : [{ at: 0, weight: 1 }];
  return each([
    asked.way === 'with'
      ? mixturePair(defined(inner).noise, present, absent)
      : mixturePair(defined(inner).noise, absent, present),
  ]);
}

/**
 * Probability of an outcome on the last of a chain of neighbours that is impossible on the first, each `e^ε`
 * times the one before plus δ. The chain ends where the complementary outcome would be too rare.
 */
function chained({ epsilon, delta }: CoreEvent<'core/approximate'>, size: number): number {
  let chance = 0;
  for (let k = 0; k < Math.min(size, 1e6) && chance * (1 + Math.exp(epsilon)) <= 1 - delta; k++)
    chance = Math.exp(epsilon) * chance + delta;
  return Math.min(1, chance) * (1 - 1e-9);
}

export function selectionAttains(
  { base, ...stopping }: Stopping & { readonly base: PrivacyEvent },
  { adjacency }: Asked,
): Found {
  const core = base as CoreEvent;
  if (core.kind === 'core/pure')
    return core.epsilon < 20 ? each(selectedPromise(stopping, core.epsilon)) : undefined;
  if (core.kind === 'core/approximate') {
    const none = noneOfRuns(stopping, 1 - core.delta);
    return none === undefined ? undefined : [lost((1 - none) * (1 - 1e-9))];
  }
  const mu = core.kind === 'core/gaussian' ? scaled(base)?.sensitivity[adjacency] : undefined;
  return mu === undefined || mu > 30 ? undefined : each(selectedGaussian(stopping, mu));
}

/**
 * All users send one bit by randomised response, and all others
 * have 0; or one of three values, and all others have the third.
 */
export function shuffledAttains({ epsilon, users }: CoreEvent<'core/shuffled-local'>): Found {
  if (users > 60 || epsilon > 30) return undefined;
  return each(
    [2, 3].flatMap((categories) => {
      const light = 1 / (Math.exp(epsilon) + categories - 1);
      const heavy = Math.exp(epsilon) * light;
      const others = histogram(users - 1, categories === 2 ? [heavy, light] : [light, light, heavy]);
      const with0 = joined(others, categories === 2 ? [heavy, light] : [heavy, light, light]);
      const with1 = joined(others, categories === 2 ? [light, heavy] : [light, heavy, light]);
      return [
        [with0, with1],
        [with1, with0],
      ].map(([p, q]) =>
        finitePair(
          `shuffled ${epsilon} ${users} ${categories}`,
          [...p].flatMap(([key, mass]): Outcome[] => {
            const other = q.get(key) ?? 0;
            return mass > 1e-17 && other > 1e-300
              ? [{ p: mass * (1 - 1e-11), loss: Math.log(mass / other) }]
              : [];
          }),
        ),
      );
    }),
  );
}

type Histogram = ReadonlyMap<number, number>;
/** Counts of the first two values, as one number. */
const step = [1, 1000, 0] as const;

function joined(before: Histogram, chances: readonly number[]): Histogram {
  const after = new Map<number, number>();
  for (const [key, mass] of before)
    for (const [value, chance] of chances.entries())
      after.set(key + step[value], (after.get(key + step[value]) ?? 0) + mass * chance);
  return after;
}

function histogram(users: number, chances: readonly number[]): Histogram {
  let law: Histogram = new Map([[0, 1]]);
  for (let user = 0; user < users; user++) law = joined(law, chances);
  return law;
}
