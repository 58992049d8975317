import { logSumExp, normalCdf } from '@lethe/numerics';
import { hockeyStickOf } from './density-divergence.js';
import { finitePair } from './finite-pair.js';
import type { Noise } from './noise.js';
import type { Outcome, WorstPair } from './worst-pair.js';

/** A law that is noise of scale 1 about a random place. */
export type Places = readonly { readonly at: number; readonly weight: number }[];

/** Places with less weight are left out: of P they would add to what is found, of Q they are taken off it. */
const rare = 1e-14;

/** What some neighbours come to: noise about the places of P against noise about those of Q. Nothing is said from above. */
export function mixturePair(noise: Noise, p: Places, q: Places): WorstPair {
  const key = `${noise.name} ${JSON.stringify([p, q])}`, all = [...p, ...q].filter(({ weight }) => weight > rare).map(({ at }) => at);
  const reach = noise.name === 'gaussian' ? 12 : 45, [low, high] = [Math.min(...all) - reach, Math.max(...all) + reach];
  const breaks = [...new Set([low, ...all, high])].toSorted((a, b) => a - b);
  const logOf = (places: Places): ((x: number) => number) => {
    const kept = places.filter(({ weight }) => weight > rare).map(({ at, weight }) => ({ at, log: Math.log(weight) })), terms = new Float64Array(kept.length);
    return (x) => {
      for (let i = 0; i < kept.length; i++) terms[i] = kept[i]!.log + noise.logDensity(x - kept[i]!.at);
      return logSumExp(terms);
    };
  };
  const [logP, logQ] = [logOf(p), logOf(q)], left = q.reduce((sum, { weight }) => (weight > rare ? sum : sum + weight), 0);
  const cells = finitePair(key, coarsened(noise, p, q, breaks));
  return {
    key,
    delta: (epsilon) => ({ lower: (high - low) > 4000 ? cells.delta(epsilon).lower : Math.max(0, hockeyStickOf({ logQ, logRatio: (x) => logP(x) - logQ(x), breaks, ...(noise.name === 'gaussian' ? {} : { width: 0.5 }) }, epsilon).lower - Math.exp(epsilon) * left), upper: 1 }),
    renyi: (alpha) => ({ lower: cells.renyi(alpha).lower, upper: Infinity }),
    range: cells.range, discretise: cells.discretise,
  };
}

/** Which of about 400 cells the output is in: a function of it, so it tells no more. Cells that P hardly meets are left out. */
function coarsened(noise: Noise, p: Places, q: Places, breaks: readonly number[]): readonly Outcome[] {
  const [low, high] = [breaks[0]!, breaks.at(-1)!], cells = 400, width = (high - low) / cells;
  const share = (places: Places, from: number): number => places.reduce((sum, { at, weight }) => sum + weight * within(noise, from - at, from + width - at), 0);
  return Array.from({ length: cells }, (_, i) => low + i * width).flatMap((from) => {
    const [mine, others] = [share(p, from), share(q, from)];
    return mine > 1e-17 && others > 1e-300 ? [{ p: mine, loss: Math.log(mine / others) }] : [];
  });
}

function within({ name }: Noise, from: number, to: number): number {
  const below = (x: number): number => (name === 'gaussian' ? normalCdf(x) : x < 0 ? Math.exp(x) / 2 : 1 - Math.exp(-x) / 2);
  return from + to > 0 ? below(-from) - below(-to) : below(to) - below(from);
}
