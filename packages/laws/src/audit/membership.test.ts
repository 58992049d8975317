import { defineSampler, InvalidParameter, seededRandom, type Batch, type Ref } from '@lethe/core';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { createMembership, type Membership } from './membership.js';

const batch = (id: string, normaliser: number, scope: string | null = null): Batch =>
  ({ id, normaliser, size: 'exact', scope }) as unknown as Batch;
const sampler = (name: string, spec: unknown) =>
  defineSampler({
    name,
    summary: 'For a test.',
    source: { id: 'test', item: 'none' },
    params: z.strictObject({}),
    claims: [],
    size: 'exact',
    amplification: () => ({ 'replace-one': { sampler: spec as never, inner: 'replace-one' } }),
    normaliser: () => 2,
    draw: (_params, slots, random) =>
      Uint32Array.of(...new Set([random.integer(slots), slots - 1])).toSorted(),
  });
const fixed = sampler('fixed', { kind: 'core/fixed-size', n: 8, size: 2, replacement: false });
const again = sampler('again', { kind: 'core/fixed-size', n: 8, size: 2, replacement: true });
const silent = sampler('silent', null);
const ref = (name: string): Ref<'sampler'> => ({ kind: 'sampler', name, params: {} });
const allRecords = batch('everyone', 8);
const membership = (): Membership =>
  createMembership(allRecords, {
    registry: [fixed, again, silent],
    adjacency: 'replace-one',
    random: seededRandom('m'),
    laws: new Map(),
  });
/** Likelihoods by multiplicity, all different. */
const heard = (k: number): readonly number[] => [0, 1 + k, 2.5 - k, 0.3 * k].map((x) => -x);
const likelihood = (m: Membership): number => Math.exp(m.logLikelihood(true));
const by = (k: number, times: number): number => Math.exp(heard(k)[times]);

describe('the likelihood of answers', () => {
  test('of everybody: the canary is there', () => {
    const m = membership();
    m.of(allRecords).answers.push(heard(1), heard(2));
    expect(likelihood(m)).toBeCloseTo(by(1, 1) * by(2, 1), 14);
    expect(m.logLikelihood(false)).toBe(0);
  });

  test('of a drawn batch: two of eight, all answers of it together', () => {
    const m = membership();
    const drawn = batch('a', 2, 'a');
    m.draw({ ask: 'draw', sampler: ref('fixed'), from: allRecords }, drawn);
    m.of(drawn).answers.push(heard(1), heard(2));
    expect(likelihood(m)).toBeCloseTo(0.75 + 0.25 * by(1, 1) * by(2, 1), 14);
  });

  test('with replacement it may be there twice', () => {
    const m = membership();
    const drawn = batch('a', 2, 'a');
    m.draw({ ask: 'draw', sampler: ref('again'), from: allRecords }, drawn);
    expect(m.of(drawn).most).toBe(2);
    m.of(drawn).answers.push(heard(1));
    expect(likelihood(m)).toBeCloseTo((7 / 8) ** 2 + 2 * (7 / 64) * by(1, 1) + by(1, 2) / 64, 14);
  });

  test('where no law is declared, draws are counted', () => {
    const m = membership();
    const drawn = batch('a', 2, 'a');
    m.draw({ ask: 'draw', sampler: ref('silent'), from: allRecords }, drawn);
    m.of(drawn).answers.push([0, -Infinity]);
    // 7/8 of the draws omit the first record; 2000 of them are accurate to within six deviations.
    expect(Math.abs(likelihood(m) - 7 / 8)).toBeLessThan(6 * Math.sqrt(7 / 64 / 2000));
  });

  test('of parts dealt at random: in one of them, or in none', () => {
    const m = membership();
    const parts = [batch('p', 2), batch('q', 4)];
    m.split({ ask: 'split', of: allRecords, order: 'shuffled', parts: { by: 'size', sizes: [2, 4] } }, parts);
    m.of(parts[0]).answers.push(heard(1));
    m.of(parts[1]).answers.push(heard(2));
    expect(likelihood(m)).toBeCloseTo(0.25 * by(1, 1) + 0.5 * by(2, 1) + 0.25, 14);
  });

  test('of parts in stored order: the canary is first, and known to be', () => {
    const m = membership();
    const parts = [batch('p', 2), batch('q', 4)];
    m.split({ ask: 'split', of: allRecords, order: 'stored', parts: { by: 'size', sizes: [2, 4] } }, parts);
    expect(parts.map((part) => m.of(part).place)).toEqual([0, -1]);
    m.of(parts[0]).answers.push(heard(1));
    m.of(parts[1]).answers.push(heard(2));
    expect(likelihood(m)).toBeCloseTo(by(1, 1), 14);
  });

  test('of a draw from a part that was dealt: choice within choice', () => {
    const m = membership();
    const parts = [batch('p', 4), batch('q', 4)];
    const drawn = batch('a', 2, 'a');
    m.split({ ask: 'split', of: allRecords, order: 'shuffled', parts: { by: 'size', sizes: [4, 4] } }, parts);
    m.draw({ ask: 'draw', sampler: ref('fixed'), from: parts[1] }, drawn);
    m.of(parts[0]).answers.push(heard(1));
    m.of(drawn).answers.push(heard(2));
    expect(likelihood(m)).toBeCloseTo(0.5 * by(1, 1) + 0.5 * (0.75 + 0.25 * by(2, 1)), 14);
  });

  test('refuses a batch that was never made', () => {
    expect(() => membership().of(batch('nobody', 1))).toThrow(InvalidParameter);
  });
});
