import { LetheError } from '@lethe/core';
import { publicIdentity } from '@lethe/federation';
import { sumParameters } from '@lethe/mechanisms';
import * as z from 'zod';
import { released } from '../experiment/optimizer-schema.js';
import { name, pluginModules } from '../experiment/parts.js';
import { foreignReading, unsafeReading } from '../experiment/private-reading.js';
import { sampledProblem, type SampledSpec } from '../experiment/problem-schema.js';

/** Stands for the file of each silo, which only the silo knows. */
const ownFile = 'records-of-the-silo';

/** A problem whose records each silo reads from a file of its own: a table with a public design. */
export const siloProblem = z
  .preprocess((given) => withOwnFile(given), sampledProblem)
  .superRefine((spec, context) => {
    const message = 'silos read tables: give design, read and shuffle, and leave out file and package';
    if (!('design' in spec.data) || spec.data.file !== ownFile)
      context.addIssue({ code: 'custom', path: ['data'], message });
  }) as z.ZodType<SampledSpec>;

/** A problem as silos read it, for checks: its records are in a file. */
export function withOwnFile(given: unknown): unknown {
  const { data, ...rest } = (given ?? {}) as { readonly data?: object };
  return typeof data === 'object' && data !== null && !('file' in data) && !('package' in data)
    ? { ...rest, data: { ...data, file: ownFile } }
    : given;
}

/** The text of a key, found wrong where it stands. */
const key = z
  .string()
  .min(1)
  .describe('As lethe silo prints it.')
  .superRefine((text, context) => {
    try {
      publicIdentity(text);
    } catch (error) {
      if (!(error instanceof LetheError)) throw error;
      context.addIssue({ code: 'custom', message: error.message });
    }
  });

export const federationSchema = z
  .strictObject({
    lethe: z.literal(1).describe('Version of this format.'),
    kind: z.literal('federation'),
    name,
    title: z.string().min(1).max(200),
    about: z.string().default(''),
    adjacency: z.enum(['replace-one', 'zero-out']).default('replace-one'),
    plugins: pluginModules.optional(),
    problem: siloProblem,
    optimizer: released,
    budget: z.strictObject({ epsilon: z.number().positive(), delta: z.number().min(0).max(1).default(1e-6) }),
    server: z.string().min(1).describe('Address of the NATS server, such as nats://127.0.0.1:4222.'),
    silos: z.array(z.strictObject({ name, key })).max(255).default([]),
    trust: z
      .union([
        z.enum(['untrusted', 'trusted']),
        z.strictObject({
          model: z.literal('secure-aggregation'),
          corrupted: z.int().nonnegative().describe('Silos that may side with the server, at most.'),
          survivors: z.int().positive().optional().describe('Silos that a sum has at least. Default: all.'),
        }),
      ])
      .default('untrusted')
      .describe(
        'untrusted: each silo adds its own noise. trusted: silos send sums without noise, sealed, and ' +
          'the server adds one noise to their average; the certificate rests on it. ' +
          '{ model: secure-aggregation, corrupted, survivors }: the server sees sums of at least so many ' +
          'silos alone, each of which adds a share of the noise.',
      ),
    gaps: z.boolean().default(false).describe('Whether the run goes on without silos that do not answer.'),
    deadline: z.number().positive().default(30).describe('Seconds until a request to a silo is made again.'),
    patience: z
      .number()
      .positive()
      .default(3600)
      .describe(
        'Seconds without an answer after which the run stops, to be resumed; with gaps, a silo misses ' +
          'the round.',
      ),
  })
  .superRefine(({ problem: { data }, adjacency, trust, gaps, silos }, context) => {
    for (const field of ['name', 'key'] as const) {
      const values = silos.map((silo) => silo[field]);
      const again = values.findIndex((value, i) => values.indexOf(value) < i);
      if (again >= 0)
        context.addIssue({
          code: 'custom',
          path: ['silos', String(again), field],
          message: `silo ${values.indexOf(values[again]) + 1} has this ${field}, and each has its own`,
        });
    }
    if (typeof trust === 'object' && silos.length > 0) {
      const { corrupted, survivors = silos.length } = trust;
      try {
        sumParameters({ silos: silos.length, corrupted, survivors });
      } catch (error) {
        if (!(error instanceof LetheError)) throw error;
        context.addIssue({ code: 'custom', path: ['trust'], message: error.message });
      }
    }
    if (typeof trust === 'object' && gaps)
      context.addIssue({
        code: 'custom',
        path: ['gaps'],
        message: 'in secure sums silos may be missing where survivors is below their number; leave out gaps',
      });
    const unsafe = 'design' in data ? [...foreignReading(data), ...unsafeReading(data, adjacency)] : [];
    for (const { field, message } of unsafe)
      context.addIssue({ code: 'custom', path: ['problem', 'data', 'read', field], message });
  });

/** A run over the records of several silos. */
export type Federation = z.output<typeof federationSchema>;
