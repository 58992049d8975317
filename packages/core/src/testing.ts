/** What tests and laws of curators, ledgers, events and samplers need beside the public interface. */
export { canonicalEvent } from './events/canonical.js';
export { eventJsonSchemas } from './events/json-schema.js';
export { isPartOf } from './events/part-of.js';
export { anyEventSchema, coreEventSchemas, samplerSpecSchema } from './events/schema.js';
export {
  sumsOfStreamLosses,
  verifiedDelta,
  type Exaggeration,
  type StreamLosses,
} from './curator/verification.js';
export { roomOf } from './query/room.js';
export type { Example, ExampleParts } from './query/row.js';
export { table as queryTable } from './query/table.js';
