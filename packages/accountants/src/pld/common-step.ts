/** An atom of a law: how far it is from the one that is on a point, and what it weighs. */
export interface Offset { readonly distance: number; readonly weight: number }

/** Distances that are tried with steps, at most; the shortest step is two thirds of the longest. */
const mostWork = 20_000;

/**
 * A part of `spacing`, at most `longest` long, of which the distances of other atoms are nearly multiples too: what is left over
 * is how far an atom is moved down.
 */
export function commonStep(spacing: number, longest: number, offsets: readonly Offset[]): number {
  const fewest = Math.ceil((spacing / longest) * (1 - 1e-12));
  const apart = offsets.filter(({ distance }) => Math.abs(distance / spacing - Math.round(distance / spacing)) > 1e-9);
  let best = { step: spacing / fewest, cost: Infinity };
  if (apart.length === 0) return best.step;
  const every = Math.max(1, Math.floor((fewest * apart.length) / (2 * mostWork)));
  for (let parts = fewest; parts <= 1.5 * fewest; parts += every) {
    const step = spacing / parts;
    const cost = apart.reduce((sum, { distance, weight }) => {
      const times = distance / step;
      const left = times - Math.floor(times + 1e-9);
      return sum + weight * Math.max(0, left) * step;
    }, 0);
    if (cost < best.cost) best = { step, cost };
  }
  return best.step;
}
