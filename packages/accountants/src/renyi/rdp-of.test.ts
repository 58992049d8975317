import {
  composedEvent,
  defineEvent,
  freeEvent,
  gaussianEvent,
  parallelEvent,
  repeatedEvent,
  sampledEvent,
  type PrivacyEvent,
} from '@lethe/core';
import { Unsupported } from '@lethe/numerics';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { calibrator, compositions, gaussianNoise, poissonSamples, rdp, rdpOf } from '../index.js';

const adjacencies = ['replace-one', 'add-remove', 'zero-out'] as const;
const noise = (sigma: number) => gaussianEvent(sigma, { 'replace-one': 2, 'add-remove': 1, 'zero-out': 1 });
const drawn = (rate: number, event: PrivacyEvent) => sampledEvent({ kind: 'core/poisson', rate }, event);
const few = rdpOf({ ...compositions, ...gaussianNoise, ...poissonSamples });
const laplace: PrivacyEvent & Readonly<Record<string, unknown>> = {
  kind: 'core/laplace',
  v: 1,
  scale: 1,
  sensitivity: { 'zero-out': 1, 'add-remove': 1 },
};
const target = { epsilon: 1, delta: 1e-5 };
const known = {
  'Gaussian noise': noise(3),
  'a sampled release many times': repeatedEvent(drawn(0.1, noise(2)), 100),
  'a sample of all': drawn(1, noise(4)),
  'several of different kinds': composedEvent([
    freeEvent,
    noise(5),
    drawn(0.2, composedEvent([noise(3), noise(4)])),
  ]),
  'parts beside each other': parallelEvent([noise(2), repeatedEvent(drawn(0.1, noise(1)), 4)]),
};

describe('rdp of a few kinds of events', () => {
  test.each(Object.entries(known))('answers as rdp for %s', (_, event) => {
    for (const adjacency of adjacencies) {
      const query = { adjacency, delta: 1e-5 };
      expect(few.epsilon(event, query)).toEqual(rdp.epsilon(event, query));
      expect(few.delta(event, { adjacency, epsilon: 1 })).toEqual(
        rdp.delta(event, { adjacency, epsilon: 1 }),
      );
    }
  });

  test('calibrates and limits as rdp', () => {
    const request = {
      make: (sigma: number) => repeatedEvent(drawn(0.1, noise(sigma)), 50),
      target,
      adjacency: 'zero-out',
    } as const;
    expect(calibrator([few])(request)).toEqual(calibrator([rdp])(request));
    const [one, other] = [few, rdp].map(({ filter }) => filter?.({ ...target, adjacency: 'zero-out' }));
    expect(one?.spec).toEqual(other?.spec);
    expect(one?.share(request.make(3))).toBe(other?.share(request.make(3)));
    expect(() => one?.share(laplace)).toThrow(/'core\/laplace'/u);
  });

  test('refuses any other kind and sampler by name, wherever it is', () => {
    const query = { adjacency: 'zero-out', delta: 1e-5 } as const;
    for (const event of [
      laplace,
      composedEvent([noise(2), laplace]),
      drawn(0.1, laplace),
      drawn(1, laplace),
    ]) {
      expect(rdp.epsilon(event, { adjacency: 'zero-out', delta: 1e-5 }).upper).toBeGreaterThan(0);
      expect(() => few.epsilon(event, query)).toThrow(Unsupported);
      expect(() => few.epsilon(event, query)).toThrow(/'core\/laplace'.*rdp/u);
    }
    const fixed = sampledEvent({ kind: 'core/fixed-size', n: 10, size: 2, replacement: false }, noise(2));
    expect(() => few.epsilon(fixed, query)).toThrow(/'core\/fixed-size'.*rdp/u);
  });

  test('takes kinds of plugins by all that they say but pairs', () => {
    const kind = defineEvent({
      name: 'test/half',
      version: 1,
      summary: 'x',
      source: { id: 'test', item: 'x' },
      claims: [],
      schema: z.strictObject({ kind: z.literal('test/half'), v: z.literal(1) }),
      characterise: { zcdp: () => 0.5 },
    });
    const event = composedEvent([{ kind: 'test/half', v: 1 } as PrivacyEvent, noise(2)]);
    const query = { adjacency: 'zero-out', delta: 1e-5, kinds: [kind] } as const;
    expect(few.epsilon(event, query)).toEqual(rdp.epsilon(event, query));
  });
});
