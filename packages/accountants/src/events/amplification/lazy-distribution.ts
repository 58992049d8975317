import type { PrivacyLossDistribution } from '@lethe/core';

/** A law with masses that is computed when it is first asked for anything. */
export function lazyLossDistribution(compute: () => PrivacyLossDistribution): PrivacyLossDistribution {
  let found: PrivacyLossDistribution | undefined;
  const law = (): PrivacyLossDistribution => (found ??= compute());
  return {
    hockeyStick: (epsilon) => law().hockeyStick(epsilon),
    get infinite() { return law().infinite; },
    get support() { return law().support; },
    get grain() { return law().grain ?? 2 ** -44; },
    massesInto: (p, q, edges) => law().massesInto!(p, q, edges),
  };
}
