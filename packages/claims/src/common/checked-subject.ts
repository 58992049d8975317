import { InvalidParameter } from '@lethe/core';
import { nearestName } from '@lethe/numerics';

type Thing = Readonly<Record<string, unknown>>;
const isThing = (value: unknown): value is Thing =>
  (typeof value === 'object' && value !== null) || typeof value === 'function';

/** The shipped subject, with the names of the checks and of the subject in messages. */
export interface Shipped<S> {
  readonly subject: S;
  readonly checks: string;
  readonly called: string;
}

/**
 * The shipped subject with some functions replaced.
 *
 * @throws {InvalidParameter} for an unknown name, or a replacement of another type.
 */
export function checkedSubject<S extends object>(
  { subject: shipped, checks, called }: Shipped<S>,
  given: Partial<S>,
): S {
  const known = Object.keys(shipped);
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new InvalidParameter(
      `${checks} takes a record of functions by name, such as { ${known[0]}: mine }; got ${described(given)}`,
      {},
    );
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(shipped, name)) {
      const meant = nearestName(name, known);
      throw new InvalidParameter(
        `no claim is about '${name}'${meant === undefined ? '' : `; '${meant}' is nearest`}. ` +
          `Names are those of ${called}: ${known.join(', ')}.`,
        { name, allowed: known },
      );
    }
    assertStandsIn(name, given[name as keyof S], shipped[name as keyof S]);
  }
  return { ...shipped, ...given };
}

/**
 * A plugin needs a replacement of its kind with the same methods, a record of functions such a record, a
 * function a function.
 */
function assertStandsIn(name: string, given: unknown, shipped: unknown): void {
  const refuse = (what: string): never => {
    throw new InvalidParameter(
      `'${name}' is ${described(given)}; it replaces ${what}. ` +
        'To keep the one that ships, leave the name out.',
      { name },
    );
  };
  const original = shipped as Thing;
  const kind = original['kind'];
  if (kind === undefined && typeof shipped === 'function')
    return typeof given === 'function' ? undefined : refuse('a function');
  const what = kind === undefined ? 'a record of functions' : `a plugin of kind '${String(kind)}'`;
  if (!isThing(given) || given['kind'] !== kind) return refuse(what);
  const lost = Object.keys(original).find(
    (key) => typeof original[key] === 'function' && typeof given[key] !== 'function',
  );
  return lost === undefined ? undefined : refuse(`${what}, and has no function '${lost}'`);
}

function described(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`;
  if (Array.isArray(value)) return 'an array';
  if (!isThing(value)) return String(value);
  return typeof value === 'function' ? 'a function' : 'an object';
}
