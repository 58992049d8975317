import { type LossLaw, normalCdf } from '@lethe/core';

const perRoot = 0.398_942_280_401_432_7;
const nodes = [-0.861_136_311_594_052_6, -0.339_981_043_584_856_3, 0.339_981_043_584_856_3, 0.861_136_311_594_052_6];
const weights = [0.347_854_845_137_453_85, 0.652_145_154_862_546_2, 0.652_145_154_862_546_2, 0.347_854_845_137_453_85];

/** Probability of `(from, from + width)` under the standard normal law, with the relative precision of its density. */
function between(from: number, width: number): number {
  if (width * (1 + Math.abs(from)) < 0.1) return (width / 2) * perRoot * nodes.reduce((sum, node, i) => sum + weights[i]! * Math.exp(-((from + (width * (1 + node)) / 2) ** 2) / 2), 0);
  const to = from + width;
  if (!(from < to)) return 0;
  return from + to > 0 ? normalCdf(-from) - normalCdf(-to) : normalCdf(to) - normalCdf(from);
}


/** The loss of `N(μ, 1)` against `N(0, 1)`, which is `μx − μ²/2` at the output `x`. */
export const gaussianLaw = (mu: number): LossLaw => sampledGaussianLaw(1, mu);

/** The loss of `(1 − r) N(0, 1) + r N(μ, 1)` against `N(0, 1)`, or the other way round. */
export function sampledGaussianLaw(rate: number, mu: number, reversed = false): LossLaw {
  const output = (loss: number): number => (rate === 1 ? loss / mu + mu / 2 : Math.log1p(Math.expm1(loss) / rate) / mu + mu / 2);
  const floor = rate === 1 ? -Infinity : Math.log1p(-rate);
  return {
    hockeyStick: () => ({ lower: 0, upper: 0 }),
    infinite: 0,
    support: reversed ? { least: -Infinity, most: -floor } : { least: floor, most: Infinity },
    grain: 2 ** -43,
    massesInto(p, q, edges) {
      const count = p.length;
      for (let i = 0; i < count; i++) {
        const [low, high] = reversed ? [-edges[i + 1]!, -edges[i]!] : [edges[i]!, edges[i + 1]!];
        const from = low <= floor ? -Infinity : output(low);
        const width = rate === 1 ? (high - low) / mu : high <= floor ? 0 : output(high) - from;
        const mixed = from > -Infinity ? [between(from, width), between(from - mu, width)] : [normalCdf(output(high)), normalCdf(output(high) - mu)];
        const without = high <= floor ? 0 : mixed[0]!;
        const sampled = high <= floor ? 0 : rate === 1 ? mixed[1]! : (1 - rate) * mixed[0]! + rate * mixed[1]!;
        p[i] = reversed ? without : sampled;
        q[i] = reversed ? sampled : without;
      }
    },
  };
}

/** Binary randomised response: the loss is `±ε`. */
export function responseLaw(epsilon: number): LossLaw {
  const likely = 1 / (1 + Math.exp(-epsilon));
  return {
    hockeyStick: () => ({ lower: 0, upper: 0 }),
    infinite: 0,
    support: { least: -epsilon, most: epsilon },
    massesInto(p, q, edges) {
      for (let i = 0; i < p.length; i++) {
        const holds = (loss: number): boolean => loss >= edges[i]! && loss < edges[i + 1]!;
        p[i] = (holds(epsilon) ? likely : 0) + (holds(-epsilon) ? 1 - likely : 0);
        q[i] = (holds(epsilon) ? 1 - likely : 0) + (holds(-epsilon) ? likely : 0);
      }
    },
  };
}

/** The loss of Laplace noise of scale 1 moved by `ε`: atoms at `±ε`, and a density `e^{(x − ε)/2} / 4` between. */
export function laplaceLaw(epsilon: number): LossLaw {
  return {
    hockeyStick: () => ({ lower: 0, upper: 0 }),
    infinite: 0,
    support: { least: -epsilon, most: epsilon },
    massesInto(p, q, edges) {
      for (let i = 0; i < p.length; i++) {
        const [from, to] = [Math.max(-epsilon, edges[i]!), Math.min(epsilon, edges[i + 1]!)];
        const inner = to > from ? (Math.exp((from - epsilon) / 2) * Math.expm1((to - from) / 2)) / 2 : 0;
        const mirrored = to > from ? (-Math.exp((-from - epsilon) / 2) * Math.expm1((from - to) / 2)) / 2 : 0;
        const holds = (loss: number): boolean => loss >= edges[i]! && loss < edges[i + 1]!;
        p[i] = inner + (holds(epsilon) ? 0.5 : 0) + (holds(-epsilon) ? Math.exp(-epsilon) / 2 : 0);
        q[i] = mirrored + (holds(epsilon) ? Math.exp(-epsilon) / 2 : 0) + (holds(-epsilon) ? 0.5 : 0);
      }
    },
  };
}
