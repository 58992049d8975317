import { defineSampler, InvalidParameter, sampleWithoutReplacement, seededRandom, type Sampler, type SamplerSpec } from '@lethe/core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { planChecks, runLaws, subjectsOf, type Finding, type Subject } from '../../law/index.js';
import { frequencies } from './frequencies.js';
import { samplerLaws } from './index.js';

type Bug = Partial<Omit<Sampler, 'kind'>>;

/** A uniform subset of 2, correct. */
const pair = {
  name: 'pair', summary: 'Two slots.', source: { id: 'test', item: 'definition' }, params: z.strictObject({}), claims: [], size: 'exact' as const,
  amplification: (_params: unknown, slots: number) => {
    const sampler: SamplerSpec = { kind: 'core/fixed-size', n: slots, size: 2, replacement: false };
    return { 'replace-one': { sampler, inner: 'replace-one' as const }, 'zero-out': { sampler, inner: 'replace-one' as const } };
  },
  normaliser: () => 2,
  draw: (_params: unknown, slots: number, random: Parameters<Sampler['draw']>[2]) => {
    if (slots < 2) throw new InvalidParameter('too few slots');
    return sampleWithoutReplacement(random, slots, 2).toSorted();
  },
};
/** Every slot by a coin of its own, correct. */
const coinOf = (rate: number): Bug => ({
  size: 'hidden',
  amplification: () => {
    const sampler: SamplerSpec = { kind: 'core/poisson', rate };
    return { 'replace-one': { sampler, inner: 'replace-one' }, 'add-remove': { sampler, inner: 'add-remove' }, 'zero-out': { sampler, inner: 'zero-out' } };
  },
  normaliser: (_params, slots) => rate * slots,
  draw: (_params, slots, random) => Uint32Array.from({ length: slots }, (_, i) => i).filter(() => random.uniform() <= rate),
});

const subjectOf = (bug: Bug): Subject<'sampler'> => subjectsOf(defineSampler({ ...pair, ...bug } as never))[0] as Subject<'sampler'>;
async function broken(bug: Bug): Promise<ReadonlyMap<string, string>> {
  const reports = await runLaws(samplerLaws, subjectOf(bug));
  return new Map(reports.flatMap(({ law, finding }) => (finding.verdict === 'fails' ? [[law, finding.violation.what]] : [])));
}

describe('laws of samplers', () => {
  it.each([['a uniform pair', {}], ['own coins', coinOf(0.3)], ['rare coins', coinOf(0.01)], ['everyone by coins', coinOf(1)]])('hold for %s', async (_name, bug) => {
    expect(await broken(bug)).toEqual(new Map());
  });

  const bugs: readonly (readonly [string, Bug, string, RegExp])[] = [
    ['positions that descend', { draw: (params, slots, random) => pair.draw(params, slots, random).toReversed() }, 'sampler/positions', /ascend/u],
    ['a batch that is sometimes larger', { draw: (_params, slots, random) => sampleWithoutReplacement(random, Math.max(3, slots), random.integer(20) === 0 ? 3 : 2).toSorted() }, 'sampler/size', /positions; the size is public/u],
    ['a size that is no whole number', { normaliser: (_params, slots) => slots / 3 }, 'sampler/amplification', /whole where the size is exact/u],
    ['inner events under zero-out', { amplification: (params, slots) => ({ ...pair.amplification(params, slots), 'zero-out': { sampler: null, inner: 'add-remove' } }) }, 'sampler/amplification', /must be private under zero-out/u],
    ['draws with replacement', { amplification: (_params, slots) => ({ 'replace-one': { sampler: { kind: 'core/fixed-size', n: slots, size: 2, replacement: true }, inner: 'replace-one' } }) }, 'sampler/amplification', /positions in a draw are distinct/u],
    ['a law that is no law', { amplification: () => ({ 'replace-one': { sampler: { kind: 'core/poisson', rate: 2 }, inner: 'replace-one' } }) }, 'sampler/amplification', /no accountant knows/u],
    ['add-remove with a fixed size', { amplification: () => ({ 'add-remove': { sampler: null, inner: 'add-remove' } }) }, 'sampler/removal', /once record 0 is gone/u],
    ['neighbours that always come together', { draw: (_params, slots, random) => { const first = random.integer(slots - 1); return Uint32Array.of(first, first + 1); } }, 'sampler/subsets', /says/u],
    ['coins of its own', { draw: (params, slots) => pair.draw(params, slots, seededRandom(String((calls += 1)))) }, 'sampler/coins', /and later/u],
    ['a hidden size with another mean', { ...coinOf(0.3), amplification: () => ({ 'add-remove': { sampler: null, inner: 'add-remove' } }), normaliser: (_params, slots) => slots / 2 }, 'sampler/normaliser', /smaller on average/u],
    ['a rate that is a little too high', { ...coinOf(0.5), draw: coinOf(0.55).draw! }, 'sampler/marginals', /do not have the declared law/u],
    ['a draw that breaks', { draw: () => { throw new TypeError('undefined is not a function'); } }, 'sampler/marginals', /TypeError/u],
    ['refusals that depend on coins', { draw: (params, slots, random) => { if (random.integer(3) === 0) throw new InvalidParameter('unlucky'); return pair.draw(params, slots, random); } }, 'sampler/positions', /refuses with others/u],
  ];
  let calls = 0;
  it.each(bugs)('find %s', async (_name, bug, law, words) => {
    expect((await broken(bug)).get(law)).toMatch(words);
  });

  it('are left out where they have nothing to say', () => {
    const checks = planChecks(samplerLaws, subjectOf(coinOf(0.3)));
    expect(checks.find(({ law }) => law.id === 'sampler/size')?.skipped).toMatch(/hidden/u);
    expect(checks.find(({ law }) => law.id === 'sampler/removal')?.skipped).toMatch(/declared/u);
  });
});

describe('disjoint', () => {
  const parts = (overlap: number) => defineSampler({
    ...pair, params: z.strictObject({ parts: z.int(), part: z.int() }), claims: [{ property: 'disjoint', statement: 'they are' }], examples: [{ parts: 2, part: 0 }],
    amplification: () => ({}), normaliser: ({ parts: count }: { readonly parts: number }, slots: number) => Math.floor(slots / count),
    draw: ({ parts: count, part }: { readonly parts: number; readonly part: number }, slots: number) => Uint32Array.from({ length: Math.floor(slots / count) }, (_, i) => Math.max(0, part * Math.floor(slots / count) - overlap) + i),
  });
  const found = async (overlap: number): Promise<Finding> => (await runLaws(samplerLaws, subjectsOf(parts(overlap))[0] as Subject<'sampler'>, { only: ['sampler/disjoint'] }))[0]!.finding;

  it('holds for parts without a common position, and finds one', async () => {
    expect((await found(0)).verdict).toBe('holds');
    expect(await found(1)).toMatchObject({ verdict: 'fails', violation: { what: expect.stringMatching(/is in part 1 and in an earlier one/u) as string } });
  });
});

describe('frequencies', () => {
  it('raise no more false alarms than they may, and see a category twice as likely as declared', () => {
    const random = seededRandom('frequencies');
    const rejects = (draw: () => number): boolean => {
      const process = frequencies([0.1, 0.2, 0.7]);
      for (let i = 0; i < 400; i++) process.push(draw());
      return process.rejects(0.01);
    };
    const of = (a: number, b: number) => () => { const u = random.uniform(); return u < a ? 0 : u < a + b ? 1 : 2; };
    let alarms = 0;
    for (let k = 0; k < 1000; k++) alarms += Number(rejects(of(0.1, 0.2)));
    // 35 or more of 1000 have probability below 1e-9 at 0.01.
    expect(alarms).toBeLessThan(35);
    expect(rejects(of(0.2, 0.2))).toBe(true);
    expect(frequencies([0, 1]).rejects(0.01)).toBe(false);
    const impossible = frequencies([0, 1]);
    impossible.push(0);
    expect(impossible.rejects(1e-300)).toBe(true);
  });
});
