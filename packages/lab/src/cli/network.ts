import type { NatsOptions } from '@lethe/federation';
import type { Context, Parsed } from './command.js';

interface Network {
  /** Addresses of the NATS server. */
  readonly servers: string;
  /** Where the address comes from, for who has to correct it. */
  readonly from: string;
  /** Shown in the server's list of connections. */
  readonly name: string;
}

/** The NATS server that a command names, how it is reached, and what is said while it is waited for. */
export const networkOf = (
  parsed: Parsed,
  { servers, from, name }: Network,
  { error, signal }: Pick<Context, 'error' | 'signal'>,
): NatsOptions => ({
  servers,
  name,
  token: parsed.string('token'),
  nkeyFile: parsed.string('nkey'),
  caFile: parsed.string('ca'),
  certFile: parsed.string('client-cert'),
  keyFile: parsed.string('client-key'),
  signal,
  onWait: () => {
    error(`No NATS server answers at ${servers} (${from}); it is tried again. Ctrl-C stops.\n`);
  },
});
