export {
  identityFile,
  identityFrom,
  newIdentity,
  publicIdentity,
  type Identity,
  type PublicIdentity,
} from './identity.js';
export {
  connectNats,
  natsLink,
  natsPoints,
  pointsSubjectOf,
  serveNats,
  subjectOf,
  type NatsConnection,
  type NatsLink,
  type NatsOptions,
  type NatsPoints,
} from './nats.js';
export {
  isAggregatorTrusted,
  isSecure,
  readPlan,
  sealedPlan,
  sumsOf,
  type FederatedPlan,
  type SealedPlan,
} from './plan.js';
export { pointsForAll, type PointsForAll } from './points-for-all.js';
export { refusal, refusalOf, type RefusalCode } from './refusal.js';
export {
  endAtSilo,
  meetSilo,
  remoteAddendSilo,
  remoteRawSilo,
  remoteSilo,
  type Outgoing,
  type RemoteAddendSilo,
  type RemoteRawSilo,
  type RemoteSilo,
  type RemoteSiloOptions,
  type SiloIntroduction,
  type Traffic,
} from './remote-silo.js';
export { toldBySiloLog } from './silo-log.js';
export type { EndedRun, SiloEvent } from './silo-event.js';
export { siloService, type OpenedRun, type Proposal, type SiloOptions, type SiloService } from './silo.js';
export * from './secure-sum/index.js';
