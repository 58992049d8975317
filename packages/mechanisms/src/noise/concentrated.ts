import { addDown, addUp, divideDown, log1pDown, logDown, minimizeUnimodal } from '@lethe/numerics';
import { Unsupported } from '@lethe/core';

/**
 * The ρ at which ρ-zCDP implies (ε, δ)-DP by the order `1 + beta`, rounded down; every order gives a valid ρ.
 * @see Canonne, Kamath, Steinke 2020, Proposition 12.
 */
function rhoAt(beta: number, epsilon: number, delta: number): number {
  const tail = divideDown(addDown(logDown(delta), logDown(addDown(1, beta))), beta);
  const numerator = addDown(addDown(epsilon, tail), log1pDown(divideDown(1, beta)));
  return divideDown(numerator, addUp(1, beta));
}

/** Lower end of the search, away from 0, since the tolerance of the minimiser is relative. */
const origin = 2048;

/**
 * The largest ρ found such that every ρ-zCDP release is (ε,
 * δ)-DP: the conversion by the best order, rounded down.
 *
 * @param delta - Above 0.
 * @throws {Unsupported} when that ρ is not a positive double.
 */
export function largestRho(epsilon: number, delta: number): number {
  const at = (t: number): number => rhoAt(2 ** t, epsilon, delta);
  let best = -50;
  for (let t = best; t < 1000; t += t < 60 ? 0.5 : 4) if (at(t) > at(best)) best = t;
  const refined = minimizeUnimodal((x) => -at(x - origin), best - 4 + origin, best + 4 + origin, {
    tolerance: 1e-10,
  });
  const rho = Math.max(at(best), -refined.value);
  if (rho > 0) return rho;
  throw new Unsupported(
    `no double is large enough a noise multiplier for (${epsilon}, ${delta}); ask for less privacy`,
    { epsilon, delta },
  );
}
