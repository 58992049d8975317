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
