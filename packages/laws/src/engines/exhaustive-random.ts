import { InvalidParameter, Unsupported, type RandomSource } from '@lethe/core';

/** Values of a draw, with their probabilities. */
export type Atoms = readonly { readonly value: number; readonly probability: number }[];

/**
 * Finite replacements for draws with too many values. An enumeration with them is exact if the code under
 * test does not distinguish values of one cell: thresholds of a uniform on multiples of `1/n` for
 * {@link uniformCells}, rows of a Poisson sample for {@link gapAtoms}. A draw without a replacement cannot be
 * enumerated.
 */
export interface StandIns {
  readonly uniform?: Atoms;
  readonly exponential?: Atoms;
  readonly laplace?: Atoms;
  readonly gaussian?: Atoms;
  readonly bits32?: Atoms;
  readonly bits53?: Atoms;
}

/** One outcome of all choices. */
export interface Outcome<T> {
  readonly value: T;
  readonly probability: number;
  /** Exact denominator of `probability`, 1/outOf; `null` with a replacement draw or above 2⁵³. */
  readonly outOf: number | null;
}

/** Maximum number of outcomes, and replacements for draws without finitely many values. */
export interface EnumerateOptions extends StandIns {
  /** @defaultValue 20 000 */
  readonly limit?: number;
}

/**
 * Runs `run` once for every outcome of its random choices, depth first, and returns each result with its
 * exact probability. Enumerates every draw of `integer(below)` and every byte, in every fork; `bits32`,
 * `bits53` and draws from densities only with replacements. As with a real source, equal forks restart the
 * same stream, and streams of different labels are independent.
 *
 * @param run - Must depend on its source alone, and return values that later runs do not overwrite.
 * @returns `null` for more than `limit` outcomes, a draw without a replacement, a fork's key, and two
 * different draws at the same position of one stream.
 * @throws {Unsupported} when `run` draws differently after the same choices. Rethrows errors of `run`.
 */
export function enumerate<T>(
  run: (random: RandomSource) => T,
  { limit = 20_000, ...standIns }: EnumerateOptions = {},
): readonly Outcome<T>[] | null {
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

/** Total probability of the outcomes with equal keys, in order of first occurrence. */
export function probabilities<T>(
  outcomes: readonly Outcome<T>[],
  keyOf: (value: T) => string,
): ReadonlyMap<string, number> {
  const total = new Map<string, number>();
  for (const { value, probability } of outcomes)
    total.set(keyOf(value), (total.get(keyOf(value)) ?? 0) + probability);
  return total;
}

/** The same as exact integers out of `of`; `null` unless all outcomes are equally likely. */
export function counts<T>(
  outcomes: readonly Outcome<T>[],
  keyOf: (value: T) => string,
): { readonly of: number; readonly counts: ReadonlyMap<string, number> } | null {
  if (!outcomes.every(({ outOf }) => outOf === outcomes.length)) return null;
  const total = new Map<string, number>();
  for (const { value } of outcomes) total.set(keyOf(value), (total.get(keyOf(value)) ?? 0) + 1);
  return { of: outcomes.length, counts: total };
}

/** The midpoints of `cells` equal parts of (0, 1). */
export const uniformCells = (cells: number): Atoms =>
  Array.from({ length: cells }, (_, i) => ({ value: (i + 0.5) / cells, probability: 1 / cells }));

/**
 * Exponential draws that give core's `poissonSample` each gap between rows with its probability,
 * `(1 − rate)^k rate`. All draws are enumerated, also those after the last row: `(rows + 1)^(rows + 1)`
 * outcomes, so 4 rows are the maximum.
 */
export function gapAtoms(rate: number, rows: number): Atoms {
  if (rate === 0 || rate === 1) return [{ value: 1, probability: 1 }];
  const decay = -Math.log1p(-rate);
  return Array.from({ length: rows + 1 }, (_, k) => ({
    value: (k + 0.5) * decay,
    probability: (1 - rate) ** k * (k < rows ? rate : 1),
  }));
}

/** One draw with more than one value: number of values, current value, and its probability. */
interface Choice {
  readonly what: string;
  readonly atoms: number;
  readonly taken: number;
  readonly standIn: Atoms | null;
}
/** Choices of one run: those before `depth` come from earlier runs, later ones take their first value. */
interface Walk {
  readonly path: Choice[];
  depth: number;
  refused: boolean;
  spare: number;
  readonly replayed: number;
}
/** Draws from one stream so far in a run, for another pass through it. */
interface Stream {
  readonly drawn: { readonly what: string; readonly taken: number }[];
  readonly forks: Map<string | number, Stream>;
}

const newStream = (): Stream => ({ drawn: [], forks: new Map() });
const notRepeated = (): Unsupported =>
  new Unsupported(
    'the code under enumeration draws differently after the same choices; it must depend on its source alone',
    {},
  );

function startWalk(path: Choice[], room: number): Walk {
  const pending = path.reduce((sum, { atoms, taken }) => sum + atoms - 1 - taken, 0);
  return { path, depth: 0, refused: false, spare: room - 1 - pending, replayed: path.length };
}

function refuse(walk: Walk, why: string): never {
  walk.refused = true;
  throw new Unsupported(`this cannot be enumerated: ${why}`, { why });
}

/** The value of the draw in this run, among `atoms` values. */
function choose(walk: Walk, what: string, atoms: number, standIn: Atoms | null): number {
  if (atoms === 1 && standIn === null) return 0;
  if (walk.depth < walk.replayed) {
    const choice = walk.path[walk.depth++];
    if (choice.what !== what) throw notRepeated();
    return choice.taken;
  }
  // Every open branch has at least one outcome.
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
    else {
      weight *= standIn[taken].probability;
      equal = false;
    }
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
    return before.what === what
      ? before.taken
      : refuse(walk, `one stream is used twice, first for ${before.what} and then for ${what}`);
  };
  const below = (what: string, count: number): number => draw(`${what}(${count})`, count, null);
  const from = (name: keyof StandIns): number => {
    const atoms = standIns[name];
    return atoms === undefined
      ? refuse(walk, `${name} has too many values and no replacement`)
      : atoms[draw(name, atoms.length, atoms)].value;
  };
  const fill = (name: 'gaussian' | 'laplace', out: Float64Array): Float64Array => {
    for (let i = 0; i < out.length; i++) out[i] = from(name);
    return out;
  };
  return {
    kind: 'seeded',
    integer(count) {
      if (!Number.isSafeInteger(count) || count < 1)
        throw new InvalidParameter(
          `integer(${count}) cannot be drawn; the bound must be an integer from 1 to 2^53 - 1`,
          { below: count },
        );
      return below('integer', count);
    },
    bytes(count) {
      if (!Number.isSafeInteger(count) || count < 0)
        throw new InvalidParameter(`${count} bytes cannot be drawn; give a whole number from 0 on`, {
          count,
        });
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
      if (typeof label === 'number' && !Number.isFinite(label))
        throw new InvalidParameter(`a source cannot be forked at ${label}; use a finite number or a string`, {
          label: String(label),
        });
      const child = stream.forks.get(label) ?? newStream();
      stream.forks.set(label, child);
      return sourceAt(child, walk, standIns);
    },
  };
}
