import { InvalidParameter } from '../errors.js';
import { nearestName } from '../nearest-name.js';
import type { Fact } from '../query/query.js';

type Facts = Readonly<Record<string, Fact>>;

/**
 * The same facts, which remember what was looked for in vain. `finish` refuses a declared fact whose name is nearly that of one of those:
 * it would be ignored, and nobody would be told. Names with a point, of coordinates or orders, differ by a digit and are left alone.
 */
export function watchedFacts(facts: Facts): { readonly facts: Facts; readonly finish: () => void } {
  const missing = new Set<string>();
  const look = (name: string | symbol): void => {
    if (typeof name === 'string' && !name.includes('.') && !Object.hasOwn(facts, name)) missing.add(name);
  };
  return {
    facts: new Proxy(facts, {
      get: (target, name) => { look(name); return Reflect.get(target, name) as unknown; },
      has: (target, name) => { look(name); return Reflect.has(target, name); },
    }),
    finish() {
      for (const [name, { provenance }] of Object.entries(facts)) {
        if (provenance !== 'declared' || name.includes('.')) continue;
        const meant = nearestName(name, [...missing]);
        if (meant !== undefined) throw new InvalidParameter(`nothing reads a fact '${name}', and '${meant}' was looked for: write that, or leave it out`, { fact: name, meant });
      }
    },
  };
}
