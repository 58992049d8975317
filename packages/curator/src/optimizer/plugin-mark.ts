import { canonicalJson, type Clip, type Loss, type Plugin } from '@lethe/core';
import { assertForm } from '@lethe/core/internal';
import { hexOf, keyedHash128, type ZodSchema } from '@lethe/numerics';

const domain = new TextEncoder().encode('lethe/plugin/1..');
const text = new TextEncoder();
const marks = new WeakMap<Plugin, string>();
const definitions = new WeakMap<Plugin, Plugin>();

/**
 * `bundled=module` pairs of marks. A bundler prints functions anew, and with them changes marks;
 * `tools/command.mjs` puts those of Lethe's plugins here, in its bundle alone.
 */
const pairs = 'bundled=module';
const moduleMarks = new Map(pairs.split(' ').map((pair) => pair.split('=') as [string, string]));

/**
 * Identifies a version of a plugin: a hash of its declarations, the rules of its parameters, the version of
 * its package, the text of its functions and, for clips and losses, their results on one fixed record. Equal
 * marks do not prove equal behaviour, since functions call others. A plugin of Lethe has the same mark in the
 * bundled command.
 */
export function pluginMark(plugin: Plugin): string {
  let mark = marks.get(plugin);
  if (mark === undefined) {
    const own = definitions.get(plugin) ?? plugin;
    assertForm(own);
    const { params, ...rest } = own;
    const whole = { params: rulesOf(params, []), rest: saidBy(rest, 0), does: doneBy(own) };
    const found = hexOf(keyedHash128(domain, text.encode(canonicalJson(whole))));
    mark = moduleMarks.get(found) ?? found;
    marks.set(plugin, mark);
  }
  return mark;
}

/** Marks a plugin by its definition: its own functions have one text for all definitions. */
export function markedBy<P extends Plugin>(plugin: P, definition: Plugin): P {
  definitions.set(plugin, definition);
  return plugin;
}

/**
 * Data unchanged, functions by their text. Schemas are left out, since they are
 * described apart, and so are values nested deeper than plugins are.
 */
function saidBy(value: unknown, depth: number): unknown {
  if (typeof value === 'object' && value !== null && ('_zod' in value || depth > 6)) return null;
  return said(value, (inner) => saidBy(inner, depth + 1));
}

/**
 * A schema by its definition, with those inside it; one that is around itself by its distance. Functions are
 * left out: those of zod, and of Lethe, have another text in a bundle.
 */
function rulesOf(value: unknown, within: readonly unknown[]): unknown {
  if (typeof value === 'function') return null;
  const around = within.indexOf(value);
  if (around >= 0) return within.length - around;
  const isSchema = typeof value === 'object' && value !== null && '_zod' in value;
  const { def } = isSchema ? (value as ZodSchema)._zod : { def: value };
  return said(def, (inner) => rulesOf(inner, isSchema ? [...within, value] : within));
}

/** Numbers and functions as text; lists and objects by what is said of their parts. */
function said(value: unknown, inside: (inner: unknown) => unknown): unknown {
  if (['function', 'number', 'bigint'].includes(typeof value) || value instanceof RegExp)
    return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(inside);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, inside(inner)]));
}

/** What becomes of one fixed record, at the first example of parameters: two closures may have one text. */
function doneBy(plugin: Plugin): unknown {
  const params = plugin.params.safeParse(plugin.examples?.[0] ?? {}).data;
  if (params === undefined) return null;
  try {
    return probes[plugin.kind]?.(plugin, params) ?? null;
  } catch {
    return 'does not take the record';
  }
}

const record = (): Float64Array => Float64Array.of(3, -0.25);

const probes: Partial<Record<Plugin['kind'], (plugin: Plugin, params: unknown) => readonly string[]>> = {
  clip(plugin, params) {
    const { clipInPlace, factor } = plugin as Clip;
    const vector = record();
    clipInPlace(params, vector);
    return [...vector, factor?.(params, 3) ?? 0].map(String);
  },
  loss(plugin, params) {
    const { linear, multiOutput } = plugin as Loss;
    if (linear !== null) return [-1, 0.5].map((margin) => String(linear.slope(params, margin, 1)));
    if (multiOutput === null) return [];
    const slopes = Float64Array.from({ length: multiOutput.outputs(params) }, (_, k) => 0.5 - k);
    multiOutput.slopesInto(params, slopes, slopes, { label: 1, labels: slopes.map(() => 0.25) });
    return [...slopes].map(String);
  },
};
