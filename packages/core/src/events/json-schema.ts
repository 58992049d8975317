import { z } from 'zod';
import type { Json } from '../json.js';
import { coreEventSchemas, type CoreEventKind } from './schema.js';

/** JSON Schema (2020-12) of every event kind of core, version 1, by kind: for tools that are not written in TypeScript. */
export function eventJsonSchemas(): Readonly<Record<CoreEventKind, Json>> {
  const entries = Object.entries(coreEventSchemas).map(([kind, schema]) => [kind, z.toJSONSchema(schema, { io: 'input' }) as Json] as const);
  return Object.fromEntries(entries) as Record<CoreEventKind, Json>;
}
