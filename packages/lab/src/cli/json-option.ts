import { parseJson } from '../experiment/json-text.js';
import type { Parsed } from './command.js';

/**
 * A plugin as an option names it: a bare name, or JSON with its parameters; `undefined` without the option.
 *
 * @throws {InvalidParameter} for other text.
 */
export function pluginOption(parsed: Parsed, name: string): unknown {
  const text = parsed.string(name);
  return text !== undefined && /^[a-z][a-z0-9-]*$/u.test(text) ? { name: text } : jsonOption(parsed, name);
}

/**
 * The value of an option that takes JSON; `undefined` without the option.
 *
 * @throws {InvalidParameter} for other text.
 */
export function jsonOption({ string }: Parsed, name: string): unknown {
  const text = string(name);
  return text === undefined ? undefined : parseJson(text, `--${name}`);
}
