/** Curators of several silos, what their runs agree to and cost, and a link that carries their queries. */
export { agreedPart, agreementFor, type AgreedPart, type Agreement } from './curator/federation/agreement.js';
export { pointsOf } from './curator/federation/held-query.js';
export {
  federation,
  trustedFederation,
  type FederationOptions,
  type TrustedFederationOptions,
} from './curator/federation/federation.js';
export {
  addendSilo,
  type AddendSilo,
  type AddendSiloOptions,
  type OpenAddendSilo,
} from './curator/federation/addend-silo.js';
export { secureFederation, type SecureFederationOptions } from './curator/federation/secure-federation.js';
export type { SecureSums } from './curator/federation/secure-sums.js';
export {
  assumptionsOf,
  countedShares,
  isJoint,
  secureTrust,
  type JointTrust,
  type SecureTrust,
} from './curator/federation/trust.js';
export type { RoundOfSums, SiloSum } from './curator/federation/sum-decoder.js';
export {
  rawSilo,
  type OpenRawSilo,
  type RawSilo,
  type RawSiloOptions,
} from './curator/federation/raw-silo.js';
export {
  heldAddendSilo,
  heldRawSilo,
  siloCurator,
  type HeldAddendSilo,
  type HeldRawSilo,
  type HeldSilo,
  type SiloCurator,
  type SiloCuratorOptions,
  type SiloPlace,
} from './curator/federation/silo-curator.js';
export {
  linkedCurator,
  serveLink,
  withRetries,
  type Link,
  type RetryOptions,
  type ServeLinkOptions,
} from './remote/link.js';
export { publishedEvent, type Published } from './events/published.js';
