import * as accountants from '@lethe/accountants';
import * as algorithms from '@lethe/algorithms';
import * as core from '@lethe/core';
import * as curator from '@lethe/curator';
import * as losses from '@lethe/losses';
import * as lowerBounds from '@lethe/lower-bounds';
import * as mechanisms from '@lethe/mechanisms';
import * as numerics from '@lethe/numerics';

const exported: ReadonlySet<unknown> = new Set(
  [accountants, algorithms, core, curator, losses, lowerBounds, mechanisms, numerics].flatMap(
    (module): readonly unknown[] => Object.values(module),
  ),
);

/**
 * A subject whose shipped functions note that they are called;
 * those that the claims themselves define do not.
 */
export interface Watched<S> {
  readonly subject: S;
  /** Names of the shipped functions that were called since the last `forget`. */
  readonly called: () => readonly string[];
  readonly forget: () => void;
}

const isObject = (value: unknown): value is object =>
  (typeof value === 'object' && value !== null) || typeof value === 'function';

/**
 * Watches the members of a subject that a package exports: functions, plugins and records of functions.
 *
 * @param around - Members that the claims define, and that do no more than call shipped functions.
 */
export function watched<S extends object>(subject: S, around: readonly string[] = []): Watched<S> {
  const called = new Set<string>();
  const noting = (name: string, value: object): object =>
    new Proxy(value, {
      apply(target, self, given) {
        called.add(name);
        return Reflect.apply(target as () => unknown, self, given);
      },
      get(target, key) {
        const member: unknown = Reflect.get(target, key);
        // A plugin is called by its methods.
        if (typeof member === 'function') called.add(name);
        return member;
      },
    });
  return {
    subject: Object.fromEntries(
      Object.entries(subject).map(([name, value]: [string, unknown]) => [
        name,
        isObject(value) && (exported.has(value) || around.includes(name)) ? noting(name, value) : value,
      ]),
    ) as S,
    called: () => [...called],
    forget: () => {
      called.clear();
    },
  };
}
