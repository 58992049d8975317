import { divergenceUp } from './margin.js';

/**
 * Two outcomes exchange their probabilities `heavy > light` between neighbours; other outcomes do not change.
 */
interface Exchange {
  readonly heavy: number;
  readonly light: number;
  /** `heavy − light`, given separately because the difference may cancel. */
  readonly gap: number;
  /** `log(heavy / light)`, rounded up. */
  readonly epsilon: number;
}

/** Rényi divergence of order `α` between neighbours under an exchange, rounded up. */
export function exchangeRenyi({ heavy, light, gap, epsilon }: Exchange): (alpha: number) => number {
  return (alpha) => {
    if (epsilon === 0) return 0;
    const beta = alpha - 1;
    const x = beta * epsilon;
    if (x === Infinity) return epsilon;
    if (x > 30) {
      const rest = ((light * Math.exp(-x) + (1 - heavy - light)) * Math.exp(-x)) / heavy;
      return Math.min(
        epsilon,
        divergenceUp(x + Math.log(heavy) + Math.log1p(rest), x - Math.log(heavy) + rest, beta),
      );
    }
    const half = Math.sinh(x / 2);
    const excess = (heavy + light) * 2 * half * half + gap * Math.sinh(x);
    const log = Math.log1p(excess);
    return Math.min(epsilon, divergenceUp(log, log, beta));
  };
}

/** The worst pair of ε-DP: binary randomised response. @see Bun, Steinke 2016, Proposition 3.3. */
export function pureRenyi(epsilon: number): (alpha: number) => number {
  if (epsilon > 700) return () => epsilon;
  const light = 1 / (1 + Math.exp(epsilon));
  return exchangeRenyi({ heavy: 1 / (1 + Math.exp(-epsilon)), light, gap: Math.tanh(epsilon / 2), epsilon });
}
