import { InvalidParameter } from '@lethe/core';

const deepest = 64;

/**
 * Parses JSON of a user, at most 64 levels deep, so that recursive readers are safe.
 *
 * @param where - Name of the text, for the message.
 * @throws {InvalidParameter} when it is not JSON, or nested deeper.
 */
export function parseJson(text: string, where: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new InvalidParameter(`${where} is not JSON${placeOf(error)}`, { where });
  }
  assertShallow(value, where);
  return value;
}

/** Position of a syntax error. The engine's own message is not used: it quotes the text. */
function placeOf(error: unknown): string {
  const at = /at position \d+(?: \(line \d+ column \d+\))?/u.exec((error as Error).message);
  return at === null ? '' : `: something else stands ${at[0]}`;
}

/**
 * @throws {InvalidParameter} when records and lists nest deeper than 64 levels, or have a key `__proto__`.
 * Takes no stack, whatever the depth.
 */
export function assertShallow(value: unknown, where: string): void {
  const seen = new Set<unknown>();
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > deepest)
      throw new InvalidParameter(`${where} is nested more than ${deepest} levels deep; flatten it`, {
        where,
        deepest,
      });
    level = level.flatMap((inner) => {
      if (typeof inner !== 'object' || inner === null || seen.has(inner)) return [];
      seen.add(inner);
      if (Object.hasOwn(inner, '__proto__'))
        throw new InvalidParameter(
          `${where} has the key '__proto__', which no record can hold; give it another name`,
          { where },
        );
      return Object.values(inner);
    });
  }
}
