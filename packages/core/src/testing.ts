/** What tests and laws of events, queries and samplers need beside the public interface. */
export { canonicalEvent } from './events/canonical.js';
export { eventJsonSchemas } from './events/json-schema.js';
export { anyEventSchema, coreEventSchemas, samplerSpecSchema } from './events/schema.js';
export { queryTable } from './query/examples.js';
export { roomOf } from './query/room.js';
export type { Example, ExampleParts } from './query/row.js';
