import type { Option } from '../command.js';

/** How a NATS server is reached. */
export const networkOptions: Readonly<Record<string, Option>> = {
  token: { type: 'string', value: 'T', help: 'token that the NATS server asks for' },
  nkey: {
    type: 'string',
    value: 'FILE',
    help: 'file with the seed of an nkey that the NATS server asks for',
  },
  ca: {
    type: 'string',
    value: 'FILE',
    help: 'TLS: PEM file of the authority of the NATS server’s certificate',
  },
  'client-cert': { type: 'string', value: 'FILE', help: 'TLS: PEM file of this side’s certificate' },
  'client-key': { type: 'string', value: 'FILE', help: 'TLS: PEM file of its key' },
};
