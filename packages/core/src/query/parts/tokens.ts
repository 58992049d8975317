import type { Batch, Stream } from '../basics.js';
import { nullable, number, oneOf, record, text, type Schema } from '../schema.js';

/** A batch by its token. Only its name counts: what it claims of itself is not believed. */
export const batch = record({ id: text, normaliser: number, size: oneOf('exact', 'hidden'), scope: nullable(text) }) as Schema<Batch>;
/** A stream by its token. */
export const stream = record({ id: text }) as Schema<Stream>;
