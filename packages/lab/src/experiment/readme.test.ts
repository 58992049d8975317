import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { experimentSchema } from './schema.js';

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
}

/** Names of all fields, and the words that may stand in them. */
function wordsOf({
  properties = {},
  items,
  anyOf = [],
  oneOf = [],
  enum: choices = [],
  const: only,
}: Schema): string[] {
  const inner = [...Object.values(properties), ...(items === undefined ? [] : [items]), ...anyOf, ...oneOf];
  return [
    ...Object.keys(properties),
    ...[...choices, only].filter((word) => typeof word === 'string'),
    ...inner.flatMap(wordsOf),
  ];
}

it('every field of the format, and every word that may stand in one, is in the README', () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const named = new Set(/## Experiment files[^]*?(?=\n## )/u.exec(readme)?.[0].match(/(?<=`)[^`\n]+(?=`)/gu));
  const words = [...new Set(wordsOf(z.toJSONSchema(experimentSchema, { io: 'input' }) as Schema))];
  expect(words.length).toBeGreaterThan(60);
  expect(words.filter((word) => !named.has(word))).toEqual([]);
});
