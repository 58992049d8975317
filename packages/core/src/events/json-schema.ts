import * as z from 'zod';
import type { Json } from '../json.js';
import { coreEventSchemas, type CoreEventKind } from './schema.js';

/** JSON Schema (2020-12) of each core event kind, version 1, for tools in other languages. */
export function eventJsonSchemas(): Readonly<Record<CoreEventKind, Json>> {
  const entries = Object.entries(coreEventSchemas).map(
    ([kind, schema]) => [kind, z.toJSONSchema(schema, { io: 'input' }) as Json] as const,
  );
  return Object.fromEntries(entries) as Record<CoreEventKind, Json>;
}
