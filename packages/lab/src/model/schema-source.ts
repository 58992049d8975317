import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { basename, extname, join, dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { InvalidParameter } from '@lethe/core';
import { nearestName } from '@lethe/numerics';
import { parseSchema, type ParsedSchema, type TrainingSchema } from '@lethe/train';
import { stringify } from 'yaml';
import { contentIn, textOf } from '../experiment/read.js';
import {
  columnFrom,
  columnGrammar,
  labelFrom,
  labelGrammar,
  skipped,
  type ColumnInput,
  type LabelInput,
} from './column-words.js';
import type { FileForm } from './file-form.js';
import { headerOf } from './header.js';

/** The column of owners, and how many of one owner's records count. */
export interface OwnerGiven {
  readonly column: string;
  readonly most?: number;
}

/** Where the schema of a training comes from. */
export interface SchemaRequest {
  /** Path of the records. */
  readonly data: string;
  readonly form: FileForm;
  /** Path of a schema file. */
  readonly file: string | undefined;
  /** Column of the label. */
  readonly label: string | undefined;
  /** What the label is, in words. */
  readonly target: string | undefined;
  /** `NAME=WORDS` for each column. */
  readonly columns: readonly string[];
  /** Whose the records are, where the command says so. */
  readonly owner: OwnerGiven | undefined;
  /** Asks the user; `null` where there is nobody to ask. */
  readonly ask: ((question: string) => Promise<string>) | null;
  /** Tells the user something. */
  say(text: string): void;
}

/** A schema, and where it should be kept for the next time. */
export interface FoundSchema {
  readonly schema: ParsedSchema;
  /** Columns of the file that the model does not use; `null` where the names are not known. */
  readonly unused: readonly string[] | null;
  /** Path and text of a schema file that should be written, where one was put together. */
  readonly write: { readonly path: string; readonly text: string } | null;
  /** Whether the user was asked, and should not be asked again. */
  readonly asked: boolean;
}

/** The schema file that belongs to a file of records, or to one of its labels. */
export function schemaPathOf(data: string, label?: string): string {
  const stem = basename(data, extname(data));
  if (label === undefined) return join(dirname(data), `${stem}.schema.yaml`);
  const name = label.replaceAll(/[^\p{L}\p{N}_-]/gu, '-');
  // Labels that are written alike have files of their own: 'a b' and 'a-b'.
  const mark = name === label ? '' : `-${createHash('sha256').update(label).digest('hex').slice(0, 8)}`;
  return join(dirname(data), `${stem}.${name}${mark}.schema.yaml`);
}

/**
 * The schema of a training: from a file, from the command line, and by asking for what is left. Bounds and
 * lists are never read from the records; of the records' file only its first line, with the names of columns,
 * is read.
 *
 * @throws {InvalidParameter} that lists all that is missing or wrong.
 */
export async function findSchema(request: SchemaRequest): Promise<FoundSchema> {
  const { data, form, file, label, target, columns, ask } = request;
  const names = headerOf(data, form, label === undefined ? undefined : [label]);
  if (label !== undefined && names?.includes(label) === false)
    throw new InvalidParameter(`--label: ${absent(label, names)}`, { label });
  const usual = schemaPathOf(data);
  const ofLabel = schemaPathOf(data, label);
  const path = file ?? [ofLabel, usual].find((each) => existsSync(each));
  const given = columnsGiven(columns, names);
  const stored = path === undefined ? undefined : (contentIn(textOf(path), path) as TrainingSchema);
  // The columns of another label's schema are declared already.
  const other = file === undefined && label !== undefined ? otherLabel(stored, label, names) : undefined;
  const described = { ...other, ...given };
  if (other !== undefined) request.say(`columns: ${path}\n`);
  if (path !== undefined && other === undefined) {
    request.say(`schema: ${path}\n`);
    const schema = ownedBy(stored as TrainingSchema, request.owner, path);
    assertLabelled(schema, label, path);
    const changed = amended(stored as TrainingSchema, target, given);
    if (changed !== null) request.say('  changed by --column and --target\n');
    const used = changed === null ? schema : ownedBy(changed, request.owner, path);
    assertThere(used, names);
    const write = changed === null || file !== undefined ? null : { path, text: schemaText(data, changed) };
    return { schema: used, unused: unusedOf(used, names), write, asked: false };
  }
  if (label === undefined)
    throw new InvalidParameter(
      'there is no label; say which column is to be predicted with --label NAME, or give --schema FILE',
      {},
    );
  const { owner } = request;
  if (owner !== undefined && names !== null && !names.includes(owner.column))
    throw new InvalidParameter(`--owner: ${absent(owner.column, names)}`, { owner: owner.column });
  // A column without a name, such as the index that pandas writes, cannot be described, and is not used.
  const missing = (names ?? []).filter(
    (name) => name !== '' && name !== label && name !== owner?.column && !Object.hasOwn(described, name),
  );
  const own = ask === null || (missing.length === 0 && target !== undefined) ? described : await answers();
  const wanted = target ?? (ask === null ? undefined : await askLabel(label, ask, request.say));
  const write = other === undefined ? usual : ofLabel;
  assertComplete({ missing: ask === null ? missing : [], wanted, label, write });
  const found = labelIn(label, wanted ?? '');
  const kept = Object.entries(own).flatMap(([name, one]) => (one === skipped ? [] : [[name, one] as const]));
  const input: TrainingSchema = {
    label: found,
    columns: Object.fromEntries(kept),
    ...(owner === undefined ? {} : { owner }),
  };
  const schema = parseSchema(input);
  return {
    schema,
    unused: unusedOf(schema, names),
    write: { path: write, text: schemaText(data, input) },
    asked: ask !== null && (own !== described || target === undefined),
  };

  async function answers(): Promise<Described> {
    const all = { ...described };
    if (missing.length > 0)
      request.say(
        `\nWhat do the columns hold? Answers are public: do not take them from the records.\n` +
          `Write ${columnGrammar}.\n\n`,
      );
    for (const name of missing) {
      for (;;) {
        const column = columnFrom(await (ask as NonNullable<typeof ask>)(`  ${name}: `));
        if (column === skipped || !('problem' in column)) {
          all[name] = column;
          break;
        }
        request.say(`    ${column.problem}\n`);
      }
    }
    return all;
  }
}

/** The text of the schema file of some records. */
const schemaText = (data: string, schema: TrainingSchema): string =>
  `# What the columns of ${basename(data)} hold. All of it is public: bounds and lists are ` +
  `declared,\n# and are not read from the records. Columns that are not named are not ` +
  `used.\n${stringify(schema, { compat: 'yaml-1.1' })}`;

/** The label in the words of `--target`. @throws {InvalidParameter} when they cannot be read. */
function labelIn(column: string, words: string): LabelInput {
  const found = labelFrom(column, words);
  if ('problem' in found) throw new InvalidParameter(`--target: ${found.problem}`, { label: column });
  return found;
}

/** A schema with what the command says in place of what it says; `null` where that changes nothing. */
function amended(
  stored: TrainingSchema,
  target: string | undefined,
  given: Described,
): TrainingSchema | null {
  const { column } = stored.label;
  const columns = Object.entries({ ...stored.columns, ...given }).flatMap(([name, one]) =>
    one === skipped ? [] : [[name, one] as const],
  );
  const label = target === undefined ? stored.label : labelIn(column, target);
  const changed: TrainingSchema = { ...stored, label, columns: Object.fromEntries(columns) };
  return isDeepStrictEqual(parseSchema(changed), parseSchema(stored)) ? null : changed;
}

/**
 * The schema of a file, with the owner that the command names.
 *
 * @throws {InvalidParameter} where the file names another.
 */
function ownedBy(given: TrainingSchema, owner: OwnerGiven | undefined, path: string): ParsedSchema {
  const own = parseSchema(given);
  if (owner === undefined) return own;
  const schema = parseSchema({ ...given, owner: { ...own.owner, ...owner } });
  if (own.owner === undefined) return schema;
  if (own.owner.column === owner.column && own.owner.most === (owner.most ?? own.owner.most)) return own;
  throw new InvalidParameter(
    `--owner says '${owner.column}', and ${path} '${own.owner.column}' with ${own.owner.most} records ` +
      'of one owner; leave --owner out, or change the schema',
    { owner: owner.column },
  );
}

async function askLabel(
  label: string,
  ask: (question: string) => Promise<string>,
  say: (text: string) => void,
): Promise<string> {
  say(`\nWhat is '${label}'? Write ${labelGrammar}.\n\n`);
  for (;;) {
    const words = await ask(`  ${label}: `);
    const found = labelFrom(label, words);
    if (!('problem' in found)) return words;
    say(`    ${found.problem}\n`);
  }
}

type Described = Record<string, ColumnInput | typeof skipped>;

/**
 * What a schema of another label says of the columns of a file; what it does not name is left out, but for
 * its label. `undefined` for a schema of this label, or one that cannot be read.
 */
function otherLabel(
  stored: TrainingSchema | undefined,
  label: string,
  names: readonly string[] | null,
): Described | undefined {
  const own = stored?.label?.column;
  if (stored === undefined || typeof own !== 'string' || own === label) return undefined;
  if (names?.includes(label) !== true) return undefined;
  const parsed = parseSchema(stored);
  return Object.fromEntries(
    names
      .filter((name) => name !== label && name !== own)
      .map((name) => [name, parsed.columns[name] === undefined ? skipped : stored.columns[name]]),
  );
}

/** Columns of `--column`. @throws {InvalidParameter} that lists every one that cannot be read. */
function columnsGiven(given: readonly string[], names: readonly string[] | null): Described {
  const mistakes: string[] = [];
  const out: Described = {};
  for (const one of given) {
    const at = one.indexOf('=');
    const name = one.slice(0, at).trim();
    if (at < 1) mistakes.push(`--column '${one}' has no name; write it as NAME=18..90`);
    else if (Object.hasOwn(out, name)) mistakes.push(`--column ${name} is given twice; leave one out`);
    else if (names !== null && !names.includes(name))
      mistakes.push(`--column ${name}: ${absent(name, names)}`);
    else {
      const column = columnFrom(one.slice(at + 1));
      if (column !== skipped && 'problem' in column) mistakes.push(`--column ${name}: ${column.problem}`);
      else out[name] = column;
    }
  }
  if (mistakes.length > 0) throw new InvalidParameter(mistakes.join('\n'), { mistakes: mistakes.length });
  return out;
}

function absent(name: string, names: readonly string[]): string {
  const meant = nearestName(name, names);
  return (
    'there is no column ' +
    `'${name}'${meant === undefined ? `; there are ${names.join(', ')}` : `; is '${meant}' meant?`}`
  );
}

interface Completeness {
  readonly missing: readonly string[];
  readonly wanted: string | undefined;
  readonly label: string;
  /** Path at which the schema is looked for. */
  readonly write: string;
}

/** Without anybody to ask, everything that is missing is listed, with what can be pasted. */
function assertComplete({ missing, wanted, label, write }: Completeness): void {
  if (missing.length === 0 && wanted !== undefined) return;
  const lines = [
    'the schema is incomplete: public bounds and lists are declared, never read from the records. Add',
    ...(wanted === undefined ? [`  --target WORDS       what '${label}' is: ${labelGrammar}`] : []),
    ...missing.map((name) => `  --column '${name}=WORDS'`),
    ...(missing.length === 0 ? [] : [`  where WORDS are ${columnGrammar}`]),
    `or write them to ${write}, or run it on a terminal, where it asks`,
  ];
  throw new InvalidParameter(lines.join('\n'), { columns: missing });
}

function assertLabelled({ label }: ParsedSchema, wanted: string | undefined, path: string): void {
  if (wanted === undefined || wanted === label.column) return;
  throw new InvalidParameter(
    `--label is '${wanted}', the label of ${path} is '${label.column}'; leave --label out, ` +
      'or give another --schema',
    { label: wanted },
  );
}

function assertThere({ columns, label, owner }: ParsedSchema, names: readonly string[] | null): void {
  if (names === null) return;
  const stray = [
    ...Object.keys(columns),
    label.column,
    ...(owner === undefined ? [] : [owner.column]),
  ].filter((name) => !names.includes(name));
  if (stray.length > 0)
    throw new InvalidParameter(stray.map((name) => absent(name, names)).join('\n'), { columns: stray });
}

const unusedOf = (
  { columns, label, owner }: ParsedSchema,
  names: readonly string[] | null,
): readonly string[] | null =>
  names === null
    ? null
    : names.filter(
        (name) => name !== label.column && name !== owner?.column && !Object.hasOwn(columns, name),
      );
