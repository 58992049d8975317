import { InvalidParameter } from '@lethe/core';
import { CST, Lexer, parse } from 'yaml';
import { assertShallow } from './json-text.js';

/** Limits far above any experiment. The parser's time is quadratic in some of these. */
const most = { tokens: 40_000, keys: 2000, references: 100, depth: 64 };

const isReference: ReadonlySet<string> = new Set(['anchor', 'alias', 'tag']);
const opens: ReadonlySet<string> = new Set(['flow-map-start', 'flow-seq-start']);
const closes: ReadonlySet<string> = new Set(['flow-map-end', 'flow-seq-end']);
const indicates: ReadonlySet<string> = new Set(['seq-item-ind', 'explicit-key-ind', 'map-value-ind']);

/**
 * Parses YAML of a user, within limits that bound the time.
 *
 * @param where - Name of the text, for the message.
 * @throws {InvalidParameter} when it is not well-formed, or has too many parts, keys, anchors or levels.
 */
export function parseYaml(text: string, where: string): unknown {
  assertSmall(text, where);
  let content: unknown;
  try {
    content = parse(text, { maxAliasCount: most.references, logLevel: 'error' });
  } catch (error) {
    const [first] = (error as Error).message.split('\n');
    throw new InvalidParameter(`${where} is not well-formed: ${first.replace(/:$/u, '')}`, { where });
  }
  assertShallow(content, where);
  return content;
}

/** Checks the limits on tokens, before parsing. */
function assertSmall(text: string, where: string): void {
  let tokens = 0;
  let keys = 0;
  let references = 0;
  let brackets = 0;
  let inLine = 0;
  let isText = false;
  const atMost = (number: number, limit: number, what: string): void => {
    if (number > limit)
      throw new InvalidParameter(
        `${where} has more than ${limit} ${what}; an experiment is a ` +
          'page or two. Split it, or write it as JSON',
        { where, limit },
      );
  };
  for (const source of new Lexer().lex(text)) {
    const type: string | null = isText ? null : CST.tokenType(source);
    isText = type === 'scalar';
    if (type === 'newline') inLine = 0;
    if (type !== null && opens.has(type)) brackets += 1;
    if (type !== null && closes.has(type)) brackets -= 1;
    if (type !== null && indicates.has(type)) inLine += 1;
    if (type === 'map-value-ind') keys += 1;
    if (type !== null && isReference.has(type)) references += 1;
    tokens += 1;
    atMost(tokens, most.tokens, 'parts');
    atMost(keys, most.keys, 'keys');
    atMost(references, most.references, 'anchors, aliases and tags');
    atMost(brackets, most.depth, 'levels');
    if (brackets === 0) atMost(inLine, most.depth, 'levels in one line');
  }
}
