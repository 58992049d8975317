import type { TrustModel } from '@lethe/core';

/** A trust model in a few words. */
export function trustText(trust: TrustModel): string {
  if (trust.model === 'shuffle') return `shuffle, ${trust.honestUsers.toLocaleString('en')} honest users`;
  if (trust.model === 'federated' && trust.simulatedShares !== undefined)
    return `simulated sums of ${trust.silos} silos, ${trust.simulatedShares} shares counted`;
  if (trust.model === 'federated') return `${trust.silos} silos, ${trust.server} server`;
  if (trust.model === 'secure-aggregation')
    return `secure sums of ${trust.survivors} of ${trust.silos} silos, ${trust.corrupted} corrupted`;
  return trust.model;
}
