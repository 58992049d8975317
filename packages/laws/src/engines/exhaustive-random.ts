import { InvalidParameter, Unsupported, type RandomSource } from '@lethe/core';

/** Finitely many values of one draw, with their probabilities. */
export type Atoms = readonly { readonly value: number; readonly probability: number }[];

/**
 * Finite stand-ins for draws that have too many values to list. An enumeration with them is exact where the code under test
 * tells no two values of one cell apart: thresholds of a uniform on multiples of `1/n` for {@link uniformCells}, rows of a
 * Poisson sample for {@link gapAtoms}. A draw without a stand-in cannot be enumerated.
 */
export interface StandIns { readonly uniform?: Atoms; readonly exponential?: Atoms; readonly laplace?: Atoms; readonly gaussian?: Atoms; readonly bits32?: Atoms; readonly bits53?: Atoms }

/** One way all choices can go. */
export interface Outcome<T> {
  readonly value: T;
  readonly probability: number;
  /** `probability` is one in so many, exactly; `null` when a stand-in was drawn or the number is above 2⁵³. */
  readonly outOf: number | null;
}

/** How many outcomes are too many, and how draws without finitely many values are replaced. */
export interface EnumerateOptions extends StandIns {
  /** @defaultValue 20 000 */
  readonly limit?: number;
}

/**
 * Runs `run` once for every way its random choices can go, depth first, and returns what came of each with its exact probability.
 * Every draw of `integer(below)` and every byte has its values listed, in every fork; `bits32`, `bits53` and draws from
 * densities only through stand-ins. As with a real source, a fork made twice begins the same stream again, and streams of different
 * labels are independent.
 *
 * @param run - Must depend on nothing but its source, and return what later runs do not overwrite.
 * @returns `null` when there are more than `limit` outcomes, for a draw without a stand-in, for a fork's key, and when two
 * walks through one stream draw differently from it.
 * @throws {Unsupported} when `run`, given the same choices again, draws otherwise. Whatever `run` throws.
 */
export function enumerate<T>(run: (random: RandomSource) => T, { limit = 20_000, ...standIns }: EnumerateOptions = {}): readonly Outcome<T>[] | null {
  const outcomes: Outcome<T>[] = [];
  let path: Choice[] = [];
  for (;;) {
    const walk = startWalk(path, limit - outcomes.length);
    let value: T;
    try {
      value = run(sourceAt(newStream(), walk, standIns));
    } catch (error) {
      if (walk.refused) return null;
      throw error;
    }
    if (walk.refused) return null;
    if (walk.depth < path.length) throw notRepeated();
    outcomes.push({ value, ...weightOf(path) });
    path = path.slice(0, 1 + path.findLastIndex(({ taken, atoms }) => taken + 1 < atoms));
    const last = path.at(-1);
    if (last === undefined) return outcomes;
    path[path.length - 1] = { ...last, taken: last.taken + 1 };
  }
}

/** Total probability of the outcomes with one key, keys in the order they were met. */
export function probabilities<T>(outcomes: readonly Outcome<T>[], keyOf: (value: T) => string): ReadonlyMap<string, number> {
  const total = new Map<string, number>();
  for (const { value, probability } of outcomes) total.set(keyOf(value), (total.get(keyOf(value)) ?? 0) + probability);
  return total;
}

/** The same as whole numbers out of `of`, exact; `null` unless every outcome is equally likely. */
export function counts<T>(outcomes: readonly Outcome<T>[], keyOf: (value: T) => string): { readonly of: number; readonly counts: ReadonlyMap<string, number> } | null {
  if (!outcomes.every(({ outOf }) => outOf === outcomes.length)) return null;
  const total = new Map<string, number>();
  for (const { value } of outcomes) total.set(keyOf(value), (total.get(keyOf(value)) ?? 0) + 1);
  return { of: outcomes.length, counts: total };
}

/** The middles of `cells` equal parts of (0, 1). */
export const uniformCells = (cells: number): Atoms => Array.from({ length: cells }, (_, i) => ({ value: (i + 0.5) / cells, probability: 1 / cells }));

/**
 * Exponential draws that give `poissonSample` of core each gap between rows with its probability, `(1 − rate)^k rate`. All draws
 * are enumerated, also those behind the last row: `(rows + 1)^(rows + 1)` outcomes, so that 4 rows are as many as fit.
 */
export function gapAtoms(rate: number, rows: number): Atoms {
  if (rate === 0 || rate === 1) return [{ value: 1, probability: 1 }];
  const decay = -Math.log1p(-rate);
  return Array.from({ length: rows + 1 }, (_, k) => ({ value: (k + 0.5) * decay, probability: (1 - rate) ** k * (k < rows ? rate : 1) }));
}

/** One draw with more than one value: how many it has, which one was taken, and how likely that was. */
interface Choice { readonly what: string; readonly atoms: number; readonly taken: number; readonly standIn: Atoms | null }
/** Choices of one run: those before `depth` were made by earlier runs, the rest are the first of their draws. */
interface Walk { readonly path: Choice[]; depth: number; refused: boolean; spare: number; readonly replayed: number }
/** What was drawn from one stream so far in a run, for whoever walks through it again. */
interface Stream { readonly drawn: { readonly what: string; readonly taken: number }[]; readonly forks: Map<string | number, Stream> }

const newStream = (): Stream => ({ drawn: [], forks: new Map() });
const notRepeated = (): Unsupported => new Unsupported('the code under enumeration draws otherwise when given the same choices again; it must depend on its source alone', {});

function startWalk(path: Choice[], room: number): Walk {
  const pending = path.reduce((sum, { atoms, taken }) => sum + atoms - 1 - taken, 0);
  return { path, depth: 0, refused: false, spare: room - 1 - pending, replayed: path.length };
}

function refuse(walk: Walk, why: string): never {
  walk.refused = true;
  throw new Unsupported(`this cannot be enumerated: ${why}`, { why });
}

/** Which of `atoms` values the draw has in this run. */
function choose(walk: Walk, what: string, atoms: number, standIn: Atoms | null): number {
  if (atoms === 1 && standIn === null) return 0;
  if (walk.depth < walk.replayed) {
    const choice = walk.path[walk.depth++]!;
    if (choice.what !== what) throw notRepeated();
    return choice.taken;
  }
  // Every branch left open leads to one outcome at least.
  walk.spare -= atoms - 1;
  if (walk.spare < 0) refuse(walk, 'it has more outcomes than the limit');
  walk.path.push({ what, atoms, taken: 0, standIn });
  walk.depth++;
  return 0;
}

function weightOf(path: readonly Choice[]): { readonly probability: number; readonly outOf: number | null } {
  let [weight, ways, equal] = [1, 1, true];
  for (const { standIn, taken, atoms } of path) {
    if (standIn === null) ways *= atoms;
    else { weight *= standIn[taken]!.probability; equal = false; }
  }
  return { probability: weight / ways, outOf: equal && Number.isSafeInteger(ways) ? ways : null };
}

function sourceAt(stream: Stream, walk: Walk, standIns: StandIns): RandomSource {
  let position = 0;
  const draw = (what: string, atoms: number, standIn: Atoms | null): number => {
    const at = position++;
    const before = stream.drawn[at];
    if (before === undefined) {
      const taken = choose(walk, what, atoms, standIn);
      stream.drawn.push({ what, taken });
      return taken;
    }
    return before.what === what ? before.taken : refuse(walk, `one stream is walked through twice, drawing first ${before.what} and then ${what}`);
  };
  const below = (what: string, count: number): number => draw(`${what}(${count})`, count, null);
  const from = (name: keyof StandIns): number => {
    const atoms = standIns[name];
    return atoms === undefined ? refuse(walk, `${name} has too many values and no stand-in`) : atoms[draw(name, atoms.length, atoms)]!.value;
  };
  const fill = (name: 'gaussian' | 'laplace', out: Float64Array): Float64Array => {
    for (let i = 0; i < out.length; i++) out[i] = from(name);
    return out;
  };
  return {
    kind: 'seeded',
    integer(count) {
      if (!Number.isSafeInteger(count) || count < 1) throw new InvalidParameter(`integer(${count}) cannot be drawn; the bound must be a whole number from 1 to 2^53 - 1`, { below: count });
      return below('integer', count);
    },
    bytes(count) {
      if (!Number.isSafeInteger(count) || count < 0) throw new InvalidParameter(`${count} bytes cannot be drawn; give a whole number from 0 on`, { count });
      return Uint8Array.from({ length: count }, () => below('byte', 256));
    },
    uniform: () => from('uniform'),
    exponential: () => from('exponential'),
    bits32: () => from('bits32'),
    bits53: () => from('bits53'),
    gaussianInto: (out) => fill('gaussian', out),
    laplaceInto: (out) => fill('laplace', out),
    key: () => refuse(walk, 'a key has too many values'),
    fork(label) {
      if (typeof label === 'number' && !Number.isFinite(label)) throw new InvalidParameter(`a source cannot be forked at ${label}; use a finite number or a string`, { label: String(label) });
      const child = stream.forks.get(label) ?? newStream();
      stream.forks.set(label, child);
      return sourceAt(child, walk, standIns);
    },
  };
}
