import { accountants } from '@lethe/accountants';
import { optimizers } from '@lethe/algorithms';
import { centralCurator, InvalidParameter, memoryStore, openLedger, shuffleCurator, type Registry, type Store } from '@lethe/core';
import { subjectsOf, type Subject } from '@lethe/laws';
import { losses } from '@lethe/losses';
import { lowerBounds } from '@lethe/lower-bounds';
import { mechanisms } from '@lethe/mechanisms';
import { registry } from '../registry.js';
import { loadPlugins } from './load-plugins.js';

const packages: Readonly<Record<string, Registry>> = { mechanisms, losses, accountants, algorithms: optimizers, 'lower-bounds': lowerBounds };

/** Packages whose parts have laws. */
export const packageNames: readonly string[] = ['core', ...Object.keys(packages)];

/** Everything a package ships that has laws. @throws {InvalidParameter} for another name. */
export function shippedSubjects(name: string): readonly Subject[] {
  if (name === 'core') return coreSubjects();
  const plugins = packages[name];
  if (plugins === undefined) throw new InvalidParameter(`--package is '${name}'; it must be one of ${packageNames.join(', ')}`, { package: name });
  return plugins.flatMap((plugin) => subjectsOf(plugin, { registry }));
}

/** What a user's files export, with everything that ships beside it. */
export async function subjectsIn(paths: readonly string[], params: unknown): Promise<readonly Subject[]> {
  const files = await Promise.all(paths.map(loadPlugins));
  const own = files.flatMap(({ plugins }) => plugins);
  const whole = [...own, ...registry.filter(({ kind, name }) => !own.some((plugin) => plugin.kind === kind && plugin.name === name))];
  const refs = files.flatMap((file) => file.refs);
  // A plugin that also stands there called with parameters is tried at those.
  const alone = own.filter((plugin) => !refs.some(({ kind, name }) => kind === plugin.kind && name === plugin.name));
  return [...alone, ...refs].flatMap((made) => subjectsOf(made, { registry: whole, ...(params === undefined ? {} : { params }) }));
}

function coreSubjects(): readonly Subject[] {
  const places = new Map<string, Store>();
  const place = (name: string): Store => {
    const found = places.get(name) ?? memoryStore();
    places.set(name, found);
    return found;
  };
  return [
    { kind: 'curator', name: 'central', claims: [], registry, open: centralCurator },
    { kind: 'curator', name: 'shuffle', trust: 'shuffle', claims: [], registry, open: shuffleCurator },
    { kind: 'ledger', name: 'ledger', claims: [], open: openLedger },
    { kind: 'store', name: 'memory', claims: [], open: place },
  ];
}
