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
  let best: Witnessed = { lower: 0, witness: 'none' };
  const offer = (lower: number, witness: string): void => {
    if (lower > best.lower) best = { lower: Math.min(1, lower), witness };
  };
  for (const move of [shift, -shift]) {
    const moved = (x: number): number => cdf(x - move);
    const line = (x: number): void => {
      offer(1 - cdf(x) - weight * (1 - moved(x)) - slack, `more than ${x}, unmoved against moved by ${move}`);
      offer(cdf(x) - weight * moved(x) - slack, `at most ${x}, unmoved against moved by ${move}`);
    };
    const points = grid(from, to, shift);
    for (const x of points) line(x);
    const reached = best.lower;
    for (const x of refined(points, (at) =>
      Math.max(1 - cdf(at) - weight * (1 - moved(at)), cdf(at) - weight * moved(at)),
    ))
      line(x);
    let union = 0;
    let last = { still: 0, moved: 0 };
    for (const x of [...points, Infinity]) {
      const here = x === Infinity ? { still: 1, moved: 1 } : { still: cdf(x), moved: moved(x) };
      union += Math.max(0, here.still - last.still - weight * (here.moved - last.moved) - 2 * slack);
      last = here;
    }
    // A union is harder to read than a half line; it is reported only if it gives more.
    if (union > Math.max(reached, best.lower) * (1 + 1e-9))
      offer(
        union,
        'outputs likelier unmoved, by cells of about ' +
          `${(to - from) / points.length}, against moved by ${move}`,
      );
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

/** Additional points around the best of `points`, by ternary search. */
function refined(points: readonly number[], f: (x: number) => number): readonly number[] {
  let index = 0;
  for (let i = 1; i < points.length; i++) if (f(points[i]) > f(points[index])) index = i;
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
