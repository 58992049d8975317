import type { Batch, Stream } from '../basics.js';
import { nullable, number, oneOf, openRecord, text, type Schema } from '../schema.js';

/**
 * A batch by its token. Only its id counts; a curator ignores
 * all other fields.
 */
export const batch = openRecord({
  id: text,
  normaliser: number,
  size: oneOf('exact', 'hidden'),
  scope: nullable(text),
}) as Schema<Batch>;
/** A stream by its token. */
export const stream = openRecord({ id: text }) as Schema<Stream>;
