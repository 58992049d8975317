import { LetheError, openLedger, type Batch, type CentralCurator, type Ledger, type Query, type Stream } from '@lethe/core';
import { acceleratedGradient, clippedGaussian, exponential, gaussian, independentIncrements, l1BallDomain, l2BallDomain, poisson } from '@lethe/mechanisms';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { clip, dimension, noise, world } from '../world.js';
import { expectRefused, spoilt, strangeNumbers, typedOutcome } from './refused.js';

const domain = { featureNorm: 3, labelBound: 20, iterateNorm: 1 };
const at = new Float64Array(dimension);
const of = { terms: [{ weight: 1, at }, { weight: -0.5, at: Float64Array.of(0.1, 0, 0) }] };
const certificate = { by: 'certificate', fact: 'lipschitz' } as const;

/** One well-formed query of every kind and form. */
function goodQueries(everyone: Batch, stream: Stream): Readonly<Record<string, Query>> {
  const solver = acceleratedGradient({ iterations: 400 });
  return {
    'draw': { ask: 'draw', sampler: poisson({ rate: 0.25 }), from: everyone },
    'split by size': { ask: 'split', of: everyone, order: 'shuffled', parts: { by: 'size', sizes: [4, 4] } },
    'split by weight': { ask: 'split', of: everyone, order: 'stored', parts: { by: 'weight', weights: [0.5, 0.25] } },
    'close': { ask: 'close', batch: everyone },
    'mean by noise': { ask: 'mean', of: { ...of, coordinates: Uint32Array.of(2, 0) }, batch: everyone, release: { by: 'noise', bound: clip(1), noise: noise(1) } },
    'mean by certificate': { ask: 'mean', of, batch: everyone, release: { by: 'noise', bound: certificate, noise: { mechanism: gaussian({}), target: { epsilon: 1, delta: 1e-5 } } } },
    'mean by oracle': { ask: 'mean', of, batch: everyone, release: { by: 'oracle', oracle: clippedGaussian({ radius: 1 }), target: { rho: 0.5 } } },
    'open': { ask: 'open', prefixSum: independentIncrements({}), steps: 3, dimension, bound: clip(1), noise: noise(2), participation: { times: 1, gap: 1 }, normaliser: 4 },
    'push': { ask: 'push', stream, of: { terms: [{ weight: 1, at }] }, batch: everyone },
    'value of a risk': { ask: 'value', statistic: { of: 'risk' }, at, batch: everyone, noise: noise(1) },
    'value of a difference': { ask: 'value', statistic: { of: 'risk-difference', reference: Float64Array.of(0.5, 0, 0) }, at, batch: everyone, noise: noise(1) },
    'value of a norm': { ask: 'value', statistic: { of: 'gradient-norm', bound: clip(1) }, at, batch: everyone, noise: noise(1) },
    'minimiser': { ask: 'minimiser', lambda: 0.5, centre: at, domain: l2BallDomain({ radius: 1 }), batch: everyone, solver, tolerance: 1e-6, bound: certificate, norm: 2, noise: noise(1) },
    'choose from a list': { ask: 'choose', candidates: { by: 'list', points: [at, Float64Array.of(1, 0, 0)] }, statistic: { of: 'risk' }, batch: everyone, selector: exponential({}), target: { epsilon: 1 } },
    'choose from a lattice': { ask: 'choose', candidates: { by: 'lattice', domain: l1BallDomain({ radius: 1 }), spacing: 0.5, sparsity: 1 }, statistic: { of: 'gradient-norm', bound: clip(1) }, batch: everyone, selector: exponential({}), target: { epsilon: 1 } },
  };
}

let curator: CentralCurator;
let ledger: Ledger;
let good: ReturnType<typeof goodQueries>;
let next: number;

beforeAll(() => {
  ({ curator, ledger } = world({ domain }));
  const stream = curator.answer(0, { ask: 'open', prefixSum: independentIncrements({}), steps: 1000, dimension, bound: clip(1), noise: noise(2), participation: { times: 1000, gap: 1 }, normaliser: 4 }).answer as Stream;
  good = goodQueries(curator.everyone, stream);
  next = curator.recorded();
});

const names = Object.keys(goodQueries({} as Batch, {} as Stream));
const isFinite = (answer: unknown): boolean => (typeof answer === 'number' ? Number.isFinite(answer) : answer instanceof Float64Array ? answer.every(Number.isFinite) : true);

/** Either a finite answer that is on record, or a typed error after which nothing has changed. */
function answerOrRefuse(query: unknown): 'answered' | 'refused' {
  const before = { total: ledger.total(), recorded: curator.recorded() };
  const outcome = typedOutcome(() => curator.answer(next, query as Query));
  if ('error' in outcome) {
    expect(ledger.total()).toEqual(before.total);
    expect(curator.recorded()).toBe(before.recorded);
    return 'refused';
  }
  expect(isFinite(outcome.value.answer)).toBe(true);
  expect(curator.recorded()).toBe(before.recorded + 1);
  next += 1;
  return 'answered';
}

describe.each(names)('%s', (name) => {
  test('is answered when nothing is wrong with it', () => {
    expect(answerOrRefuse(good[name])).toBe('answered');
  });

  test('with any of its fields spoilt is answered or refused by a typed error, and a refusal costs nothing', () => {
    let refused = 0;
    fc.assert(fc.property(spoilt(good[name]), (query) => { if (answerOrRefuse(query) === 'refused') refused += 1; }), { numRuns: 300, seed: 5 });
    expect(refused).toBeGreaterThan(150);
  });
});

test('what is no query at all is refused', () => {
  fc.assert(fc.property(fc.anything(), (query) => { expectRefused(() => curator.answer(next, query as Query)); }), { numRuns: 300 });
  for (const ask of ['select', 'toString', '__proto__', 'checkpoint', 'Mean']) expectRefused(() => curator.answer(next, { ...good['mean by noise']!, ask } as never));
});

test('an index that is not the next whole number is refused before anything is written', () => {
  for (const index of [...strangeNumbers.filter((x) => x !== 0), '0', null, undefined, {}, [0]]) {
    const before = curator.recorded();
    const error = expectRefused(() => curator.answer(index as number, good['value of a risk']!));
    expect(error).toBeInstanceOf(LetheError);
    expect(curator.recorded()).toBe(before);
  }
});

test('forged and foreign batches and streams are refused, whatever they claim of themselves', () => {
  const other = world({ domain, run: 'other' }).curator;
  const [foreign] = other.answer(0, { ask: 'split', of: other.everyone, order: 'shuffled', parts: { by: 'size', sizes: [3] } }).answer as readonly Batch[];
  const forged = [foreign!, { ...curator.everyone, id: 'all' }, { ...curator.everyone, id: 'run/0' }, { ...curator.everyone, id: '' }, {}, 'everyone', null];
  for (const batch of forged) for (const name of names) {
    if (name === 'open') continue;
    const field = 'from' in good[name]! ? 'from' : 'of' in good[name]! && good[name]!.ask === 'split' ? 'of' : 'batch';
    expectRefused(() => curator.answer(next, { ...good[name]!, [field]: batch } as Query));
  }
  // What a token claims of itself is not believed: only its name counts.
  const lying = { ...curator.everyone, normaliser: 1e9, size: 'hidden' as const };
  const honest = world({ domain, run: 'honest' }).curator;
  const believed = world({ domain, run: 'honest' }).curator;
  const query = { ...good['value of a risk']!, noise: noise(1e-9) } as Query;
  expect(believed.answer(0, { ...query, batch: lying } as Query).answer as number).toBeCloseTo(honest.answer(0, query).answer as number, 6);
});

test('a target that can be read in two ways, or asks for no noise, releases nothing', () => {
  const base = good['mean by noise'] as Extract<Query, { ask: 'mean' }>;
  const lenient = world({ domain, allowUnprotected: true });
  for (const target of [{}, { noiseMultiplier: 1, unprotected: false }, { noiseMultiplier: 1, unprotected: true }, { rho: 1, epsilon: 1, delta: 0.1 }, { epsilon: 1 }, { delta: 0.1 }, { unprotected: false }, { unprotected: 'yes' }]) {
    const query = { ...base, release: { by: 'noise', bound: clip(1), noise: { mechanism: gaussian({}), target } } } as unknown as Query;
    expectRefused(() => curator.answer(next, query));
    expectRefused(() => lenient.curator.answer(0, query));
  }
  expectRefused(() => curator.answer(next, { ...base, release: { by: 'noise', bound: clip(1), noise: { mechanism: gaussian({}), target: { unprotected: true } } } }));
  expectRefused(() => curator.answer(next, { ...base, release: { by: 'noise', bound: clip(1), noise: { ...noise(1), targetBySilo: [] } } }));
});

test('a reference to a plugin of another kind is refused', () => {
  const base = good['mean by noise'] as Extract<Query, { ask: 'mean' }>;
  const wrong = [{ kind: 'mechanism', name: 'gaussian', params: {} }, { kind: 'loss', name: 'squared', params: {} }, { kind: 'clip', name: 'gaussian', params: {} }, { kind: 'clip', name: '__proto__', params: {} }];
  for (const reference of wrong) expectRefused(() => curator.answer(next, { ...base, release: { by: 'noise', bound: { by: 'clip', clip: reference }, noise: noise(1) } } as unknown as Query));
});

test('magnitudes at the ends of the doubles give a finite answer or a typed error, protected or not', () => {
  const sizes = [5e-324, 1e-300, 1e-160, 1e160, 1e290, 1e300, Number.MAX_VALUE];
  const here = world({ domain, allowUnprotected: true, adjacency: 'zero-out' });
  let index = 0;
  for (const radius of sizes) for (const multiplier of [...sizes, 1]) for (const weight of [...sizes, 1]) for (const unprotected of [false, true]) {
    const release = { by: 'noise', bound: clip(radius), noise: { mechanism: gaussian({}), target: unprotected ? { unprotected: true as const } : { noiseMultiplier: multiplier } } } as const;
    const outcome = typedOutcome(() => here.curator.answer(index, { ask: 'mean', of: { terms: [{ weight, at: Float64Array.of(1, 1, 1) }] }, batch: here.curator.everyone, release }));
    if ('error' in outcome) { expect(here.curator.recorded()).toBe(index); continue; }
    expect(isFinite(outcome.value.answer)).toBe(true);
    index += 1;
  }
  expect(index).toBeGreaterThan(100);
});

test.each(['curator', 'ledger'] as const)('a malformed option of the %s is refused', (what) => {
  const bad: readonly object[] = what === 'curator'
    ? [{ run: '' }, { run: 5 }, { run: null }, { publicSlots: 0 }, { publicSlots: 1.5 }, { publicSlots: Number.NaN }, { publicSlots: '12' }, { adjacency: 'add-remove', publicSlots: undefined }]
    : [{ adjacency: 'replace' }, { adjacency: null }, { adjacency: 5 }, { limit: { epsilon: Number.NaN, delta: 0.1 } }, { limit: { epsilon: 1, delta: 1 } }, { limit: { epsilon: -1, delta: 0 } }, { limit: { epsilon: '1', delta: 0 } }];
  for (const options of bad) expectRefused(() => (what === 'curator' ? world(options) : openLedger({ adjacency: 'replace-one', ...options } as never)));
});
