import { federatedBound } from '@lethe/algorithms';

/** The functions of which the claims speak. */
export interface FederatedSubject {
  readonly bound: (records: number) => number;
}
/** Shipped optimizers. */
export const federatedSubject: FederatedSubject = Object.freeze({ bound: federatedBound });
