import type { NatsOptions } from '@lethe/federation';
import type { Parsed } from './command.js';

/** The NATS server that a command names, and how it is reached. */
export const networkOf = (parsed: Parsed, servers: string, name: string): NatsOptions => ({
  servers,
  name,
  token: parsed.string('token'),
  nkeyFile: parsed.string('nkey'),
  caFile: parsed.string('ca'),
  certFile: parsed.string('client-cert'),
  keyFile: parsed.string('client-key'),
});
