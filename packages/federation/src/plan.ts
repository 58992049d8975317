import { createHash } from 'node:crypto';
import { anyEventSchema, adjacencySchema, Corrupt, deepFreeze, parseOrThrow, type Vector } from '@lethe/core';
import { decode, encode } from '@lethe/numerics';
import { z } from 'zod';
import { publicIdentity } from './identity.js';

const positive = z.number().positive();
const count = z.int().positive();
const identity = z.string().refine((text) => isIdentity(text), 'the text of a public key');
const reference = <Kind extends string>(kind: Kind) =>
  z.strictObject({ kind: z.literal(kind), name: z.string(), params: z.json() });

const silo = z.strictObject({
  name: z.string().regex(/^[a-z0-9-]{1,64}$/u).describe('lower-case letters, digits, hyphens'),
  key: identity.describe('public key, as the silo prints it'),
  records: count.describe('records, or users where they are the unit, that the silo has at least'),
  batchSize: count.describe('b: records of its own that the silo uses in a round'),
});

const secureSum = z.strictObject({
  corrupted: z.int().nonnegative().describe('C: silos that may side with the server'),
  threshold: count.describe('t: shares that reveal a secret'),
  survivors: count.describe('m: silos that a sum needs'),
  grid: positive.describe('γ: spacing of whole values'),
  width: z.union([z.literal(32), z.literal(64)]).describe('w: bits of a whole value on the network'),
  deviation: positive.describe('σ_Z: standard deviation of the counted noise, in grid steps'),
});

/** The clip of increments, with the constants that its radius and centre follow from. */
const clip = z.strictObject({
  rule: z.enum(['constants', 'given']).describe('constants: the radius is G + LD about the centre, or G + 2LD'),
  radius: positive,
  centred: z.boolean().describe('about (t − 1)(L/2)(x_t − x_{t−1}); otherwise about the origin'),
  lipschitz: positive.optional().describe('G'),
  smoothness: z.number().nonnegative().optional().describe('L'),
  diameter: positive.optional().describe('D'),
});

const planSchema = z.strictObject({
  format: z.literal('lethe/federated-plan'),
  v: z.literal(1),
  run: z.string().regex(/^[0-9a-f]{32}$/u).describe('16 random bytes that name the run'),
  title: z.string().max(200),
  trust: z.enum(['untrusted-server', 'trusted-aggregator', 'secure-aggregation']),
  server: identity,
  silos: z.array(silo).min(1).max(255),
  rounds: count.max(2 ** 24).describe('T: queries that carry a point'),
  setup: z.int().nonnegative().max(16).describe('queries before the first of them'),
  dimension: count.max(2 ** 24),
  domain: reference('domain'),
  start: z.array(z.number()).describe('x_1'),
  loss: reference('loss'),
  data: z.json().describe('how a silo reads its records: columns and bounds'),
  unit: z.enum(['record', 'user']),
  cap: count.optional().describe('records of a user at most'),
  adjacency: adjacencySchema,
  queries: z
    .enum(['corrected-momentum', 'whole'])
    .describe('the rule by which a silo makes the query of a round from the plan and the point; whole: none'),
  clip,
  noiseMultiplier: positive.describe('m: the silo computes its own noise from it'),
  event: anyEventSchema.describe('what the run costs each silo, reserved when it accepts'),
  optimizer: z
    .strictObject({ name: z.string(), plan: z.json() })
    .describe('what the server does with the answers; no part of the guarantee'),
  secure: secureSum.optional(),
  deadline: positive.describe('seconds in which a silo is expected to answer'),
});

/** What all parties agree on before the first query. Everything in it is public. */
export type FederatedPlan = z.output<typeof planSchema>;
/** A silo in a plan. */
export type PlannedSilo = FederatedPlan['silos'][number];

function isIdentity(text: string): boolean {
  try {
    publicIdentity(text);
    return true;
  } catch {
    return false;
  }
}

/** A plan with the bytes that are signed, and their SHA-256. */
export interface SealedPlan {
  readonly plan: FederatedPlan;
  readonly bytes: Uint8Array;
  readonly digest: Uint8Array;
  /** The 16 bytes that name the run. */
  readonly run: Uint8Array;
}

/** Bytes of a plan at most. */
export const largestPlan = 4 * 1024 * 1024;

/**
 * Checks a plan and writes its canonical bytes.
 *
 * @throws {InvalidParameter} with the path and rule of everything that is wrong.
 */
export function sealedPlan(given: FederatedPlan): SealedPlan {
  const plan = deepFreeze(parseOrThrow(planSchema, given, 'the plan'));
  const names = new Set(plan.silos.map(({ name }) => name));
  const keys = new Set([plan.server, ...plan.silos.map(({ key }) => key)]);
  const issues = [
    ...(names.size < plan.silos.length ? ['two silos have one name'] : []),
    ...(keys.size < plan.silos.length + 1 ? ['two parties have one key'] : []),
    ...(plan.start.length === plan.dimension ? [] : ['start has another length than dimension']),
    ...((plan.trust === 'secure-aggregation') === (plan.secure !== undefined)
      ? []
      : ['secure belongs to the trust secure-aggregation, and to no other']),
    ...(plan.unit === 'user' && plan.cap === undefined ? ['users have a cap on their records'] : []),
  ];
  if (issues.length > 0)
    parseOrThrow(
      planSchema.refine(() => false, issues.join('; ')),
      plan,
      'the plan',
    );
  const bytes = encode(plan);
  return {
    plan,
    bytes,
    digest: new Uint8Array(createHash('sha256').update(bytes).digest()),
    run: new Uint8Array(Buffer.from(plan.run, 'hex')),
  };
}

/**
 * The plan that {@link sealedPlan} wrote.
 *
 * @throws {Corrupt} for bytes that are not canonical; {InvalidParameter} for a plan that is not valid.
 */
export function readPlan(bytes: Uint8Array): SealedPlan {
  const sealed = sealedPlan(decode(bytes) as FederatedPlan);
  if (Buffer.compare(sealed.bytes, bytes) !== 0)
    throw new Corrupt('a plan arrived in bytes that are not its canonical ones', {});
  return sealed;
}

/** Queries of the whole run. */
export const queriesOf = ({ setup, rounds }: FederatedPlan): number => setup + rounds;
/** What is signed: the digest of the plan, marked with what it is. */
export const signedText = (role: 'server' | 'silo', digest: Uint8Array): Uint8Array =>
  new Uint8Array(Buffer.concat([Buffer.from(`lethe/plan|${role}|`), digest]));
/** `x_1`. */
export const startOf = ({ start }: FederatedPlan): Vector => Float64Array.from(start);
