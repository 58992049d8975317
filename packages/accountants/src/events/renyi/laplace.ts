import { multiplyUp } from '@lethe/numerics';
import { divergenceUp } from './margin.js';

/**
 * Rényi divergence of order `α` between Laplace distributions at distance `epsilon` scales, rounded up.
 * @see Mironov 2017, Proposition 6.
 */
export function laplaceRenyi(epsilon: number): (alpha: number) => number {
  return (alpha) => {
    const beta = alpha - 1;
    const both = alpha + beta;
    const x = beta * epsilon;
    const concentrated = multiplyUp(multiplyUp(alpha, multiplyUp(epsilon, epsilon)), 0.5);
    return Math.min(epsilon, concentrated, x > 1 ? far() : near());

    function far(): number {
      const rest = (beta / alpha) * Math.exp(-both * epsilon);
      return divergenceUp(x + Math.log(alpha / both) + Math.log1p(rest), x + 1 + rest, beta);
    }

    function near(): number {
      const up = (alpha / both) * Math.expm1(x);
      const down = (beta / both) * Math.expm1(-alpha * epsilon);
      return divergenceUp(Math.log1p(up + down), up - down, beta);
    }
  };
}
