import type { CharacterisationKind, Characterisations } from '@lethe/core';
import { addUp, divideDown, expUp, multiplyUp, normalQuantileBounds } from '@lethe/numerics';
import type { PairRules, Sibling } from './knowledge.js';
import { approximatePairs, gaussianPairs } from './pairs/index.js';
import { pureRenyi } from './renyi/index.js';

const halfSquare = (x: number): number => (x === Infinity ? Infinity : multiplyUp(multiplyUp(x, x), 0.5));

/** Minimum of the defined candidates. */
function least(candidates: readonly (number | undefined)[]): number | undefined {
  const found = candidates.filter((c) => c !== undefined);
  return found.length === 0 ? undefined : Math.min(...found);
}

/**
 * The trade-off curve of ε-DP lies above the Gaussian curve through its corner: `μ = −2 Φ⁻¹(1 / (1 + e^ε))`.
 * @see Dong, Roth, Su 2022.
 */
function gaussianOfPure(epsilon: number): Characterisations['gdp'] {
  if (epsilon === 0) return { lower: 0, mu: 0, exact: true };
  const corner = divideDown(1, addUp(1, expUp(epsilon)));
  return { lower: 0, mu: corner === 0 ? Infinity : -2 * normalQuantileBounds(corner).lower, exact: false };
}

/** Sound derivations from other characterisations, but of pairs; the minimum if several apply. */
export const derivations: {
  readonly [C in Exclude<CharacterisationKind, 'pair'>]: (known: Sibling) => Characterisations[C] | undefined;
} = {
  pure: () => undefined,
  approximate(known) {
    const epsilon = known('pure');
    return epsilon === undefined ? undefined : { epsilon, delta: 0 };
  },
  gdp(known) {
    const epsilon = known('pure');
    return epsilon === undefined ? undefined : gaussianOfPure(epsilon);
  },
  zcdp(known) {
    const epsilon = known('pure');
    const curve = known('gdp');
    return least([
      epsilon === undefined ? undefined : halfSquare(epsilon),
      curve === undefined ? undefined : halfSquare(curve.mu),
    ]);
  },
  tcdp(known) {
    const rho = known('zcdp');
    return rho === undefined ? undefined : { rho, omega: Infinity };
  },
  rdp(known) {
    const epsilon = known('pure');
    const rho = known('zcdp');
    const truncated = rho === undefined ? known('tcdp') : { rho, omega: Infinity };
    if (epsilon === undefined && truncated === undefined) return undefined;
    const response = epsilon === undefined ? () => Infinity : pureRenyi(epsilon);
    const { rho: slope, omega } = truncated ?? { rho: Infinity, omega: Infinity };
    return (alpha) => Math.min(response(alpha), alpha >= omega ? Infinity : multiplyUp(slope, alpha));
  },
};

/** Sound pairs from other characterisations. */
export const derivedPairs: PairRules['derive'] = (known) => {
  const curve = known('gdp');
  if (curve?.exact === true) return gaussianPairs(curve);
  const epsilon = known('pure');
  if (epsilon !== undefined) return approximatePairs({ epsilon, delta: 0 }, false);
  if (curve !== undefined) return gaussianPairs(curve);
  const bound = known('approximate');
  return bound && approximatePairs(bound, false);
};
