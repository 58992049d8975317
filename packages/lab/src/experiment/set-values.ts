import { InvalidParameter } from '@lethe/core';
import { nearestName } from '@lethe/numerics';
import { parseYaml } from './yaml-text.js';

type Container = Record<string, unknown> | unknown[];

/**
 * Replaces values in the content of a file, as `--set` says.
 *
 * @param settings - `PATH=VALUE`: parts of a path are keys, numbers of list items from 0, or their labels or
 *   names; the value is YAML.
 * @throws {InvalidParameter} for a setting of another form, or a path through something that holds nothing.
 */
export function setValues(content: unknown, settings: readonly string[]): unknown {
  if (settings.length === 0) return content;
  const changed = structuredClone(content);
  for (const setting of settings) setOne(changed, setting);
  return changed;
}

function setOne(content: unknown, setting: string): void {
  const at = setting.indexOf('=');
  const path = setting.slice(0, Math.max(at, 0)).split('.');
  if (at < 1 || path.includes('') || path.includes('__proto__'))
    throw new InvalidParameter(`--set is '${setting}'; write PATH=VALUE, such as seeds.count=20`, {
      setting,
    });
  const value = parseYaml(setting.slice(at + 1), `--set ${setting}`);
  let inside = content;
  path.forEach((part, i) => {
    const container = containerOf(inside, setting, path.slice(0, i));
    const key = keyIn(container, part, setting);
    const isLast = i === path.length - 1;
    const next: unknown = Reflect.get(container, key);
    if (isLast) Reflect.set(container, key, value);
    else if (next === undefined) Reflect.set(container, key, {});
    inside = Reflect.get(container, key);
  });
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

/** The key of a record, or the number of a list's item by number, label or name. */
function keyIn(container: Container, part: string, setting: string): string | number {
  if (!Array.isArray(container)) return part;
  const names = container.map((item) => {
    const { label, name } = (typeof item === 'object' && item !== null ? item : {}) as Record<
      string,
      unknown
    >;
    return String(label ?? name ?? '');
  });
  const number = /^\d+$/u.test(part) ? Number(part) : names.indexOf(part);
  if (number >= 0 && number < container.length) return number;
  const meant = /^\d+$/u.test(part) ? undefined : nearestName(part, names);
  throw new InvalidParameter(
    `--set ${setting}: the list has no '${part}'; ` +
      (meant === undefined
        ? `it has ${container.length} items, from 0${names.some(Boolean) ? `: ${names.join(', ')}` : ''}`
        : `write '${meant}'`),
    { setting },
  );
}
