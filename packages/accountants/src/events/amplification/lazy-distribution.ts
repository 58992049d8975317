import type { PrivacyLossDistribution } from '@lethe/core';
import { defined } from '@lethe/numerics';

/** A privacy-loss distribution with masses, computed on first use. */
export function lazyLossDistribution(compute: () => PrivacyLossDistribution): PrivacyLossDistribution {
  let cached: PrivacyLossDistribution | undefined;
  const distribution = (): PrivacyLossDistribution => (cached ??= compute());
  return {
    hockeyStick: (epsilon) => distribution().hockeyStick(epsilon),
    get infinite() {
      return distribution().infinite;
    },
    get support() {
      return distribution().support;
    },
    get grain() {
      return distribution().grain ?? 2 ** -44;
    },
    massesInto: (p, q, edges) => defined(distribution().massesInto)(p, q, edges),
  };
}
