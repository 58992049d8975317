// Parameters of a plugin as a Markdown table, from the JSON Schema of its zod schema.
import { describePlugin } from '../../packages/core/dist/index.js';

/** Name, source and parameters of a plugin as Markdown. */
export function parametersOf(plugin) {
  const { kind, name, source, params } = describePlugin(plugin);
  const rows = rowsOf(params, params);
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

const initialText = (value) => (value === undefined ? '' : code(JSON.stringify(value)));
const cell = (text) => text.replaceAll('|', '\\|').replaceAll('\n', ' ').replaceAll('<', '&lt;');
const code = (text) => `\`${text.replaceAll('|', '\\|')}\``;

function rowsOf(schema, whole, prefix = '') {
  const { properties = {}, required = [] } = resolved(schema, whole);
  return Object.entries(properties).flatMap(([key, given]) => {
    const one = resolved(given, whole);
    const at = prefix + key;
    const isNeeded = required.includes(key);
    const value = `${valueText(one, whole)}${isNeeded || one.default !== undefined ? '' : ', optional'}`;
    const own = { at, value, initial: one.default, meaning: one.description ?? '' };
    return [own, ...(one.properties === undefined ? [] : rowsOf(one, whole, `${at}.`))];
  });
}

function resolved(schema, whole) {
  if (schema.$ref === undefined) return schema;
  const { $ref, ...rest } = schema;
  const target =
    $ref === '#'
      ? whole
      : $ref
          .slice(2)
          .split('/')
          .reduce((at, key) => at[key], whole);
  return { ...resolved(target, whole), ...rest };
}

/** What a value may be, in words. */
function valueText(given, whole) {
  const schema = resolved(given, whole);
  if (schema.const !== undefined) return code(JSON.stringify(schema.const));
  if (schema.enum !== undefined) return schema.enum.map((one) => code(JSON.stringify(one))).join(' or ');
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return [...new Set(choices.map((one) => valueText(one, whole)))].join(' or ');
  if (schema.allOf !== undefined) return schema.allOf.map((one) => valueText(one, whole)).join(' and ');
  if (schema.type === 'array') return `list of ${valueText(schema.items ?? {}, whole)}`;
  if (schema.type === 'number' || schema.type === 'integer') return numberText(schema);
  if (schema.type === 'string') return schema.pattern === undefined ? 'text' : 'text of one form';
  if (schema.type === 'boolean') return '`true` or `false`';
  if (schema.type === 'object') return schema.properties === undefined ? 'object' : objectText(schema, whole);
  return schema.type ?? 'any value';
}

const objectText = ({ properties }, whole) => {
  const names = Object.entries(properties).map(([key, one]) => {
    const { const: only } = resolved(one, whole);
    return only === undefined ? key : `${key}: ${JSON.stringify(only)}`;
  });
  return code(`{ ${names.join(', ')} }`);
};

/** Every whole number of JSON is within these by default. */
const widest = Number.MAX_SAFE_INTEGER;

function numberText({ type, minimum, exclusiveMinimum, maximum, exclusiveMaximum }) {
  const bounds = [
    minimum === undefined || minimum <= -widest ? null : `≥ ${minimum}`,
    exclusiveMinimum === undefined ? null : `> ${exclusiveMinimum}`,
    maximum === undefined || maximum >= widest ? null : `≤ ${maximum}`,
    exclusiveMaximum === undefined ? null : `< ${exclusiveMaximum}`,
  ].filter((bound) => bound !== null);
  return [type === 'integer' ? 'whole number' : 'number', ...bounds].join(' ').replace(/ ([≤<])/u, ', $1');
}
