import { InvalidParameter, parseOrThrow, Unsupported } from '../errors.js';
import type { EventKind } from '../plugins/event.js';
import { anyEventSchema, coreEventSchemas, type CoreEventKind, type PrivacyEvent } from './schema.js';

/** Deeper nesting than any run can produce; a guard against hostile input, not a limit of the mathematics. */
const maximalDepth = 64;

/**
 * Reads an event from JSON, checking every nested event by the schema of its kind.
 *
 * @param kinds - Event kinds beyond `core/*`, as defined by plugins.
 * @throws {InvalidParameter} with the path of the offending part.
 * @throws {Unsupported} when a kind, or its version, is unknown.
 */
export function parseEvent(input: unknown, kinds: readonly EventKind[] = []): PrivacyEvent {
  return parseAt(input, kinds, []);
}

function parseAt(input: unknown, kinds: readonly EventKind[], path: readonly string[]): PrivacyEvent {
  const where = path.length === 0 ? 'event' : `event at ${path.join('.')}`;
  if (path.length > maximalDepth) throw new InvalidParameter(`event is nested too deeply; flatten it with counts`, { path });
  const head = parseOrThrow(anyEventSchema, input, where);
  const schema = head.kind in coreEventSchemas ? coreEventSchemas[head.kind as CoreEventKind] : kinds.find((k) => k.name === head.kind && k.version === head.v)?.schema;
  if (schema === undefined || (head.kind.startsWith('core/') && head.v !== 1)) {
    const known = [...Object.keys(coreEventSchemas), ...kinds.map((k) => k.name)];
    throw new Unsupported(`${where}: no event kind '${head.kind}' version ${head.v}; known are ${known.join(', ')}`, { kind: head.kind, v: head.v, known });
  }
  const event = parseOrThrow(schema, input, where) as PrivacyEvent;
  return mapNested(event, (inner, step) => parseAt(inner, kinds, [...path, ...step]));
}

type Mapper = (inner: unknown, step: readonly string[]) => PrivacyEvent;

/** Replaces the events inside a core event; plugins' kinds are leaves to core. */
function mapNested(event: PrivacyEvent, map: Mapper): PrivacyEvent {
  const fields = event as unknown as Readonly<Record<string, unknown>>;
  switch (event.kind) {
    case 'core/compose':
      return { ...event, parts: (fields['parts'] as readonly { event: unknown; count: number }[]).map((part, i) => ({ ...part, event: map(part.event, ['parts', `${i}`]) })) } as PrivacyEvent;
    case 'core/parallel':
      return { ...event, parts: (fields['parts'] as readonly unknown[]).map((part, i) => map(part, ['parts', `${i}`])) } as PrivacyEvent;
    case 'core/sampled': case 'core/failing':
      return { ...event, event: map(fields['event'], ['event']) } as PrivacyEvent;
    case 'core/selection': return { ...event, base: map(fields['base'], ['base']) } as PrivacyEvent;
    case 'core/filtered': return { ...event, limit: map(fields['limit'], ['limit']) } as PrivacyEvent;
    default: return event;
  }
}
