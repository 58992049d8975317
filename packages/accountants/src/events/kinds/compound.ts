import type { CharacterisationKind, Characterisations } from '@lethe/core';
import { defined } from '@lethe/numerics';
import type { Combiners } from '../combine.js';
import type { Knower, Knowledge } from '../knowledge.js';
import { upperOnly } from '../pairs/witness.js';

type Of = <C extends CharacterisationKind>(want: C) => Characterisations[C];

/** All characterisations, each computed lazily by `of`. */
const each = (of: Of): Knowledge => ({
  pure: () => of('pure'),
  approximate: () => of('approximate'),
  zcdp: () => of('zcdp'),
  tcdp: () => of('tcdp'),
  rdp: () => of('rdp'),
  gdp: () => of('gdp'),
  pair: () => of('pair'),
});

/** Compositions have the characterisations that can be combined. */
export const compoundsBy = (
  combiners: Partial<Combiners>,
): { readonly [K in 'core/compose' | 'core/parallel']: Knower<K> } => {
  const wants = Object.keys(combiners) as readonly CharacterisationKind[];
  const combined = (of: Of): Knowledge =>
    Object.fromEntries(wants.map((want) => [want, () => of(want)])) as Knowledge;
  const by = <C extends CharacterisationKind>(want: C): Combiners[C] => defined(combiners[want]);
  return {
    'core/compose': ({ parts }, adjacency, nested) =>
      combined((want) =>
        by(want).sum(
          parts.map(({ event, count }, i) => ({
            value: nested(event, want, adjacency, `parts.${i}.event`),
            count,
          })),
        ),
      ),
    'core/parallel': ({ parts }, adjacency, nested) =>
      combined((want) =>
        by(want).largest(parts.map((event, i) => nested(event, want, adjacency, `parts.${i}`))),
      ),
  };
};

/** What costs at most the limit, under a filter or by a proof; the actual cost is unknown. */
export const filtered: Knower<'core/filtered'> = ({ limit }, adjacency, nested): Knowledge => ({
  ...each((want) => nested(limit, want, adjacency, 'limit')),
  gdp: () => ({ ...nested(limit, 'gdp', adjacency, 'limit'), lower: 0, exact: false }),
  pair: () => nested(limit, 'pair', adjacency, 'limit').map(upperOnly),
});
