import type { TrustModel } from '@lethe/core';
import { InvalidParameter } from '@lethe/numerics';

/** Trust models of several silos. */
export type JointTrust = Extract<TrustModel, { readonly model: 'federated' | 'secure-aggregation' }>;
/** That of silos whose sums are secure. */
export type SecureTrust = Extract<TrustModel, { readonly model: 'secure-aggregation' }>;

/** Whether a run has a data set for each of several silos. */
export const isJoint = (trust: TrustModel): trust is JointTrust =>
  trust.model === 'federated' || trust.model === 'secure-aggregation';

/** H: shares of noise that count, those of the silos of a sum which side with nobody. */
export const countedShares = ({ survivors, corrupted }: SecureTrust): number => survivors - corrupted;

/**
 * The trust model of secure sums.
 *
 * @throws {InvalidParameter} unless M ≥ 2 silos are whole, 0 ≤ C < M, and `⌊(M + C)/2⌋ + 1 ≤ m ≤ M`, with
 * which at most one set of survivors of a sum is agreed to.
 */
export function secureTrust({ silos, corrupted, survivors }: Omit<SecureTrust, 'model'>): SecureTrust {
  const least = Math.floor((silos + corrupted) / 2) + 1;
  const isWithin = (value: number, low: number, high: number): boolean =>
    Number.isSafeInteger(value) && value >= low && value <= high;
  if (!isWithin(silos, 2, 255))
    throw new InvalidParameter(`a secure sum has 2 to 255 silos, not ${silos}`, { silos });
  if (!isWithin(corrupted, 0, silos - 1))
    throw new InvalidParameter(
      `of ${silos} silos ${corrupted} may side with the server; give a whole number from 0 to ${silos - 1}`,
      { silos, corrupted },
    );
  if (!isWithin(survivors, least, silos))
    throw new InvalidParameter(
      `a sum of ${silos} silos, of which ${corrupted} may side with the server, has ${least} to ${silos} ` +
        `survivors at least, not ${survivors}`,
      { survivors, least },
    );
  return Object.freeze({ model: 'secure-aggregation' as const, silos, corrupted, survivors });
}

/** What certificates of a silo assume of those who see more than it releases. */
export function assumptionsOf(trust: TrustModel): readonly string[] {
  if (trust.model === 'secure-aggregation') return ['honest-silos', 'computational'];
  if (trust.model !== 'federated' || trust.server !== 'trusted') return [];
  return [trust.simulatedShares === undefined ? 'trusted-server' : 'simulated-sums'];
}

/** What the trust model of silos and their server has beside their number. */
export interface ServerTerms {
  /** Of all silos in averages; they add up to 1. @defaultValue all equal */
  readonly weights?: readonly number[] | undefined;
  /**
   * In simulations of secure sums: by how many shares of the noise each silo is thought to add. A trusted
   * server then has √(M/H) times as much. @defaultValue one noise of the server
   */
  readonly simulatedShares?: number | undefined;
}

/**
 * The trust model of silos and their server.
 *
 * @throws {InvalidParameter} unless the shares are 1 to M, and the server is trusted.
 */
export function federatedTrust(
  server: 'trusted' | 'untrusted',
  silos: number,
  { weights, simulatedShares: shares }: ServerTerms,
): Extract<TrustModel, { readonly model: 'federated' }> {
  if (
    shares !== undefined &&
    !(server === 'trusted' && Number.isSafeInteger(shares) && shares >= 1 && shares <= silos)
  )
    throw new InvalidParameter(
      `simulatedShares is ${shares}; of ${silos} silos whose server is trusted give a whole number from 1 ` +
        `to ${silos}`,
      { simulatedShares: shares, silos, server },
    );
  return Object.freeze({
    model: 'federated' as const,
    silos,
    server,
    ...(weights === undefined ? {} : { weights: Object.freeze([...weights]) }),
    ...(shares === undefined ? {} : { simulatedShares: shares }),
  });
}
