import type { Ensemble } from './ensemble.js';
import type { GridDistribution, SpreadGridDistribution, Tiling } from './grid-distribution.js';

/**
 * Puts an ensemble on a grid: the distributions that its members mix, for the upper and for the lower bound.
 * `discretise` puts one distribution there.
 */
export function discretiseEnsemble(
  { intervals }: Ensemble,
  tiling: Tiling,
  discretise: (distribution: Ensemble['intervals'][number]['first'], tiling: Tiling) => GridDistribution,
): SpreadGridDistribution {
  // An anchor is the end of one interval and the start of the next.
  const known = new Map<object, GridDistribution>();
  const anchor = (distribution: Ensemble['intervals'][number]['first']): GridDistribution => {
    const found = known.get(distribution) ?? discretise(distribution, tiling);
    known.set(distribution, found);
    return found;
  };
  const parts = intervals.map(({ first, last, beyond, members }) => {
    const [low, high] = [anchor(first), anchor(last)];
    return {
      low,
      high,
      carried: first === last ? low : discretise(beyond(tiling.step / 2), tiling),
      members,
    };
  });
  const all = parts.flatMap(({ low, high, carried }) => [low, high, carried]);
  const most = (of: (distribution: GridDistribution) => number): number => Math.max(...all.map(of));
  return {
    ...all[0],
    infiniteUpper: Math.max(...parts.flatMap(({ low, high }) => [low.infiniteUpper, high.infiniteUpper])),
    infiniteLower: 0,
    shift: most(({ shift }) => shift),
    scale: most(({ scale }) => scale),
    spread: {
      upper: parts.map(({ low, high, members }) => ({
        first: low.upper,
        second: high.upper,
        members: members.map(({ count, upperShare: share }) => ({ count, share })),
      })),
      lower: parts.map(({ low, carried, members }) => ({
        first: low.lower,
        second: carried.lower,
        members: members.map(({ count, lowerShare: share }) => ({ count, share })),
      })),
    },
  };
}
