import { describePlugin, type PluginKind, type Registry } from '@lethe/core';
import * as z from 'zod';
import { registry as shipped } from '../registry.js';
import { experimentSchema } from './schema.js';

type Schema = Readonly<Record<string, unknown>>;

/** Keys under which an experiment names a plugin, or a list of plugins. */
const named: Readonly<Record<string, PluginKind>> = {
  loss: 'loss',
  domain: 'domain',
  regulariser: 'regulariser',
  hard: 'lowerBound',
  bound: 'lowerBound',
  lowerBound: 'lowerBound',
  optimizer: 'optimizer',
  optimizers: 'optimizer',
  means: 'mean',
};
/** Kinds of which an experiment fills in parameters that are not given, or has them elsewhere. */
const filledIn: ReadonlySet<PluginKind> = new Set<PluginKind>(['optimizer', 'lowerBound', 'mean']);

/**
 * The JSON Schema of experiment files, as they are written: defaults may be left out, and lists may stand for
 * values of optimizers. Parameters of plugins in the registry are typed; those of others may be anything.
 */
export function jsonSchema(registry: Registry = shipped): Schema {
  const { $defs, ...schema } = z.toJSONSchema(experimentSchema, {
    io: 'input',
    unrepresentable: 'any',
    reused: 'ref',
  });
  const kinds = [...new Set(Object.values(named))];
  return {
    title: 'Lethe experiment',
    ...(withPlugins(schema) as Schema),
    $defs: {
      ...(withPlugins($defs) as Schema),
      ...Object.fromEntries(kinds.map((kind) => [kind, pluginsOf(kind, registry)])),
    },
  };
}

/** A schema in which every place of a plugin refers to the plugins of its kind. */
function withPlugins(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withPlugins);
  if (!isSchema(schema)) return schema;
  const inside = Object.fromEntries(Object.entries(schema).map(([key, one]) => [key, withPlugins(one)]));
  const { properties } = inside;
  if (!isSchema(properties)) return inside;
  const refined = Object.entries(properties).map(([key, one]) => {
    if (!Object.hasOwn(named, key) || !isSchema(one)) return [key, one] as const;
    const own = { $ref: `#/$defs/${named[key]}` };
    const isList = key === 'optimizers' || key === 'means';
    return [key, { ...one, allOf: [isList ? { items: own } : own] }] as const;
  });
  return { ...inside, properties: Object.fromEntries(refined) };
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Names of the plugins of a kind, and for each the parameters that it takes. */
function pluginsOf(kind: PluginKind, registry: Registry): Schema {
  const plugins = registry.filter((plugin) => plugin.kind === kind);
  return {
    properties: { name: { anyOf: [{ enum: plugins.map(({ name }) => name) }, { type: 'string' }] } },
    allOf: plugins.map((plugin) => ({
      if: { properties: { name: { const: plugin.name } }, required: ['name'] },
      // oxlint-disable-next-line unicorn/no-thenable -- a key of JSON Schema
      then: {
        description: plugin.summary,
        properties: { params: paramsOf(kind, describePlugin(plugin).params) },
      },
    })),
  };
}

function paramsOf(kind: PluginKind, params: unknown): Schema {
  if (!isSchema(params) || !isSchema(params['properties'])) return {};
  const { $schema: _, required, properties, ...rest } = params;
  return {
    ...rest,
    ...(filledIn.has(kind) || required === undefined ? {} : { required }),
    properties:
      kind === 'optimizer' ? Object.fromEntries(Object.entries(properties as Schema).map(swept)) : properties,
  };
}

/** A list of values stands for a sweep. */
const swept = ([key, schema]: readonly [string, unknown]): readonly [string, unknown] => {
  const { type } = isSchema(schema) ? schema : {};
  const isScalar = ['number', 'integer', 'string', 'boolean'].includes(String(type));
  return [key, isScalar ? { anyOf: [schema, { type: 'array', items: schema, minItems: 1 }] } : schema];
};
