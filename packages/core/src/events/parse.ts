import { InvalidParameter, parseOrThrow, Unsupported } from '@lethe/numerics';
import type { EventKind } from '../plugins/event.js';
import { anyEventSchema, coreEventSchemas, type CoreEventKind, type PrivacyEvent } from './schema.js';

/** Limits on nesting and parts, above what any run produces. They guard against hostile input only. */
const maximalDepth = 64;
const maximalParts = 1e6;

/**
 * Parses an event from JSON. Each nested event is checked by the schema of its kind.
 *
 * @param kinds - Event kinds beyond `core/*`, defined by plugins.
 * @throws {InvalidParameter} with the path of the invalid part, or when there are too many parts or runs.
 * @throws {Unsupported} when a kind, or its version, is unknown.
 */
export function parseEvent(input: unknown, kinds: readonly EventKind[] = []): PrivacyEvent {
  const parsed = new Map<unknown, Parsed>();
  const parse: Parse = (inner, path) => {
    const known = parsed.get(inner);
    if (known !== undefined) return known;
    const fresh = parseAt(inner, kinds, path, parse);
    parsed.set(inner, fresh);
    return fresh;
  };
  return parse(input, []).event;
}

/** An event with its depth, its number of parts, and its number of runs. Shared parts are parsed once. */
interface Parsed {
  readonly event: PrivacyEvent;
  readonly depth: number;
  readonly parts: number;
  readonly runs: number;
}
type Parse = (input: unknown, path: readonly string[]) => Parsed;

function parseAt(input: unknown, kinds: readonly EventKind[], path: readonly string[], parse: Parse): Parsed {
  const where = path.length === 0 ? 'event' : `event at ${path.join('.')}`;
  if (path.length > maximalDepth) throw tooDeep(path);
  const head = parseOrThrow(anyEventSchema, input, where);
  const schema =
    head.kind in coreEventSchemas
      ? coreEventSchemas[head.kind as CoreEventKind]
      : kinds.find((k) => k.name === head.kind && k.version === head.v)?.schema;
  if (schema === undefined || (head.kind.startsWith('core/') && head.v !== 1)) {
    const known = [...Object.keys(coreEventSchemas), ...kinds.map((k) => k.name)];
    throw new Unsupported(
      `${where}: no event kind '${head.kind}' version ${head.v}; known are ${known.join(', ')}, ` +
        "those of core in version 1; pass the plugin that defines another in 'kinds'",
      { kind: head.kind, v: head.v, known },
    );
  }
  let [depth, parts, runs] = [0, 1, 0];
  const event = mapNested(
    parseOrThrow(schema, input, where) as PrivacyEvent,
    input as Fields,
    (inner, step, count) => {
      const nested = parse(inner, [...path, ...step]);
      depth = Math.max(depth, nested.depth + step.length);
      parts += nested.parts;
      runs += count * nested.runs;
      return nested.event;
    },
  );
  if (depth > maximalDepth) throw tooDeep(path);
  if (parts > maximalParts)
    throw new InvalidParameter(
      `${where} has more than ${maximalParts} parts; write equal parts once, with a count`,
      { path },
    );
  // Larger counts are not exact in doubles and could round to a smaller cost.
  if (runs > Number.MAX_SAFE_INTEGER)
    throw new InvalidParameter(
      `${where} stands for more than 2^53 runs, counts multiplied; lower the counts`,
      { path },
    );
  return { event, depth, parts, runs: Math.max(1, runs) };
}

const tooDeep = (path: readonly string[]): InvalidParameter =>
  new InvalidParameter('event is nested too deeply; flatten it with counts', { path });

type Mapper = (inner: unknown, step: readonly string[], count: number) => PrivacyEvent;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Maps the nested events of a core event. They come from the input rather than from the schema's output,
 * because the schema copies a shared part into several objects. Plugin kinds count as leaves.
 */
function mapNested(event: PrivacyEvent, fields: Fields, map: Mapper): PrivacyEvent {
  switch (event.kind) {
    case 'core/compose':
      return {
        ...event,
        parts: (fields['parts'] as readonly { event: unknown; count: number }[]).map((part, i) => ({
          ...part,
          event: map(part.event, ['parts', `${i}`], part.count),
        })),
      } as PrivacyEvent;
    case 'core/parallel':
      return {
        ...event,
        parts: (fields['parts'] as readonly unknown[]).map((part, i) => map(part, ['parts', `${i}`], 1)),
      } as PrivacyEvent;
    case 'core/sampled':
    case 'core/failing':
    case 'core/group':
      return { ...event, event: map(fields['event'], ['event'], 1) } as PrivacyEvent;
    case 'core/selection':
    case 'core/negative-binomial-selection':
    case 'core/poisson-selection':
      return { ...event, base: map(fields['base'], ['base'], 1) } as PrivacyEvent;
    case 'core/filtered':
      return { ...event, limit: map(fields['limit'], ['limit'], 1) } as PrivacyEvent;
    default:
      return event;
  }
}
