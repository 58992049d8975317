import { type LossLaw, normalCdf } from '@lethe/core';
import { gaussLegendre } from './gauss-legendre.js';
import { gaussianCurve } from './gaussian-curve.js';

const { nodes, weights } = gaussLegendre(4);
const perRoot = 0.398_942_280_401_432_7;

/** The loss of `N(μ, 1)` against `N(0, 1)`, with `μ > 0`: at the output `x` it is `μx − μ²/2`. */
export function gaussianLaw(mu: number): LossLaw {
  const at = (loss: number): number => loss / mu + mu / 2;
  return {
    hockeyStick: (epsilon) => gaussianCurve(mu, epsilon),
    infinite: 0,
    support: { least: -Infinity, most: Infinity },
    grain: 2 ** -36,
    massesInto(p, q, edges) {
      for (let i = 0; i + 1 < edges.length; i++) {
        const [from, to] = [at(edges[i]!), at(edges[i + 1]!)];
        p[i] = between(from - mu, to - mu);
        q[i] = between(from, to);
      }
    },
  };
}

/** Probability of `(from, to)` under the standard normal law: narrow intervals by quadrature, others by the tails of the nearer side. */
function between(from: number, to: number): number {
  const width = to - from;
  if (width * (1 + Math.abs(from)) < 0.1) {
    let sum = 0;
    for (let i = 0; i < nodes.length; i++) {
      const x = (from + to) / 2 + (nodes[i]! * width) / 2;
      sum += weights[i]! * Math.exp(-(x * x) / 2);
    }
    return (sum * perRoot * width) / 2;
  }
  return from + to > 0 ? normalCdf(-from) - normalCdf(-to) : normalCdf(to) - normalCdf(from);
}
