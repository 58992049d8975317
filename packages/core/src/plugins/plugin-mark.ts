import { hexOf } from '../bytes.js';
import { canonicalJson } from '../json.js';
import { keyedHash128 } from '../random/keyed-hash.js';
import { describePlugin } from './registry.js';
import type { Plugin } from './plugin.js';

const domain = new TextEncoder().encode('lethe/plugin/1..');
const text = new TextEncoder();
const marks = new WeakMap<Plugin, string>();

/**
 * Tells a plugin from another, or an older, one of its name: a hash of what it declares, of the version of its package, and of
 * the text of its functions. Equal marks do not prove equal behaviour: a function may call others.
 */
export function pluginMark(plugin: Plugin): string {
  let mark = marks.get(plugin);
  if (mark === undefined) {
    const { params: _, ...rest } = plugin;
    mark = hexOf(keyedHash128(domain, text.encode(canonicalJson({ ...describePlugin(plugin), rest: saidBy(rest, 0) }))));
    marks.set(plugin, mark);
  }
  return mark;
}

/** Data as they are, functions by their text; schemas, which are described apart, and what is nested deeper than plugins are, left out. */
function saidBy(value: unknown, depth: number): unknown {
  if (typeof value === 'function') return String(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > 6 || '_zod' in value) return null;
  if (Array.isArray(value)) return value.map((inner) => saidBy(inner, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, saidBy(inner, depth + 1)]));
}
