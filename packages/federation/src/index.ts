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
  serveNats,
  subjectOf,
  type NatsConnection,
  type NatsLink,
  type NatsOptions,
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
export {
  siloService,
  type EndedRun,
  type OpenedRun,
  type Proposal,
  type SiloEvent,
  type SiloOptions,
  type SiloService,
} from './silo.js';
export * from './secure-sum/index.js';
