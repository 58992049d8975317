import { type Adjacency, type SamplerSpec, type Sensitivity } from '@lethe/core';
import { defined, logBinomial, normalCdf } from '@lethe/numerics';
import { binomialDistribution } from './binomial-law.js';
import { finitePair } from './finite-pair.js';
import { gaussianNoise, type Noise } from './noise.js';
import { mixturePair, type Places } from './mixture-pair.js';
import type { Way } from './scenario.js';
import type { Outcome, WorstPair } from './worst-pair.js';

/** Noise of scale 1 on a sum, and its sensitivity in units of the noise. */
export interface Release {
  readonly noise: Noise;
  readonly sensitivity: Sensitivity;
}

/** Sizes of draws above which their distribution is not enumerated. */
const mostListed = 200;

/**
 * Worst-case candidates of neighbours for a noisy sum over a batch from a sampler other than Poisson's: all
 * other records equal, at one end of the range, at the other or in the middle. `undefined` if no neighbours
 * attain the sensitivities.
 */
export function amplifiedPairs(
  sampler: Exclude<SamplerSpec, { kind: 'core/poisson' }>,
  release: Release,
  { adjacency, way }: { readonly adjacency: Adjacency; readonly way: Way },
): readonly WorstPair[] | undefined {
  const swap = (p: Places, q: Places): WorstPair =>
    way === 'with' ? mixturePair(release.noise, p, q) : mixturePair(release.noise, q, p);
  switch (sampler.kind) {
    case 'core/fixed-size': {
      if (adjacency === 'add-remove' || sampler.size > mostListed) return undefined;
      const times = sampler.replacement
        ? binomialDistribution(sampler.size, 1 / sampler.n)
        : [1 - sampler.size / sampler.n, sampler.size / sampler.n];
      const about = (by: number): Places => times.map((weight, k) => ({ at: k * by, weight }));
      // Another record takes the position of the removed one: the sum moves by its distance from the others.
      return apart(release.sensitivity, adjacency)?.map(({ record, other, rest }) =>
        swap(about(record - rest), about(other - rest)),
      );
    }
    case 'core/truncated-poisson': {
      if (adjacency === 'add-remove' || sampler.n > mostListed / 5) return undefined;
      return apart(release.sensitivity, adjacency)?.map(({ record, other, rest }) =>
        swap(truncatedSum(sampler, record, rest), truncatedSum(sampler, other, rest)),
      );
    }
    case 'core/random-allocation': {
      const { noise, sensitivity } = release;
      if (noise !== gaussianNoise || sampler.steps > 4) return undefined;
      const ends =
        adjacency === 'replace-one'
          ? apart(sensitivity, adjacency)?.filter(({ rest }) => rest === 0)
          : presence(sensitivity, adjacency);
      if (ends?.some(({ record, other }) => Math.max(record, other) > 20) ?? true) return undefined;
      return defined(ends).map(({ record, other }) =>
        way === 'with' ? allocated(sampler, record, other) : allocated(sampler, other, record),
      );
    }
  }
}

interface Placed {
  readonly record: number;
  readonly other: number;
  readonly rest: number;
}

const presence = (
  sensitivity: Sensitivity,
  adjacency: 'zero-out' | 'add-remove',
): readonly Placed[] | undefined => {
  const by = sensitivity[adjacency];
  return by === undefined ? undefined : [{ record: by, other: 0, rest: 0 }];
};

/**
 * A record, its replacement, and the other records, on a line, within the range that the sensitivities allow.
 */
function apart(
  sensitivity: Sensitivity,
  adjacency: 'zero-out' | 'replace-one',
): readonly Placed[] | undefined {
  const whole = sensitivity['replace-one'];
  const nulled = sensitivity['zero-out'];
  if (adjacency === 'zero-out') {
    if (nulled === undefined) return undefined;
    // Null is 0; other records are within the sensitivities of the record and of null.
    const far = whole === undefined ? 0 : Math.min(nulled, Math.max(0, whole - nulled));
    return [0, nulled, -far].map((rest) => ({ record: nulled, other: 0, rest }));
  }
  if (whole === undefined || (nulled !== undefined && nulled < whole / 2)) return undefined;
  const half = whole / 2;
  return [0, half, -half].map((rest) => ({ record: half, other: -half, rest }));
}

/**
 * Distribution of the sum over a truncated Poisson sample:
 * `rest` for each other record in it, `own` for the record.
 */
function truncatedSum(
  { n, rate, most }: Extract<SamplerSpec, { kind: 'core/truncated-poisson' }>,
  own: number,
  rest: number,
): Places {
  const at = new Map<number, number>();
  const put = (place: number, weight: number): void => {
    at.set(place, (at.get(place) ?? 0) + weight);
  };
  for (const [others, chance] of binomialDistribution(n - 1, rate).entries()) {
    const kept = others < most ? rate : (rate * most) / (others + 1);
    put(Math.min(others, most - 1) * rest + own, chance * kept);
    put(Math.min(others, most) * rest, chance * (1 - kept));
  }
  return [...at].map(([place, weight]) => ({ at: place, weight }));
}

const cellsOf = [0, 400, 200, 48, 24] as const;

/**
 * `times` of `steps` noisy sums shifted by `p` or by `q`, the shifted ones secret; outputs are reduced to
 * cells.
 */
export function allocated(
  { steps, times = 1 }: { readonly steps: number; readonly times?: number | undefined },
  p: number,
  q: number,
): WorstPair {
  const cells = cellsOf[steps];
  const [low, high] = [Math.min(0, p, q) - 6, Math.max(0, p, q) + 6];
  const width = (high - low) / cells;
  const edge = (i: number): number => {
    if (i === 0) return -Infinity;
    return i === cells ? Infinity : low + i * width;
  };
  const share = (i: number, by: number): number =>
    edge(i) + edge(i + 1) > 2 * by
      ? normalCdf(by - edge(i)) - normalCdf(by - edge(i + 1))
      : normalCdf(edge(i + 1) - by) - normalCdf(edge(i) - by);
  const still = Float64Array.from({ length: cells }, (_, i) => share(i, 0));
  const withP = Float64Array.from(still, (mass, i) => share(i, p) / mass);
  const withQ = Float64Array.from(still, (mass, i) => share(i, q) / mass);
  const outcomes: Outcome[] = [];
  const sets = Math.round(Math.exp(logBinomial(steps, times)));
  // Sums in sorted order, with the number of their permutations; `fromP[k]` adds up the products of k ratios.
  const visit = (
    taken: number,
    from: number,
    ways: number,
    run: number,
    mass: number,
    fromP: readonly number[],
    fromQ: readonly number[],
  ): void => {
    if (taken === steps) {
      const [mine, others] = [fromP, fromQ].map((sums) => (mass * ways * sums[times]) / sets);
      if (mine > 1e-17 && others > 1e-300)
        outcomes.push({ p: mine, loss: Math.log(fromP[times] / fromQ[times]) });
      return;
    }
    for (let i = from; i < cells; i++) {
      const same = i === from && taken > 0 ? run + 1 : 1;
      visit(
        taken + 1,
        i,
        (ways * (taken + 1)) / same,
        same,
        mass * still[i],
        fromP.map((sum, k) => (k === 0 ? sum : sum + fromP[k - 1] * withP[i])),
        fromQ.map((sum, k) => (k === 0 ? sum : sum + fromQ[k - 1] * withQ[i])),
      );
    }
  };
  const none = Array.from({ length: times + 1 }, (_, k) => (k === 0 ? 1 : 0));
  visit(0, 0, 1, 0, 1, none, none);
  return finitePair(`allocated ${times} ${steps} ${p} ${q}`, outcomes);
}
