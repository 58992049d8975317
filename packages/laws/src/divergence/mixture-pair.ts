import { logSumExp, normalCdf } from '@lethe/numerics';
import { hockeyStickOf } from './density-divergence.js';
import { finitePair } from './finite-pair.js';
import type { Noise } from './noise.js';
import type { Outcome, WorstPair } from './worst-pair.js';

/** Distribution of the centre of noise with scale 1. */
export type Places = readonly { readonly at: number; readonly weight: number }[];

/** Smaller weights are omitted: for P they are dropped from the result, for Q subtracted from it. */
const rare = 1e-14;

/**
 * A lower bound for some neighbours: noise around the positions
 * of P against noise around those of Q. No upper bound.
 */
export function mixturePair(noise: Noise, p: Places, q: Places): WorstPair {
  const key = `${noise.name} ${JSON.stringify([p, q])}`;
  const all = [...p, ...q].filter(({ weight }) => weight > rare).map(({ at }) => at);
  const reach = noise.name === 'gaussian' ? 12 : 45;
  const [low, high] = [Math.min(...all) - reach, Math.max(...all) + reach];
  const breaks = [...new Set([low, ...all, high])].toSorted((a, b) => a - b);
  const logOf = (places: Places): ((x: number) => number) => {
    const kept = places
      .filter(({ weight }) => weight > rare)
      .map(({ at, weight }) => ({ at, log: Math.log(weight) }));
    const terms = new Float64Array(kept.length);
    return (x) => {
      for (let i = 0; i < kept.length; i++) terms[i] = kept[i].log + noise.logDensity(x - kept[i].at);
      return logSumExp(terms);
    };
  };
  const [logP, logQ] = [logOf(p), logOf(q)];
  const left = q.reduce((sum, { weight }) => (weight > rare ? sum : sum + weight), 0);
  const cells = finitePair(key, coarsened(noise, p, q, breaks));
  return {
    key,
    delta: (epsilon) => ({
      lower:
        high - low > 4000
          ? cells.delta(epsilon).lower
          : Math.max(
              0,
              hockeyStickOf(
                {
                  logQ,
                  logRatio: (x) => logP(x) - logQ(x),
                  breaks,
                  ...(noise.name === 'gaussian' ? {} : { width: 0.5 }),
                },
                epsilon,
              ).lower -
                Math.exp(epsilon) * left,
            ),
      upper: 1,
    }),
    renyi: (alpha) => ({ lower: cells.renyi(alpha).lower, upper: Infinity }),
    range: cells.range,
    discretise: cells.discretise,
  };
}

/** Relative and absolute allowance for the errors of half-lines. */
const [grain, least] = [1e-9, 1e-13];

/**
 * An upper bound for Gaussian noise around the positions of P against that around those of Q, where no
 * position of P is below one of Q, or none above: the ratio of densities is monotone, so that half-lines are
 * the best sets. One release only.
 */
export function halfLines(p: Places, q: Places): WorstPair {
  const isAscending = Math.min(...p.map(({ at }) => at)) >= Math.max(...q.map(({ at }) => at));
  const sign = isAscending ? 1 : -1;
  const above = (places: Places, z: number): number =>
    places.reduce((sum, { at, weight }) => sum + weight * normalCdf(sign * at - z), 0);
  const density = (places: Places, z: number): number =>
    logSumExp(
      Float64Array.from(places, ({ at, weight }) =>
        weight > 0 ? Math.log(weight) - (z - sign * at) ** 2 / 2 : -Infinity,
      ),
    );
  const reach = 45 + Math.max(...[...p, ...q].map(({ at }) => Math.abs(at)));
  return {
    key: `half-lines ${JSON.stringify([p, q])}`,
    delta(epsilon) {
      let [low, high] = [-reach, reach];
      for (let i = 0; i < 80; i++) {
        const z = (low + high) / 2;
        if (density(p, z) > epsilon + density(q, z)) high = z;
        else low = z;
      }
      const best = above(p, high) - Math.exp(epsilon) * above(q, high);
      return { lower: 0, upper: Math.min(1, Math.max(0, best) * (1 + grain) + least) };
    },
    renyi: () => ({ lower: 0, upper: Infinity }),
  };
}

/** Outputs reduced to about 400 cells (post-processing). Cells of negligible mass under P are omitted. */
function coarsened(noise: Noise, p: Places, q: Places, breaks: readonly number[]): readonly Outcome[] {
  const [low, high] = [breaks[0], breaks[breaks.length - 1]];
  const cells = 400;
  const width = (high - low) / cells;
  const share = (places: Places, from: number): number =>
    places.reduce((sum, { at, weight }) => sum + weight * within(noise, from - at, from + width - at), 0);
  return Array.from({ length: cells }, (_, i) => low + i * width).flatMap((from) => {
    const [mine, others] = [share(p, from), share(q, from)];
    return mine > 1e-17 && others > 1e-300 ? [{ p: mine, loss: Math.log(mine / others) }] : [];
  });
}

function within({ name }: Noise, from: number, to: number): number {
  const below = (x: number): number => {
    if (name === 'gaussian') return normalCdf(x);
    return x < 0 ? Math.exp(x) / 2 : 1 - Math.exp(-x) / 2;
  };
  return from + to > 0 ? below(-from) - below(-to) : below(to) - below(from);
}
