import { accountants } from '@lethe/accountants';
import { optimizers } from '@lethe/algorithms';
import {
  resolvePlugin,
  seededRandom,
  type Adjacency,
  type Answer,
  type Loss,
  type Plugin,
  type PrivacyFilter,
  type Query,
  type Ref,
  type Registry,
  type Sampler,
} from '@lethe/core';
import { attachData, centralCurator, openLedger, type CentralCurator } from '@lethe/curator';
import { losses } from '@lethe/losses';
import { lowerBounds } from '@lethe/lower-bounds';
import { mechanisms } from '@lethe/mechanisms';

/** All shipped plugins. */
export const registry: Registry = Object.freeze([
  ...mechanisms,
  ...losses,
  ...optimizers,
  ...accountants,
  ...lowerBounds,
]);

/** A plugin at one set of parameters, with a name for tables. */
export interface Part<P extends Plugin> {
  readonly name: string;
  readonly plugin: P;
  readonly params: unknown;
  readonly ref: Ref<P['kind']>;
}

/** Every shipped plugin of a kind, at each of its examples. */
export function partsOf<P extends Plugin>(kind: P['kind']): ReadonlyMap<string, Part<P>> {
  const plugins = registry.filter((plugin): plugin is P => plugin.kind === kind);
  return new Map(
    plugins.flatMap((plugin) =>
      (plugin.examples ?? [{}]).map((input, i, { length }) => {
        const name = length === 1 ? plugin.name : `${plugin.name}#${i + 1}`;
        const params: unknown = plugin.params.parse(input);
        return [
          name,
          { name, plugin, params, ref: { kind, name: plugin.name, params } as Ref<P['kind']> },
        ] as const;
      }),
    ),
  );
}

/** Names of parts. */
export const namesOf = (parts: ReadonlyMap<string, unknown>): readonly string[] => [...parts.keys()];

export const slots = 24;
/** Columns of the tiny records, and entries of a point for most losses. */
export const dimension = 3;
/** Entries of a point of a loss on them. */
export const pointsOf = ({ plugin, params }: Part<Loss>): number =>
  plugin.iterateDimension(params as never, dimension);

/** Small records with labels that the loss accepts, and features bounded by 1. */
function tinyData(ref: Ref<'loss'>): { readonly features: Float64Array; readonly labels: Float64Array } {
  const features = new Float64Array(slots * dimension);
  for (let k = 0; k < slots; k++) features.set([(k % 5) / 8, ((k % 3) - 1) / 4, 0.5], k * dimension);
  const {
    plugin: { labels: rule },
    params,
  } = resolvePlugin<Loss>(registry, ref);
  const width = rule.width?.(params) ?? 1;
  const taken = [1, -1, 0].filter((label) => rule.accepts(label, params));
  return { features, labels: Float64Array.from({ length: slots * width }, (_, k) => taken[k % 2] / width) };
}

/** A curator of the small data set; under add-remove the public guess equals the number of slots. */
export function tinyCurator(
  adjacency: Adjacency,
  loss: Ref<'loss'>,
  seed: string,
  held?: PrivacyFilter,
): CentralCurator {
  const { features, labels } = tinyData(loss);
  const hasClasses = resolvePlugin<Loss>(registry, loss).plugin.labels.classes !== undefined;
  const data = attachData({
    features: {
      data: features,
      rows: slots,
      columns: dimension,
      offset: 0,
      rowStride: dimension,
      columnStride: 1,
    },
    labels,
    loss,
    registry,
    ledger: openLedger({ adjacency }),
    domain: { featureNorm: 1, ...(hasClasses ? {} : { labelBound: 1 }), iterateNorm: 10 },
  });
  return centralCurator({
    data,
    registry,
    run: 'run',
    random: seededRandom(seed),
    held,
    ...(adjacency === 'add-remove' ? { publicSlots: slots } : {}),
  });
}

/**
 * Whether a curator accepts this sampler on all records: under
 * add-remove their number is private, so the size must be hidden.
 */
export const drawsUnder = ({ plugin, params }: Part<Sampler>, adjacency: Adjacency): boolean =>
  plugin.amplification(params as never, slots)[adjacency] !== undefined &&
  (plugin.size === 'hidden' || adjacency !== 'add-remove');

/** Sends queries with increasing index. */
export function asking(curator: CentralCurator): <Q extends Query>(query: Q) => Answer<Q> {
  let index = 0;
  return <Q extends Query>(query: Q) => curator.answer(index++, query).answer as Answer<Q>;
}
