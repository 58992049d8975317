export { networkSums, type NetworkSumsOptions } from './network-sums.js';
export { secureSum, unmask, type Collected, type SecureSum, type SumPeer } from './server.js';
export {
  signedRounds,
  sumSilo,
  type Box,
  type Revealed,
  type SignedKey,
  type SignedRounds,
  type SumName,
  type SumSilo,
  type SumSiloOptions,
} from './silo.js';
