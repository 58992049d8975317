import { queryTable } from '@lethe/core/testing';
import { expect, test } from 'vitest';
import { centralHandlers } from './central.js';
import type { Handler, Handlers } from './handlers.js';
import { shuffleHandlers } from './shuffle.js';

test('types: a curator without a kind of query does not compile, nor one that charges by records', () => {
  const extended = { ...queryTable, federatedValue: queryTable.value };
  type Extended = typeof extended;
  // @ts-expect-error -- the central curator says nothing of the new kind
  const central: Handlers<Extended> = centralHandlers;
  // @ts-expect-error -- the shuffle curator says nothing of the new kind
  const shuffle: Handlers<Extended> = shuffleHandlers(1);
  const mistaken: Handlers<Extended> = {
    ...centralHandlers,
    // @ts-expect-error -- a handler with another answer
    federatedValue: () => ({ effect: {}, blank: () => null }),
  };
  const whole: Handlers<Extended> = {
    ...centralHandlers,
    federatedValue: () => ({ effect: {}, blank: () => 0 }),
  };
  const reading: Handler<'close'> = (context) => ({
    // @ts-expect-error -- an effect cannot read records
    effect: { affords: context.data.slots > 1 },
    blank: () => null,
  });
  const counting: Handler<'close'> = (context, { batch }) => ({
    // @ts-expect-error -- nor members of a batch
    effect: { affords: context.rows(context.batch(batch)).length > 1 },
    blank: () => null,
  });
  expect([central, shuffle, mistaken, whole, reading, counting]).not.toContain(undefined);
});
