import { accountants } from '@lethe/accountants';
import { optimizers } from '@lethe/algorithms';
import { InvalidParameter, memoryStore, type Registry, type Store } from '@lethe/core';
import { centralCurator, openLedger, shuffleCurator } from '@lethe/curator';
import {
  addendSilo,
  heldAddendSilo,
  secureFederation,
  federation,
  rawSilo,
  siloCurator,
  trustedFederation,
} from '@lethe/curator/federation';
import { subjectsOf, type Subject } from '@lethe/laws';
import { losses } from '@lethe/losses';
import { lowerBounds } from '@lethe/lower-bounds';
import { mechanisms } from '@lethe/mechanisms';
import { registry } from '../registry.js';
import { textOf, contentIn } from '../experiment/read.js';
import type { LoadedPlugins } from '../plugins/load-plugins.js';
import { loadNamed } from '../plugins/option.js';
import { pluginsIn } from '../plugins/plugins-in.js';
import { withPlugins } from '../plugins/with-plugins.js';
import type { PackageName } from './package-names.js';

const packages: Readonly<Record<Exclude<PackageName, 'curator'>, Registry>> = {
  mechanisms,
  losses,
  accountants,
  algorithms: optimizers,
  'lower-bounds': lowerBounds,
};

/** All subjects of a shipped package. */
export function shippedSubjects(name: PackageName): readonly Subject[] {
  if (name === 'curator') return curatorSubjects();
  return packages[name].flatMap((plugin) => subjectsOf(plugin, { registry }));
}

/**
 * Subjects of a user's modules, in a registry with everything that ships.
 *
 * @param tried - Files or packages; an experiment file stands for the modules that it names.
 * @param options - `beside`: modules whose plugins are there and
 * not tried; `params`: instead of the examples of those tried.
 * @throws {InvalidParameter} when one cannot be loaded, or has a plugin whose name is taken by another of
 *   them.
 */
export async function subjectsIn(
  tried: readonly string[],
  { beside, params }: { readonly beside: readonly string[]; readonly params: unknown },
): Promise<readonly Subject[]> {
  const files = (await Promise.all(tried.map(modulesOf))).flat();
  const own = files.flatMap(({ plugins }) => plugins);
  const refs = files.flatMap((file) => file.refs);
  // A file may replace a plugin that ships.
  const others = registry.filter(
    ({ kind, name }) => !own.some((plugin) => plugin.kind === kind && plugin.name === name),
  );
  const bringing = [...files, ...(await loadNamed(beside, '--plugin'))].filter(
    ({ plugins }) => plugins.length > 0,
  );
  const whole = withPlugins(others, bringing);
  // A plugin that is also exported with parameters is tested at those.
  const alone = own.filter(
    (plugin) => !refs.some(({ kind, name }) => kind === plugin.kind && name === plugin.name),
  );
  return [...alone, ...refs].flatMap((made) =>
    subjectsOf(made, { registry: whole, ...(params === undefined ? {} : { params }) }),
  );
}

async function modulesOf(path: string): Promise<readonly LoadedPlugins[]> {
  if (!/\.(?:ya?ml|json)$/iu.test(path)) return loadNamed([path]);
  const text = textOf(path);
  const loaded = await pluginsIn(contentIn(text, path), text, path);
  if (loaded.length === 0)
    throw new InvalidParameter(
      `${path} names no plugins; list modules under plugins, or give them by themselves`,
      { path },
    );
  return loaded;
}

function curatorSubjects(): readonly Subject[] {
  const places = new Map<string, Store>();
  const place = (name: string): Store => {
    const found = places.get(name) ?? memoryStore();
    places.set(name, found);
    return found;
  };
  return [
    { kind: 'curator', name: 'central', claims: [], registry, open: centralCurator },
    { kind: 'curator', name: 'shuffle', trust: 'shuffle', claims: [], registry, open: shuffleCurator },
    {
      kind: 'federation',
      name: 'silos',
      claims: [],
      registry,
      join: federation,
      joinTrusted: trustedFederation,
      raw: rawSilo,
      hold: siloCurator,
      addend: addendSilo,
      joinSecure: secureFederation,
      holdAddends: heldAddendSilo,
    },
    { kind: 'ledger', name: 'ledger', claims: [], open: openLedger },
    { kind: 'store', name: 'memory', claims: [], open: place },
  ];
}
