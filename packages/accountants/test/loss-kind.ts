import {
  defineEvent,
  dominatingPair,
  type EventKind,
  type PrivacyLossDistribution,
  type PrivacyEvent,
} from '@lethe/core';
import * as z from 'zod';

/** A law given by its losses under the first of two distributions; what they leave of 1 has the loss 0. */
function distributionOf(
  losses: readonly { readonly loss: number; readonly mass: number }[],
  infinite: number,
): PrivacyLossDistribution {
  const rest = Math.max(0, 1 - infinite - losses.reduce((sum, { mass }) => sum + mass, 0));
  const all = [...losses, ...(rest > 1e-12 ? [{ loss: 0, mass: rest }] : [])].toSorted(
    (a, b) => a.loss - b.loss,
  );
  return {
    infinite,
    support: { least: all[0].loss, most: all[all.length - 1].loss },
    hockeyStick(epsilon) {
      const delta = all.reduce(
        (sum, { loss, mass }) => sum + mass * Math.max(0, -Math.expm1(epsilon - loss)),
        infinite,
      );
      return { lower: delta * (1 - 1e-14), upper: Math.min(1, delta * (1 + 1e-14)) };
    },
    massesInto(p, q, edges) {
      p.fill(0);
      q.fill(0);
      for (const { loss, mass } of all) {
        const i = edges.findLastIndex((edge) => edge <= loss);
        if (i < 0 || i >= p.length) continue;
        p[i] += mass;
        q[i] += mass * Math.exp(-loss);
      }
    },
  };
}

/** An event kind known by its law of loss alone, and its event. */
export function lossKind(
  losses: readonly { readonly loss: number; readonly mass: number }[],
  infinite: number,
): { readonly kind: EventKind; readonly event: PrivacyEvent } {
  const name = 'test/losses';
  const kind = defineEvent({
    name,
    version: 1,
    summary: 'Losses and their probabilities.',
    source: { id: 'test', item: '1' },
    claims: [],
    schema: z.strictObject({ kind: z.literal(name), v: z.literal(1) }),
    characterise: { pair: () => [dominatingPair('symmetric', distributionOf(losses, infinite), true)] },
  });
  return { kind, event: { kind: name, v: 1 } };
}
