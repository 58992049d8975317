import { normalEvent, type Batch, type CuratorFacts, type PrivacyEvent } from '@lethe/core';
import { decode } from '@lethe/numerics';
import * as z from 'zod';
import { refusal } from './refusal.js';

const bytes = z.instanceof(Uint8Array);
const count = z.int().nonnegative();
const event = z.looseObject({ kind: z.string(), v: z.int() }).transform((given) => normalEvent(given));

/** What a silo says of itself. One of another version may say other things. */
export const helloForm = z.looseObject({ version: z.unknown() });
/** The same of a silo of this version. */
export const introductionForm = z.looseObject({
  records: z.int().positive(),
  adjacency: z.enum(['replace-one', 'add-remove', 'zero-out']),
  unit: z.enum(['record', 'owner']),
  run: z.string().nullable(),
});

/** What a silo says that accepts a plan. */
export const acceptanceForm = z.looseObject({
  signature: bytes,
  facts: z
    .looseObject({
      run: z.string(),
      simulation: z.boolean(),
      reserved: event.optional(),
      assumptions: z.array(z.string()),
    })
    .transform((facts) => facts as unknown as CuratorFacts),
  everyone: z
    .looseObject({
      id: z.string(),
      normaliser: z.number().nonnegative(),
      size: z.enum(['exact', 'hidden']),
      scope: z.string().nullable(),
    })
    .transform((batch) => batch as unknown as Batch),
  answered: count,
  /** The last query that it has answered. */
  index: count.nullable(),
  /** Sealed secret of a silo that trusts its server. */
  share: bytes.optional(),
});

/** What a silo says of the cost of a run. */
export const standingForm = z.looseObject({
  spent: event.transform((spent): PrivacyEvent => spent).nullable(),
});

/** What a silo reveals when the survivors of a sum are known. */
export const revealedForm = z.array(z.object({ of: count, secret: z.enum(['mask', 'key']), share: bytes }));

/**
 * What a silo says, in the form that it has to have.
 *
 * @throws a refusal with the name of the silo.
 */
export function saidIn<S extends z.ZodType>(form: S, body: Uint8Array, silo: string): z.output<S> {
  try {
    return form.parse(decode(body));
  } catch (cause) {
    throw refusal(
      'malformed-frame',
      `silo '${silo}' replied with something that is no reply to what it was asked`,
      { silo },
      cause,
    );
  }
}
