/** An atom: its distance from the atom on a grid point, and its weight. */
export interface Offset {
  readonly distance: number;
  readonly weight: number;
}

/** Maximum number of distance–step pairs to try; the smallest step is two thirds of the largest. */
const mostWork = 20_000;

/**
 * A step that divides `spacing`, at most `longest`, such that the distances of other atoms are nearly
 * multiples of it. Atoms are moved down by the remainder.
 */
export function commonStep(spacing: number, longest: number, offsets: readonly Offset[]): number {
  const fewest = Math.ceil((spacing / longest) * (1 - 1e-12));
  const apart = offsets.filter(
    ({ distance }) => Math.abs(distance / spacing - Math.round(distance / spacing)) > 1e-9,
  );
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
