import type { Law } from '../../law/law.js';
import { agreedRuns, hostileServers, missedQueries, restoredSilos } from './agreement.js';
import { averages, lies, membership, silence, siloResume } from './joint.js';
import { noiseFactors } from './noise-factors.js';
import { addends, secureAgreements, secureMembership, secureSums } from './secure.js';
import { serverCharges, serverRandomness, serverNoise } from './server-noise.js';

/** Laws of federations: silos, servers that are trusted or not, and agreements. */
export const federationLaws: readonly Law<'federation'>[] = [
  averages,
  lies,
  membership,
  siloResume,
  silence,
  serverNoise,
  serverCharges,
  serverRandomness,
  agreedRuns,
  hostileServers,
  missedQueries,
  restoredSilos,
  noiseFactors,
  addends,
  secureSums,
  secureMembership,
  secureAgreements,
];
