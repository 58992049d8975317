// Parameters of a plugin as a Markdown table, from the JSON Schema of its zod schema.
import { describePlugin } from '../../packages/core/dist/index.js';

/**
 * What is read of a JSON Schema.
 *
 * @typedef {{
 *   readonly $ref?: string,
 *   readonly type?: string,
 *   readonly const?: unknown,
 *   readonly enum?: readonly unknown[],
 *   readonly anyOf?: readonly Schema[],
 *   readonly oneOf?: readonly Schema[],
 *   readonly allOf?: readonly Schema[],
 *   readonly items?: Schema,
 *   readonly properties?: Readonly<Record<string, Schema>>,
 *   readonly required?: readonly string[],
 *   readonly default?: unknown,
 *   readonly description?: string,
 *   readonly pattern?: string,
 *   readonly minimum?: number,
 *   readonly exclusiveMinimum?: number,
 *   readonly maximum?: number,
 *   readonly exclusiveMaximum?: number,
 * }} Schema
 * @typedef {{ readonly at: string, readonly value: string, readonly initial: unknown, readonly meaning: string }} Row
 */

/**
 * Name, source and parameters of a plugin as Markdown.
 *
 * @param {import('@lethe/core').Plugin} plugin
 */
export function parametersOf(plugin) {
  const { kind, name, source, params } = describePlugin(plugin);
  const schema = /** @type {Schema} */ (params);
  const rows = rowsOf(schema, schema);
  return [
    `The ${kind} \`${name}\` (${source.id}, ${source.item}).`,
    rows.length === 0
      ? 'It has no parameters.'
      : [
          '| parameter | value | default | meaning |',
          '|---|---|---|---|',
          ...rows.map(
            ({ at, value, initial, meaning }) =>
              `| ${[code(at), cell(value), initialText(initial), cell(meaning)].join(' | ')} |`,
          ),
        ].join('\n'),
  ].join('\n\n');
}

/** @param {unknown} value */
const initialText = (value) => (value === undefined ? '' : code(JSON.stringify(value)));
/** @param {string} text */
const cell = (text) => text.replaceAll('|', '\\|').replaceAll('\n', ' ').replaceAll('<', '&lt;');
/** @param {string} text */
const code = (text) => `\`${text.replaceAll('|', '\\|')}\``;

/**
 * @param {Schema} schema
 * @param {Schema} whole
 * @returns {readonly Row[]}
 */
function rowsOf(schema, whole, prefix = '') {
  const { properties = {}, required = [] } = resolved(schema, whole);
  return Object.entries(properties).flatMap(([key, given]) => {
    const one = resolved(given, whole);
    const at = prefix + key;
    const isNeeded = required.includes(key) || one.default !== undefined;
    const value = `${valueText(one, whole)}${isNeeded ? '' : ', optional'}`;
    const own = { at, value, initial: one.default, meaning: one.description ?? '' };
    return [own, ...(one.properties === undefined ? [] : rowsOf(one, whole, `${at}.`))];
  });
}

/**
 * @param {Schema} schema
 * @param {Schema} whole
 * @returns {Schema}
 */
function resolved({ $ref, ...rest }, whole) {
  if ($ref === undefined) return rest;
  const path = $ref === '#' ? [] : $ref.slice(2).split('/');
  const target = path.reduce(
    (at, key) => /** @type {Record<string, unknown>} */ (at)[key],
    /** @type {unknown} */ (whole),
  );
  return { ...resolved(/** @type {Schema} */ (target), whole), ...rest };
}

/**
 * What a value may be, in words.
 *
 * @param {Schema} given
 * @param {Schema} whole
 * @returns {string}
 */
function valueText(given, whole) {
  const schema = resolved(given, whole);
  /** @param {readonly Schema[]} parts @param {string} word */
  const joined = (parts, word) => [...new Set(parts.map((one) => valueText(one, whole)))].join(` ${word} `);
  if (schema.const !== undefined) return code(JSON.stringify(schema.const));
  if (schema.enum !== undefined) return schema.enum.map((one) => code(JSON.stringify(one))).join(' or ');
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return joined(choices, 'or');
  if (schema.allOf !== undefined) return joined(schema.allOf, 'and');
  if (schema.type === 'array') return `list of ${valueText(schema.items ?? {}, whole)}`;
  if (schema.type === 'number' || schema.type === 'integer') return numberText(schema);
  if (schema.type === 'string') return schema.pattern === undefined ? 'text' : 'text of one form';
  if (schema.type === 'boolean') return '`true` or `false`';
  if (schema.type === 'object' && schema.properties !== undefined)
    return objectText(schema.properties, whole);
  return schema.type ?? 'any value';
}

/**
 * @param {Readonly<Record<string, Schema>>} properties
 * @param {Schema} whole
 */
function objectText(properties, whole) {
  const names = Object.entries(properties).map(([key, one]) => {
    const { const: only } = resolved(one, whole);
    return only === undefined ? key : `${key}: ${JSON.stringify(only)}`;
  });
  return code(`{ ${names.join(', ')} }`);
}

/** Whole numbers of JSON are within these by default. */
const widest = Number.MAX_SAFE_INTEGER;

/** @param {Schema} schema */
function numberText({ type, minimum, exclusiveMinimum, maximum, exclusiveMaximum }) {
  const bounds = [
    minimum === undefined || minimum <= -widest ? null : `≥ ${minimum}`,
    exclusiveMinimum === undefined ? null : `> ${exclusiveMinimum}`,
    maximum === undefined || maximum >= widest ? null : `≤ ${maximum}`,
    exclusiveMaximum === undefined ? null : `< ${exclusiveMaximum}`,
  ].filter((bound) => bound !== null);
  return [type === 'integer' ? 'whole number' : 'number', ...bounds].join(' ').replace(/ ([≤<])/u, ', $1');
}
