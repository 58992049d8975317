import type { Adjacency, Sensitivity } from '@lethe/core';
import { settleRef } from '@lethe/core/internal';
import { ownCopy } from '@lethe/numerics';
import { expect, it } from 'vitest';
import { gaussianNoise } from '../../test/mean-parts.js';
import { planNoise } from './sensitivity.js';

// As a curator has them: resolved once.
const registry = Object.freeze([gaussianNoise]);
const noise = settleRef(ownCopy(gaussianNoise({})));
const value = { norm: 'l2', length: 1, integers: false, size: 1 } as const;

/** A curator that only prices. */
const contextUnder = (adjacency: Adjacency) =>
  ({ registry, adjacency, isEstimate: true, allowUnprotected: false }) as unknown as Parameters<
    typeof planNoise
  >[0];

it('the cost of a release depends on no release before it', () => {
  const risk: Sensitivity = { 'replace-one': 2, 'add-remove': 2, 'zero-out': 2 };
  const mean: Sensitivity = { 'replace-one': 2, 'add-remove': 1, 'zero-out': 1 };
  const cost = (context: ReturnType<typeof contextUnder>, sensitivity: Sensitivity) =>
    planNoise(context, noise, { noiseMultiplier: 1.5 }, sensitivity, value).event;
  const context = contextUnder('replace-one');
  for (const sensitivity of [risk, mean, risk, risk, mean, mean])
    expect(cost(context, sensitivity)).toEqual(cost(contextUnder('replace-one'), sensitivity));
});
