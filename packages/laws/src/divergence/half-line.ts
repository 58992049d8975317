/** A distribution on the real line, by its distribution function. */
export interface Distribution {
  /** `P[X ≤ x]`. */
  readonly cdf: (x: number) => number;
  /** Absolute error of `cdf`. @defaultValue 1e-13 */
  readonly accuracy?: number;
}

/** Lower bound of a divergence and the event that attains it. */
export interface Witnessed {
  readonly lower: number;
  readonly witness: string;
}

/**
 * Lower bound of the hockey-stick divergence at ε between a distribution and its shift by `shift`, in both
 * orders: the best half line, and the best union of cells of a partition (hence of intervals and
 * complements). Every event is a test, so the bound is valid for any search.
 *
 * @param epsilon - At least 0.
 * @returns `lower` is 0 if no event is found beyond the error of the distribution function.
 */
export function shiftDivergence(law: Distribution, shift: number, epsilon: number): Witnessed {
  const { cdf, accuracy = 1e-13 } = law;
  const weight = Math.exp(epsilon);
  // A cell takes two values of each distribution function, a half line one.
  const slack = accuracy * (1 + weight) * (1 + 2 ** -40);
  const [from, to] = span(cdf, Math.abs(shift));
  const points = grid(from, to, shift);
  const still = Float64Array.from(points, cdf);
  let best: Witnessed = { lower: 0, witness: 'none' };
  for (const move of [shift, -shift]) {
    /** The better of two half lines: above `x` and below it. */
    const line = (x: number, here: number, moved: number): void => {
      const above = 1 - here - weight * (1 - moved) - slack;
      if (above > best.lower)
        best = { lower: Math.min(1, above), witness: `more than ${x}, unmoved against moved by ${move}` };
      const below = here - weight * moved - slack;
      if (below > best.lower)
        best = { lower: Math.min(1, below), witness: `at most ${x}, unmoved against moved by ${move}` };
    };
    const moved = Float64Array.from(points, (x) => cdf(x - move));
    const most = (here: number, there: number): number =>
      Math.max(1 - here - weight * (1 - there), here - weight * there);
    let top = 0;
    for (let i = 0; i < points.length; i++) {
      line(points[i], still[i], moved[i]);
      if (most(still[i], moved[i]) > most(still[top], moved[top])) top = i;
    }
    const reached = best.lower;
    for (const x of refined(points, top, (at) => most(cdf(at), cdf(at - move))))
      line(x, cdf(x), cdf(x - move));
    let union = 0;
    let last = { still: 0, moved: 0 };
    for (let i = 0; i <= points.length; i++) {
      const here = i < points.length ? { still: still[i], moved: moved[i] } : { still: 1, moved: 1 };
      union += Math.max(0, here.still - last.still - weight * (here.moved - last.moved) - 2 * slack);
      last = here;
    }
    // A union is harder to read than a half line; it is reported only if it gives more.
    if (union > Math.max(reached, best.lower) * (1 + 1e-9))
      best = {
        lower: Math.min(1, union),
        witness:
          'outputs likelier unmoved, by cells of about ' +
          `${(to - from) / points.length}, against moved by ${move}`,
      };
  }
  return best;
}

/** Range outside which both distributions have mass about 1e-12, from 0 by doubling. */
function span(cdf: (x: number) => number, shift: number): readonly [number, number] {
  let to = Math.max(shift, 2 ** -30);
  while (to < 2 ** 60 && !(1 - cdf(to) < 1e-12)) to *= 2;
  let from = -Math.max(shift, 2 ** -30);
  while (from > -(2 ** 60) && !(cdf(from) < 1e-12)) from *= 2;
  return [from - shift, to + shift];
}

/** Even steps, and powers of 2 around 0 and the shift, where distributions have kinks and atoms. */
function grid(from: number, to: number, shift: number): readonly number[] {
  const points = new Set<number>();
  for (let k = 0; k <= 512; k++) points.add(from + ((to - from) * k) / 512);
  for (const centre of [0, shift, -shift]) {
    points.add(centre);
    for (let k = -30; k < 60; k++)
      for (const x of [centre + 2 ** k, centre - 2 ** k]) if (x > from && x < to) points.add(x);
  }
  return [...points].toSorted((a, b) => a - b);
}

/** Additional points around the one at `index`, where `f` is greatest, by ternary search. */
function refined(points: readonly number[], index: number, f: (x: number) => number): readonly number[] {
  let a = points[Math.max(0, index - 1)];
  let b = points[Math.min(points.length - 1, index + 1)];
  for (let step = 0; step < 80; step++) {
    const left = a + (b - a) / 3;
    const right = b - (b - a) / 3;
    if (f(left) < f(right)) a = left;
    else b = right;
  }
  return [a, (a + b) / 2, b];
}
