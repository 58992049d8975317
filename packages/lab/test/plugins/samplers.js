import { defineSampler, InvalidParameter } from '@lethe/core';
import * as z from 'zod';

const none = (inner) => ({ sampler: null, inner });

/** Everyone but the first few takes part: correct where `left` is 0. */
export const sampler = (name, left) =>
  defineSampler({
    name,
    summary: 'Everyone takes part.',
    source: { id: 'test', item: name },
    params: z.strictObject({ parts: z.int().positive() }),
    examples: [{ parts: 1 }],
    claims: [
      { property: 'size', statement: 'everyone' },
      { property: 'coins', statement: 'none' },
      { property: 'good-humour', statement: 'at all times' },
    ],
    size: 'exact',
    amplification: () => ({ 'replace-one': none('replace-one'), 'zero-out': none('zero-out') }),
    normaliser: (_params, slots) => checked(slots),
    draw: (_params, slots) =>
      Uint32Array.from({ length: Math.max(0, whole(slots) - left) }, (_, position) => position + left),
  });

function whole(slots) {
  if (Number.isSafeInteger(slots)) return checked(slots);
  throw new InvalidParameter(`${slots} slots were given; a draw is from a whole number`, { slots });
}

function checked(slots) {
  if (slots > 0 && slots < Infinity) return slots;
  throw new InvalidParameter(`${slots} slots were given; it must be positive and finite`, { slots });
}
