import { optimizers } from '@lethe/algorithms';
import type { Plugin } from '@lethe/core';
import type * as federations from '@lethe/curator/federation';
import { subjectsOf, type LawId, type Subject, type SubjectKind } from '@lethe/laws';
import { losses } from '@lethe/losses';
import { lowerBounds } from '@lethe/lower-bounds';
import { mechanisms } from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { switched } from './switched.js';

/** A bug in the sources of a plugin or of federations, and the law that finds it. */
export interface ShippedBug {
  readonly id: string;
  readonly title: string;
  /** Export of the plugin, and which of its examples, from 1; none of federations. */
  readonly plugin?: string;
  readonly example?: number;
  readonly killedBy: LawId<SubjectKind>;
  readonly cell?: string;
  /** It takes more than a third of a second, and is left to the night. */
  readonly atNight?: boolean;
}

const entries = {
  optimizers: 'algorithms/src/index.ts',
  'lower-bounds': 'lower-bounds/src/index.ts',
  federations: 'curator/src/federation.ts',
} as const;
export type ShippedList = keyof typeof entries;

const loaded = new Map<ShippedList, Promise<unknown>>();

/** The subject of a bug, with switches in its sources. */
export async function subjectOf(
  list: ShippedList,
  { plugin = '', example = 1 }: Pick<ShippedBug, 'plugin' | 'example'>,
): Promise<Subject> {
  const module = loaded.get(list) ?? switched(entries[list], list);
  loaded.set(list, module);
  if (list === 'federations') return federationOf((await module) as typeof federations);
  const found = defined(((await module) as Readonly<Record<string, Plugin>>)[plugin]);
  const own = list === 'lower-bounds' ? lowerBounds : [];
  const registry = [...own, ...mechanisms, ...losses, ...optimizers];
  return defined(subjectsOf(found, { registry })[example - 1]) as Subject;
}

const federationOf = (made: typeof federations): Subject<'federation'> => ({
  kind: 'federation',
  name: 'planted',
  claims: [],
  registry: [...mechanisms, ...losses],
  join: made.federation,
  joinTrusted: made.trustedFederation,
  raw: made.rawSilo,
  hold: made.siloCurator,
  addend: made.addendSilo,
  joinSecure: made.secureFederation,
  holdAddends: made.heldAddendSilo,
});
