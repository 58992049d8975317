import {
  ask,
  freeEvent,
  memoryStore,
  openLog,
  type Answer,
  type Answered,
  type Batch,
  type Curator,
  type MeanQuery,
  type Problem,
  type Program,
  type Query,
  type Run,
  type Store,
  type StoredPlan,
  type Stream,
  type Vector,
} from '@lethe/core';
import {
  Corrupt,
  encode,
  keyedHash128,
  randomFromKey,
  seededRandom,
  type RandomSource,
} from '@lethe/numerics';

export const allRecords = { id: 'everyone', normaliser: 100, size: 'exact', scope: null } as unknown as Batch;
export const start = Float64Array.of(1, -2, 0.5);
export const randomness = (): RandomSource => seededRandom('public');

/**
 * Every digest that was ever answered, by index: a second one
 * at an index would reveal the difference of two answers.
 */
export type Answers = Map<number, Set<string>>;

interface Entry {
  readonly index: number;
  readonly digest: string;
}
const isEntry = (line: unknown): line is Entry =>
  typeof line === 'object' && line !== null && 'index' in line;
const hex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

export interface FakeOptions {
  readonly run?: string;
  readonly seen?: Answers;
  readonly note?: (what: string) => void;
  readonly answer?: (query: Query, index: number) => unknown;
}

/**
 * A curator with keyed randomness and a secret log, and no data: an
 * answer is the point asked about plus keyed noise.
 */
export function fakeCurator(
  secret: Store,
  { run = 'run-1', seen, note, answer = undefined }: FakeOptions = {},
): Curator<Answered> {
  const log = openLog(secret, { magic: 'fake-ledger' });
  const root = seededRandom('secret').key();
  if (log.count === 0) log.append({ run, key: root });
  const entries = log.records.filter(isEntry);
  const digestOf = (query: Query): string => hex(keyedHash128(root.subarray(0, 16), encode(query)));
  const noise = ({ index, digest }: Entry, length: number): Vector =>
    randomFromKey(root, 'secure').fork(index).fork(digest).gaussianInto(new Float64Array(length));
  const assertSame = (index: number, digest: string): void => {
    if (entries[index]?.digest !== digest)
      throw new Corrupt(`query ${index} is not the one on record`, { index });
  };
  return {
    facts: { run, simulation: true, assumptions: [] },
    allRecords,
    answer(index, query) {
      const digest = digestOf(query);
      if (index > entries.length)
        throw new Corrupt(`query ${index} was asked after ${entries.length}`, { index });
      if (index < entries.length) assertSame(index, digest);
      else {
        log.append({ index, digest });
        entries.push({ index, digest });
      }
      note?.(`answer ${index}`);
      seen?.set(index, (seen.get(index) ?? new Set()).add(digest));
      return {
        answer: (answer === undefined
          ? honest(query, (length) => noise({ index, digest }, length), index)
          : answer(query, index)) as Answer,
        digest,
      };
    },
    replay(index, query, digest) {
      note?.(`replay ${index}`);
      assertSame(index, digest);
      assertSame(index, digestOf(query));
    },
    recorded: () => entries.length,
    spent: () => freeEvent,
  };
}

const batch = (id: string, scope: string | null): Batch => ({ ...allRecords, id, scope }) as Batch;

function honest(query: Query, noise: (length: number) => Vector, index: number): Answer {
  switch (query.ask) {
    case 'draw':
      return batch(`b${index}`, `b${index}`);
    case 'split': {
      const chosenOf = () => {
        if (query.parts.by === 'size') return query.parts.sizes;
        return query.parts.by === 'weight' ? query.parts.weights : [1];
      };
      return chosenOf().map((_, part) => batch(`b${index}/${part}`, null));
    }
    case 'close':
      return null;
    case 'open':
      return { id: `s${index}` } as unknown as Stream;
    case 'value':
      return noise(1)[0];
    case 'select':
      return { point: noise(query.start.length), score: noise(1)[0] };
    case 'minimiser':
      return noise(query.centre.length);
    case 'descend':
      return noise(query.start.length);
    case 'localUpdate':
      return noise(query.from.length);
    case 'choose':
      return noise(start.length);
    case 'afford':
      return true;
    default: {
      const { at } = query.of.terms[0];
      const drawn = noise(at.length);
      return at.map((x, i) => x + drawn[i]);
    }
  }
}

const problem: Problem = {
  adjacency: 'zero-out',
  trust: { model: 'central' },
  dimension: 3,
  slots: [100],
  domain: { kind: 'domain', name: 'whole-space', params: {} },
  loss: { kind: 'loss', name: 'squared', params: {} },
  capabilities: {},
  facts: {},
};
export type Steps = Run['steps'];
export const toyRun = (steps: Steps, changes: Partial<Run> = {}): Run => ({
  name: 'toy',
  problem,
  plan: { event: freeEvent, utility: null, gradients: 1 },
  steps,
  ...changes,
});

/** A plan as a store holds it. */
export const toyPlan: StoredPlan = {
  format: 1,
  lethe: '0.1.0',
  optimizer: 'toy',
  mark: 'a mark',
  problem,
  budget: { epsilon: 1, delta: 0 },
  plan: { event: freeEvent, utility: null, gradients: 1 },
  priced: true,
};

const clip = { kind: 'clip', name: 'l2', params: { radius: 1 } } as const;
export const noiseOf = {
  mechanism: { kind: 'mechanism', name: 'gaussian', params: {} },
  target: { noiseMultiplier: 2 },
} as const;
export const byNoise: Pick<MeanQuery, 'mean' | 'target'> = {
  mean: { kind: 'mean', name: 'clipped', params: { clip, mechanism: noiseOf.mechanism } },
  target: noiseOf.target,
};
export const meanAt = (at: Vector): Program<Vector> => ask.mean({ at, batch: allRecords, ...byNoise });

/** The first query of a computation. */
export const posed = (asking: Program<unknown>): Query => asking.next().value as Query;

/**
 * Gradient steps in place on one array, with public coins: the
 * arrays of its queries change after every answer.
 */
export const descent = toyRun(function* ({ start: w, random }) {
  for (let t = 0; t < 8; t++) {
    const g = yield* meanAt(w);
    const move = random.uniform();
    for (let i = 0; i < w.length; i++) w[i] -= 0.1 * g[i] + 0.01 * move;
    g.fill(NaN);
  }
  return w;
});

/** Asks one query of every kind. */
export const everyKind = toyRun(function* ({ start: w, allRecords: all }) {
  const drawn = yield* ask.draw({
    sampler: { kind: 'sampler', name: 'poisson', params: { rate: 0.1 } },
    from: all,
  });
  const [left, right] = yield* ask.split({
    of: drawn,
    order: 'shuffled',
    parts: { by: 'weight', weights: [1, 2] },
  });
  const g = yield* ask.mean({ at: w, coordinates: Uint32Array.of(0, 2), batch: left, ...byNoise });
  const stream = yield* ask.open({
    prefixSum: { kind: 'prefixSum', name: 'tree', params: {} },
    steps: 2,
    dimension: 3,
    bound: { by: 'clip', clip },
    noise: noiseOf,
    participation: { times: 1, gap: 1 },
    normaliser: 10,
  });
  const p = yield* ask.push({
    stream,
    terms: [
      { weight: 1, at: g },
      { weight: -1, at: w },
    ],
    batch: right,
  });
  const v = yield* ask.value({
    statistic: { of: 'risk-difference', reference: w },
    at: p,
    batch: all,
    noise: noiseOf,
  });
  const m = yield* ask.minimiser({
    lambda: Math.exp(v),
    centre: w,
    domain: problem.domain,
    batch: all,
    solver: { kind: 'solver', name: 'x', params: {} },
    tolerance: 0,
    bound: { by: 'certificate', fact: 'lipschitz' },
    norm: 2,
    noise: noiseOf,
  });
  const y = yield* ask.descend({
    start: m,
    domain: problem.domain,
    batch: all,
    steps: [{ count: 10, stepSize: 0.1, batchSize: 10 }],
    release: 'last',
    noiseOn: 'answer',
    bound: { by: 'certificate', fact: 'lipschitz' },
    noise: noiseOf,
  });
  const c = yield* ask.choose({
    candidates: { by: 'list', points: [y, w] },
    statistic: { of: 'risk' },
    batch: all,
    target: { epsilon: 1 },
  });
  const { point, score } = yield* ask.select({
    base: toyPlan,
    start: c,
    batch: all,
    score: { statistic: { of: 'risk' }, noise: noiseOf },
    stopProbability: 0.5,
    cap: 3,
  });
  yield* ask.close(drawn);
  return point.map((x) => x * score);
});

/** Can be resumed before every step, with randomness forked by step so that no stream has to be rewound. */
export const checkpointed = toyRun(function* ({ start: begin, random, state, rounds }) {
  const { w, tail } = state({ w: begin, tail: [Infinity, 'x', { deep: 1 }], next: null as number | null });
  for (const t of rounds(9)) {
    const g = yield* meanAt(w);
    const move = random.fork(t - 1).uniform();
    for (let i = 0; i < w.length; i++) w[i] -= 0.1 * g[i] + (0.01 * move * (tail as unknown[]).length) / 3;
  }
  return w;
});

/**
 * All that loops can be: inside one another, of lengths that change, after one another, left early, none at
 * all, with states of their own, and values taken from states before a loop and used after it.
 */
export const restless = toyRun(function* ({ start: begin, allRecords: all, random, state, rounds, parts }) {
  const now = state({ w: begin, seen: { count: 0 }, left: 0 });
  const { w } = now;
  const first = yield* meanAt(w);
  for (const t of rounds(4)) {
    const anchor = w.slice();
    const offset = now.seen.count;
    const halves =
      t % 2 === 0
        ? yield* ask.split({ of: all, order: 'shuffled', parts: { by: 'size', sizes: [2, 3] } })
        : [];
    const full = yield* meanAt(anchor);
    const own = state({ sum: new Float64Array(w.length) });
    for (const k of rounds(t === 3 ? 0 : 3)) {
      const g = yield* meanAt(w);
      const move = random.fork(`${t}/${k}`).uniform();
      for (let i = 0; i < w.length; i++) w[i] -= 0.1 * (g[i] + full[i] - anchor[i]) + move / (1 + offset);
      for (let i = 0; i < w.length; i++) own.sum[i] += w[i];
      now.seen.count++;
      if (t === 4 && k === 2) break;
    }
    const between = yield* meanAt(own.sum);
    for (const [place, half] of parts(halves)) {
      const g = yield* ask.mean({ at: w, batch: half, ...byNoise });
      for (let i = 0; i < w.length; i++) w[i] += 0.01 * place * (g[i] - between[i]) + first[i] / 100;
    }
    now.left += offset;
  }
  const last = yield* meanAt(w);
  return w.map((x, i) => x + last[i] + now.left);
});

/**
 * A store that keeps every content it could have been left with:
 * after each call, and at every byte of an append.
 */
export function recordingStore(initial?: Uint8Array): Store & { readonly states: Uint8Array[] } {
  const inner = memoryStore(initial);
  const states = [inner.read()];
  const keep = (): void => {
    states.push(inner.read());
  };
  return {
    states,
    read: () => inner.read(),
    append(bytes) {
      for (const byte of bytes) {
        inner.append(Uint8Array.of(byte));
        keep();
      }
    },
    truncate(length) {
      inner.truncate(length);
      keep();
    },
    replace(bytes) {
      inner.replace(bytes);
      keep();
    },
  };
}

/** A store whose `fatal`-th writing call fails after writing `partly` bytes of it. */
export function failingStore(
  fatal: number,
  partly: number,
  initial?: Uint8Array,
): Store & { calls(): number } {
  const inner = memoryStore(initial);
  let calls = 0;
  const isFatal = (): boolean => calls++ === fatal;
  return {
    calls: () => calls,
    read: () => inner.read(),
    truncate: (length) => inner.truncate(length),
    append(bytes) {
      if (!isFatal()) {
        inner.append(bytes);
        return;
      }
      inner.append(bytes.subarray(0, partly));
      throw new Error('power failed');
    },
    replace(bytes) {
      if (isFatal()) throw new Error('power failed');
      inner.replace(bytes);
    },
  };
}
