import { defined } from '@lethe/numerics';
import { coreIds, mutants, seeds, tightSubjects } from './corpus.js';
import { kill, rejections, type Death, type Effort } from './kill.js';

/** What became of one mutant under one seed, and how long its laws took. */
export interface TimedDeath extends Death {
  readonly kind: string;
  readonly seconds: number;
}

/** The mutants of one kind. */
export interface KindReport {
  readonly kind: string;
  readonly killed: number;
  readonly total: number;
  readonly seconds: number;
  /** How many deaths each law was the cause of, the most first. */
  readonly laws: readonly { readonly law: string; readonly deaths: number }[];
}

/** Results printed by `npm run mutants`. */
export interface MutantReport {
  /** Mutants detected on every seed. */
  readonly killed: number;
  readonly total: number;
  readonly survivors: readonly {
    readonly id: string;
    readonly title: string;
    readonly seed: string;
    readonly spared: readonly string[];
  }[];
  /** The same for the mutants of the design's list. */
  readonly core: { readonly killed: number; readonly total: number; readonly missing: readonly string[] };
  readonly kinds: readonly KindReport[];
  readonly deaths: readonly TimedDeath[];
}

/** Selection of mutants, and effort. */
export interface MutantOptions {
  readonly only?: readonly string[];
  readonly kinds?: readonly string[];
  readonly seeds?: readonly string[];
  /** @defaultValue 1 */
  readonly effort?: Effort;
  readonly onDeath?: (death: TimedDeath) => void;
}

/** Runs the laws on every selected mutant and seed. */
export async function tryMutants(options: MutantOptions = {}): Promise<MutantReport> {
  const isAll = options.only === undefined && options.kinds === undefined;
  const unknown = [
    ...(options.only ?? []).filter((id) => !mutants.some((mutant) => mutant.id === id)),
    ...(options.kinds ?? []).filter((kind) => !mutants.some((mutant) => mutant.kind === kind)),
  ];
  if (unknown.length > 0)
    throw new Error(
      `there are no mutants ${unknown.join(', ')}; there are those of the kinds ` +
        `${[...new Set(mutants.map(({ kind }) => kind))].join(', ')}`,
    );
  const chosen = mutants.filter(
    ({ id, kind }) => options.only?.includes(id) !== false && options.kinds?.includes(kind) !== false,
  );
  const deaths: TimedDeath[] = [];
  for (const mutant of chosen) {
    for (const seed of options.seeds ?? seeds) {
      const started = performance.now();
      const found = await kill(mutant, seed, options.effort);
      const death = { ...found, kind: mutant.kind, seconds: (performance.now() - started) / 1000 };
      deaths.push(death);
      options.onDeath?.(death);
    }
  }
  const alive = new Set(deaths.filter(({ law }) => law === null).map(({ id }) => id));
  const core = chosen.filter(({ id }) => coreIds.includes(id));
  return {
    killed: chosen.length - alive.size,
    total: chosen.length,
    survivors: deaths
      .filter(({ law }) => law === null)
      .map(({ id, seed, spared }) => ({
        id,
        title: defined(mutants.find((mutant) => mutant.id === id)).title,
        seed,
        spared,
      })),
    core: {
      killed: core.filter(({ id }) => !alive.has(id)).length,
      total: core.length,
      missing: isAll ? coreIds.filter((id) => !core.some((mutant) => mutant.id === id)) : [],
    },
    kinds: kindsOf(deaths),
    deaths,
  };
}

function kindsOf(deaths: readonly TimedDeath[]): readonly KindReport[] {
  return [...new Set(deaths.map(({ kind }) => kind))].map((kind) => {
    const own = deaths.filter((death) => death.kind === kind);
    const alive = own.filter(({ law }) => law === null);
    const total = new Set(own.map(({ id }) => id)).size;
    const laws = new Map<string, number>();
    for (const { law } of own) if (law !== null) laws.set(law, (laws.get(law) ?? 0) + 1);
    return {
      kind,
      killed: total - new Set(alive.map(({ id }) => id)).size,
      total,
      seconds: own.reduce((sum, { seconds }) => sum + seconds, 0),
      laws: [...laws].map(([law, count]) => ({ law, deaths: count })).toSorted((a, b) => b.deaths - a.deaths),
    };
  });
}

/**
 * Correct subjects rejected by a law, over `count` seeds. Exact
 * laws use little randomness, so they run on the first seed only.
 */
export async function tryTight(
  count: number,
  options: {
    readonly effort?: number;
    readonly only?: readonly string[];
    readonly onSubject?: (id: string, rejected: number) => void;
  } = {},
): Promise<readonly { readonly id: string; readonly seed: string; readonly law: string }[]> {
  const rejected: { id: string; seed: string; law: string }[] = [];
  for (const tight of tightSubjects.filter(
    ({ id }) => options.only === undefined || options.only.includes(id),
  )) {
    const before = rejected.length;
    for (let k = 1; k <= count; k++) {
      const tiers = k === 1 ? {} : { tiers: ['search', 'statistical', 'nightly'] as const };
      const laws = await rejections(tight, `tight-${k}`, {
        ...tiers,
        ...(options.effort === undefined ? {} : { effort: options.effort }),
      });
      for (const law of laws) rejected.push({ id: tight.id, seed: `tight-${k}`, law });
    }
    options.onSubject?.(tight.id, rejected.length - before);
  }
  return rejected;
}
