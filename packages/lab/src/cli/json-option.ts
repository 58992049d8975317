import { parseJson } from '../experiment/json-text.js';
import type { Parsed } from './command.js';

/**
 * The value of an option that takes JSON; `undefined` without the option.
 *
 * @throws {InvalidParameter} for other text.
 */
export function jsonOption({ string }: Parsed, name: string): unknown {
  const text = string(name);
  return text === undefined ? undefined : parseJson(text, `--${name}`);
}
