import type { Fact } from '@lethe/core';
import { InvalidParameter, nearestName } from '@lethe/numerics';

type Facts = Readonly<Record<string, Fact>>;

/** Facts that record who reads them. */
export interface WatchedFacts {
  /** The same facts. Names can be listed without reading anything. */
  readonly facts: Facts;
  /** Names of the facts whose value was read so far, in the order of the first reading. */
  read(): readonly string[];
  /**
   * @throws {InvalidParameter} for a declared fact whose name is
   * nearly one that was looked for and is not there.
   */
  finish(): void;
}

/**
 * The same facts with a record of reads and of missing lookups, to catch misspelt facts. `finish` refuses a
 * declared, unread fact whose name is close to a missing one. Names with a point, of coordinates or orders,
 * differ by one digit and are exempt.
 */
export function watchedFacts(facts: Facts): WatchedFacts {
  const missing = new Set<string>();
  const found = new Set<string>();
  const look = (name: string | symbol, reads: boolean): void => {
    if (typeof name !== 'string') return;
    if (Object.hasOwn(facts, name)) {
      if (reads) found.add(name);
    } else if (!name.includes('.')) missing.add(name);
  };
  return {
    facts: new Proxy(facts, {
      get: (target, name) => {
        look(name, true);
        return Reflect.get(target, name) as unknown;
      },
      has: (target, name) => {
        look(name, false);
        return Reflect.has(target, name);
      },
    }),
    read: () => [...found],
    finish() {
      const [first] = misspelt(facts, [...missing]);
      if (first === undefined) return;
      const [fact, meant] = first;
      throw new InvalidParameter(
        `nothing reads a fact '${fact}', and '${meant}' was looked for: write that, or leave it out`,
        { fact, meant },
      );
    },
  };
}

/** Declared facts whose names are nearly those of missing ones, each with the name that is meant. */
export const misspelt = (
  facts: Facts,
  missing: readonly string[],
): readonly (readonly [fact: string, meant: string])[] =>
  Object.entries(facts).flatMap(([name, { provenance }]) => {
    if (provenance !== 'declared' || name.includes('.') || missing.includes(name)) return [];
    const meant = nearestName(name, missing);
    return meant === undefined ? [] : [[name, meant] as const];
  });
