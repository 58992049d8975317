import { describePlugin, type PluginKind, type Registry } from '@lethe/core';
import * as z from 'zod';
import { registry as shipped } from '../registry.js';
import { nestedKinds } from './nested-references.js';
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
/** Parameters of plugins that are plugins themselves, where they have another name than their kind. */
const nestedAs: Readonly<Record<string, PluginKind>> = {
  randomiser: 'localRandomiser',
  inner: 'prefixSum',
  sampling: 'sampler',
  lookMechanism: 'mechanism',
  gradient: 'mean',
  difference: 'mean',
  base: 'optimizer',
};
/** Kinds with all their parameters in the file; of others, an experiment fills some in. */
const whole: ReadonlySet<PluginKind> = new Set<PluginKind>(['loss', 'domain', 'regulariser']);

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
  // A set that grows while it is read: what the parameters of one kind name is read too.
  const kinds = new Set(Object.values(named));
  const plugins: Record<string, Schema> = {};
  for (const kind of kinds) plugins[kind] = pluginsOf(kind, registry, kinds);
  return {
    title: 'Lethe experiment',
    ...withPlugins(schema),
    $defs: {
      ...withPlugins($defs),
      ...plugins,
    },
  };
}

/** A schema with every property, at any depth, refined; those inside a property come first. */
function withProperties(schema: unknown, refined: (key: string, one: Schema) => Schema): unknown {
  if (Array.isArray(schema)) return schema.map((one) => withProperties(one, refined));
  if (!isSchema(schema)) return schema;
  const inside = Object.fromEntries(
    Object.entries(schema).map(([key, one]) => [key, withProperties(one, refined)]),
  );
  const { properties } = inside;
  if (!isSchema(properties)) return inside;
  const own = Object.entries(properties).map(([key, one]) => [key, isSchema(one) ? refined(key, one) : one]);
  return { ...inside, properties: Object.fromEntries(own) };
}

/** A schema in which every place of a plugin refers to the plugins of its kind. */
const withPlugins = (schema: unknown): Schema =>
  withProperties(schema, (key, one) => {
    if (!Object.hasOwn(named, key)) return one;
    if (key !== 'optimizers' && key !== 'means') return referring(one, named[key]);
    return { ...one, allOf: [{ items: { $ref: `#/$defs/${named[key]}` } }] };
  }) as Schema;

/** The kind of the plugin that a parameter is: those have no type, or a name and parameters. */
function kindInside(key: string, schema: Schema): PluginKind | undefined {
  const isTyped = ['type', 'anyOf', 'oneOf', 'enum', 'const'].some((word) => Object.hasOwn(schema, word));
  const inside = schema['properties'];
  const isReference = isSchema(inside) && Object.hasOwn(inside, 'name') && Object.hasOwn(inside, 'params');
  if (isTyped && !isReference) return undefined;
  return Object.hasOwn(nestedAs, key) ? nestedAs[key] : nestedKinds.find((kind) => kind === key);
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Names of the plugins of a kind, and for each the parameters that it takes.
 *
 * @param reached - Takes the kinds of plugins that these parameters name.
 */
function pluginsOf(kind: PluginKind, registry: Registry, reached: Set<PluginKind>): Schema {
  const plugins = registry.filter((plugin) => plugin.kind === kind);
  return {
    properties: { name: { anyOf: [{ enum: plugins.map(({ name }) => name) }, { type: 'string' }] } },
    allOf: plugins.map((plugin) => ({
      if: { properties: { name: { const: plugin.name } }, required: ['name'] },
      // oxlint-disable-next-line unicorn/no-thenable -- a key of JSON Schema
      then: {
        description: plugin.summary,
        properties: { params: paramsOf(kind, withParts(describePlugin(plugin).params, reached)) },
      },
    })),
  };
}

function paramsOf(kind: PluginKind, params: unknown): Schema {
  if (!isSchema(params) || !isSchema(params['properties'])) return {};
  const { $schema: _, required, properties, ...rest } = params;
  return {
    ...rest,
    ...(whole.has(kind) && required !== undefined ? { required } : {}),
    properties:
      kind === 'optimizer' ? Object.fromEntries(Object.entries(properties as Schema).map(swept)) : properties,
  };
}

/** A schema of parameters in which those that are plugins refer to the plugins of their kind. */
const withParts = (schema: unknown, reached: Set<PluginKind>): unknown =>
  withProperties(schema, (key, one) => {
    const kind = kindInside(key, one);
    if (kind === undefined) return one;
    reached.add(kind);
    return referring(one, kind);
  });

/** A schema that takes plugins of a kind only. */
const referring = (schema: Schema, kind: PluginKind): Schema => ({
  ...schema,
  allOf: [{ $ref: `#/$defs/${kind}` }],
});

/** A list of values stands for a sweep. */
const swept = ([key, schema]: readonly [string, unknown]): readonly [string, unknown] => {
  const { type } = isSchema(schema) ? schema : {};
  const isScalar = ['number', 'integer', 'string', 'boolean'].includes(String(type));
  return [key, isScalar ? { anyOf: [schema, { type: 'array', items: schema, minItems: 1 }] } : schema];
};
