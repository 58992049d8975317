import { InvalidParameter, nearestName } from '@lethe/core';
import { maranjyanSubject, type MaranjyanSubject } from './subject.js';

const known = Object.keys(maranjyanSubject) as readonly (keyof MaranjyanSubject)[];
type Thing = Readonly<Record<string, unknown>>;
const isThing = (value: unknown): value is Thing => (typeof value === 'object' && value !== null) || typeof value === 'function';

/**
 * What ships, with functions put in place of some of it.
 *
 * @throws {InvalidParameter} for a name that nothing has, and for what cannot stand in for what has it.
 */
export function checkedSubject(given: Partial<MaranjyanSubject>): MaranjyanSubject {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw new InvalidParameter(`maranjyanChecks takes a record of functions by name, such as { sketchedDescent: mine }; got ${described(given)}`, {});
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(maranjyanSubject, name)) {
      const meant = nearestName(name, known);
      throw new InvalidParameter(`no claim speaks of '${name}'${meant === undefined ? '' : `; '${meant}' is nearest`}. Names are those of maranjyanSubject: ${known.join(', ')}.`, { name, allowed: known });
    }
    assertStandsIn(name, given[name as keyof MaranjyanSubject], maranjyanSubject[name as keyof MaranjyanSubject]);
  }
  return { ...maranjyanSubject, ...given };
}

/** A plugin is replaced by one of its kind, with all that can be called; a record of functions by such a record, a function by a function. */
function assertStandsIn(name: string, given: unknown, shipped: unknown): void {
  const refuse = (what: string): never => {
    throw new InvalidParameter(`'${name}' is ${described(given)}; it replaces ${what}. To keep the one that ships, leave the name out.`, { name });
  };
  const original = shipped as Thing, kind = original['kind'];
  if (kind === undefined && typeof shipped === 'function') return typeof given === 'function' ? undefined : refuse('a function');
  const what = kind === undefined ? 'a record of functions' : `a plugin of kind '${String(kind)}'`;
  if (!isThing(given) || given['kind'] !== kind) return refuse(what);
  const lost = Object.keys(original).find((key) => typeof original[key] === 'function' && typeof given[key] !== 'function');
  return lost === undefined ? undefined : refuse(`${what}, and has no function '${lost}'`);
}

function described(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`;
  if (Array.isArray(value)) return 'an array';
  if (!isThing(value)) return String(value);
  return typeof value === 'function' ? 'a function' : 'an object';
}
