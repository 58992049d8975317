import { InvalidParameter } from '@lethe/core';
import { nearestName } from '@lethe/numerics';
import { parseYaml } from './yaml-text.js';

type Container = Record<string, unknown> | unknown[];

/**
 * Replaces values in the content of a file, as `--set` says.
 *
 * @param settings - `PATH=VALUE`: parts of a path are keys, numbers of list items from 0, or their labels or
 *   names, which may have dots; the value is YAML.
 * @throws {InvalidParameter} for a setting of another form, or a path through something that holds nothing.
 */
export function setValues(content: unknown, settings: readonly string[]): unknown {
  if (settings.length === 0) return content;
  const changed = structuredClone(content);
  for (const setting of settings) setOne(changed, setting);
  return changed;
}

/** A setting of `--set`, with the path of what it sets: keys, and numbers of list items. */
export interface Setting {
  readonly setting: string;
  readonly path: readonly string[];
}

/** Where settings lead in content that has them already. */
export const settingsIn = (content: unknown, settings: readonly string[]): readonly Setting[] =>
  settings.flatMap((setting) => {
    try {
      return [{ setting, path: pathIn(content, setting).map(String) }];
    } catch (error) {
      if (error instanceof InvalidParameter) return [];
      throw error;
    }
  });

function setOne(content: unknown, setting: string): void {
  const path = pathIn(content, setting);
  const value = parseYaml(setting.slice(setting.indexOf('=') + 1), `--set ${setting}`);
  let inside = content;
  for (const key of path.slice(0, -1)) {
    if (Reflect.get(inside as Container, key) === undefined) Reflect.set(inside as Container, key, {});
    inside = Reflect.get(inside as Container, key);
  }
  Reflect.set(inside as Container, path[path.length - 1], value);
}

/** @throws {InvalidParameter} for a setting of another form, or that leads nowhere. */
function pathIn(content: unknown, setting: string): readonly (string | number)[] {
  const at = setting.indexOf('=');
  const parts = setting.slice(0, Math.max(at, 0)).split('.');
  if (at < 1 || parts.includes('') || parts.includes('__proto__'))
    throw new InvalidParameter(`--set is '${setting}'; write PATH=VALUE, such as seeds.count=20`, {
      setting,
    });
  const path: (string | number)[] = [];
  let inside: unknown = content;
  for (let i = 0; i < parts.length;) {
    // What is not there yet is made, a record.
    const container = inside === undefined ? {} : containerOf(inside, setting, parts.slice(0, i));
    const { key, taken } = keyIn(container, parts.slice(i), setting);
    path.push(key);
    inside = Reflect.get(container, key);
    i += taken;
  }
  return path;
}

function containerOf(value: unknown, setting: string, path: readonly string[]): Container {
  if (typeof value === 'object' && value !== null) return value as Container;
  throw new InvalidParameter(
    `--set ${setting}: '${path.join('.')}' holds ${String(value)}, which has no parts`,
    {
      setting,
    },
  );
}

/**
 * The key of a record, or the number of a list's item by number, label or name; and how many parts say so,
 * since labels may have dots.
 */
function keyIn(
  container: Container,
  parts: readonly string[],
  setting: string,
): { readonly key: string | number; readonly taken: number } {
  const [part] = parts;
  if (!Array.isArray(container)) return { key: part, taken: 1 };
  const items = container.map((item) => {
    const { label, name } = (typeof item === 'object' && item !== null ? item : {}) as Record<
      string,
      unknown
    >;
    return { label, name, shown: String(label ?? name ?? '') };
  });
  // The longest label or name that the path goes on with; a label before the names of others.
  for (let taken = parts.length; taken > 0; taken--) {
    const text = parts.slice(0, taken).join('.');
    const labelled = items.flatMap(({ shown }, i) => (shown === text ? [i] : []));
    const found = labelled.length > 0 ? labelled : items.flatMap(({ name }, i) => (name === text ? [i] : []));
    if (found.length === 1) return { key: found[0], taken };
    if (found.length > 1)
      throw new InvalidParameter(
        `--set ${setting}: ${found.length} items of the list are '${text}'; write the number of one: ` +
          found.map((i) => `${i} (${items[i].shown})`).join(', '),
        { setting },
      );
  }
  const number = /^\d+$/u.test(part) ? Number(part) : -1;
  if (number >= 0 && number < container.length) return { key: number, taken: 1 };
  const names = items.map(({ shown }) => shown);
  const meant = number >= 0 ? undefined : nearestName(part, names);
  throw new InvalidParameter(
    `--set ${setting}: the list has no '${part}'; ` +
      (meant === undefined
        ? `it has ${container.length} items, from 0${names.some(Boolean) ? `: ${names.join(', ')}` : ''}`
        : `write '${meant}'`),
    { setting },
  );
}
