import {
  memoryStore,
  type Adjacency,
  type Answered,
  type Curator,
  type Query,
  type Store,
} from '@lethe/core';
import { centralCurator } from '@lethe/curator';
import type { OpenRawSilo } from '@lethe/curator/federation';
import type { Subject } from '../../law/subject.js';
import { openFixture, type Fixture, type FixtureOptions } from '../curator/fixture.js';

/** Entries of a point. */
export const dimension = 3;
/** Unequal silos, with their weights. */
export const sizes = [6, 4, 8] as const;
export const weights = [0.5, 0.3, 0.2] as const;

const rowsOf = (silo: number, slots: number): readonly (readonly number[])[] =>
  Array.from({ length: slots }, (_, i) =>
    Array.from({ length: dimension }, (_other, j) => Math.sin(1 + silo + 2 * i + 3 * j) / 2),
  );

/** What one silo is opened with. */
export interface SiloOptions extends Partial<
  Pick<FixtureOptions, 'run' | 'store' | 'randomness' | 'planned' | 'limit' | 'plugins'>
> {
  readonly adjacency: Adjacency;
}

/** What the fixture of a silo is opened with. */
export const siloOptions = (silo: number, given: SiloOptions): FixtureOptions => ({
  rows: rowsOf(silo, sizes[silo]),
  loss: 'linear',
  domain: { featureNorm: 1, iterateNorm: 10 },
  outside: 'clip',
  randomness: `silo ${silo}`,
  ...given,
});

/** One silo alone, with its own ledger and randomness. */
export function openSilo({ registry }: Subject<'federation'>, silo: number, given: SiloOptions): Fixture {
  return openFixture(
    { kind: 'curator', name: 'silo', claims: [], registry, open: centralCurator },
    siloOptions(silo, given),
  );
}

/** The same of a silo that trusts its server. */
export function openRawSilo(
  { registry, raw }: Subject<'federation'>,
  silo: number,
  given: SiloOptions,
  terms: { readonly simulatedShares?: number } = {},
): { readonly fixture: Fixture; readonly silo: OpenRawSilo } {
  let opened: OpenRawSilo | undefined;
  const fixture = openFixture(
    {
      kind: 'curator',
      name: 'raw silo',
      claims: [],
      registry,
      open: (own) => {
        opened = raw({ ...own, ...terms, silos: sizes.length, weights });
        const { sumFor, ...rest } = opened;
        return { ...rest, answer: sumFor } as unknown as Curator<Answered>;
      },
    },
    siloOptions(silo, given),
  );
  return { fixture, silo: opened as OpenRawSilo };
}

/** What silos were asked and said, by federation. */
export interface Heard {
  readonly silo: number;
  readonly index: number;
  readonly query: Query;
  readonly said: Answered;
}

/** A federation of three silos that listens to them. */
export interface Joint {
  readonly curator: Curator<Answered>;
  readonly silos: readonly Fixture[];
  readonly heard: Heard[];
  readonly stores: readonly Store[];
}

/** How silos fail, before or after they are asked. */
export interface Failing {
  readonly stores?: readonly Store[];
  readonly before?: (silo: number, index: number, query: Query) => void;
  readonly after?: (silo: number, index: number, said: Answered) => Answered;
  readonly isAbsence?: (error: unknown) => boolean;
}

/** Opens three silos and joins them. */
export function openJoint(
  subject: Subject<'federation'>,
  adjacency: Adjacency,
  { stores = sizes.map(() => memoryStore()), before, after, isAbsence }: Failing = {},
): Joint {
  const heard: Heard[] = [];
  const silos = stores.map((store, silo) => openSilo(subject, silo, { adjacency, store }));
  const curator = subject.join({
    weights,
    ...(isAbsence === undefined ? {} : { isAbsence }),
    silos: silos.map(({ curator: inner }, silo) => ({
      ...inner,
      answer(index, query) {
        before?.(silo, index, query);
        const said = inner.answer(index, query);
        heard.push({ silo, index, query, said });
        return after?.(silo, index, said) ?? said;
      },
    })),
  });
  return { curator, silos, heard, stores };
}
