import type { Adjacency, CharacterisationKind, Characterisations } from '@lethe/core';
import { combiners } from '../combine.js';
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

export const compose: Knower<'core/compose'> = ({ parts }, adjacency: Adjacency, nested) =>
  each((want) =>
    combiners[want].sum(
      parts.map(({ event, count }, i) => ({
        value: nested(event, want, adjacency, `parts.${i}.event`),
        count,
      })),
    ),
  );

export const parallel: Knower<'core/parallel'> = ({ parts }, adjacency, nested) =>
  each((want) =>
    combiners[want].largest(parts.map((event, i) => nested(event, want, adjacency, `parts.${i}`))),
  );

/** What costs at most the limit, under a filter or by a proof; the actual cost is unknown. */
export const filtered: Knower<'core/filtered'> = ({ limit }, adjacency, nested): Knowledge => ({
  ...each((want) => nested(limit, want, adjacency, 'limit')),
  gdp: () => ({ ...nested(limit, 'gdp', adjacency, 'limit'), lower: 0, exact: false }),
  pair: () => nested(limit, 'pair', adjacency, 'limit').map(upperOnly),
});
