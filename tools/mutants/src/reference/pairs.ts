import { normalCdf } from '@lethe/numerics';
import { discretised, type Bugs, type Losses, type Slab } from './losses.js';

/** Noise by its log-density, and its mass between two points, accurate in both tails. */
interface Noise {
  readonly log: (x: number) => number;
  readonly between: (a: number, b: number) => number;
  readonly far: number;
}

const between =
  (cdf: (x: number) => number) =>
  (a: number, b: number): number =>
    Math.max(0, a > 0 ? cdf(-a) - cdf(-b) : cdf(b) - cdf(a));
const gaussian: Noise = { log: (x) => (-x * x) / 2, between: between(normalCdf), far: 8.6 };
const laplace: Noise = {
  log: (x) => -Math.abs(x),
  between: between((x) => (x < 0 ? Math.exp(x) / 2 : 1 - Math.exp(-x) / 2)),
  far: 37,
};

/** `(1 − rate)·N + rate·(N + shift)`. */
interface Mixture {
  readonly rate: number;
  readonly shift: number;
}
export interface Located {
  readonly noise: 'gaussian' | 'laplace';
  readonly p: Mixture;
  readonly q: Mixture;
}

const logOf = (noise: Noise, { rate, shift }: Mixture, x: number): number => {
  if (rate === 0 || shift === 0) return noise.log(x);
  const present = noise.log(x - shift) + Math.log(rate);
  const without = rate === 1 ? -Infinity : noise.log(x) + Math.log1p(-rate);
  const top = Math.max(present, without);
  return top + Math.log1p(Math.exp(Math.min(present, without) - top));
};
const massOf = (noise: Noise, { rate, shift }: Mixture, a: number, b: number): number =>
  (rate === 1 ? 0 : (1 - rate) * noise.between(a, b)) +
  (rate === 0 ? 0 : rate * noise.between(a - shift, b - shift));

/** Losses `log p/q` of outputs drawn from P, increasing in the output: P is shifted to the right of Q. */
export function locatedLosses({ noise: name, p, q }: Located, bugs: Bugs): Losses {
  const noise = name === 'gaussian' ? gaussian : laplace;
  const loss = (x: number): number => logOf(noise, p, x) - logOf(noise, q, x);
  const [from, to] = [Math.min(0, p.shift, q.shift) - noise.far, Math.max(0, p.shift, q.shift) + noise.far];
  const range = [loss(from), loss(to)] as const;
  // Mass below the range goes up to the lowest loss; mass above counts as infinite.
  return discretised(
    range,
    (ends) => {
      const cuts = Array.from(ends, (end) => {
        if (end <= range[0]) return -Infinity;
        if (end >= range[1]) return Infinity;
        let [low, high] = [from, to];
        for (let i = 0; i < 80 && high - low > 1e-15 * Math.abs(high); i++) {
          const middle = (low + high) / 2;
          if (loss(middle) <= end) low = middle;
          else high = middle;
        }
        return low;
      });
      return cuts
        .slice(1)
        .map((cut, i): Slab => ({ p: massOf(noise, p, cuts[i], cut), q: massOf(noise, q, cuts[i], cut) }));
    },
    name === 'gaussian' ? massOf(noise, p, to, Infinity) : 0,
    bugs,
  );
}

/** Losses of a release with finitely many outputs. */
export function finiteLosses(outcomes: readonly Slab[], bugs: Bugs): Losses {
  const losses = outcomes.map(({ p, q }) => Math.log(p / q));
  return discretised(
    [Math.min(...losses), Math.max(...losses)],
    (ends) =>
      Array.from(ends.slice(1), (high, i) =>
        outcomes.reduce<Slab>(
          (sum, { p, q }, k) =>
            losses[k] > ends[i] && losses[k] <= high ? { p: sum.p + p, q: sum.q + q } : sum,
          { p: 0, q: 0 },
        ),
      ),
    0,
    bugs,
  );
}
