import { accountants, bestOf } from '@lethe/accountants';
import { gaussianEvent, repeatedEvent, sampledEvent, type SamplerSpec } from '@lethe/core';
import { expect, test } from 'vitest';
import { looseLimit } from './loose-limit.js';

const limit = { epsilon: 2, delta: 1e-5 };
const accountant = bestOf(accountants);
const runWith = (sampler: SamplerSpec) =>
  repeatedEvent(sampledEvent(sampler, gaussianEvent(6, { 'replace-one': 1, 'zero-out': 1 })), 30);

test('samples of fixed size take more of a limit than their certificate says, and that is told', () => {
  const event = runWith({ kind: 'core/fixed-size', n: 3000, size: 400, replacement: false });
  expect(looseLimit(limit, { event, adjacency: 'replace-one', accountant })).toMatch(
    /^this run takes [\d.]+ % of the limit, and by its certificate alone it would be [\d.]+ % of its epsilon/,
  );
});

test('nothing is told of plain noise', () => {
  const event = gaussianEvent(8, { 'zero-out': 1 });
  expect(looseLimit(limit, { event, adjacency: 'zero-out', accountant })).toBeNull();
});
