import { Corrupt, deepFreeze, InvalidParameter, parseOrThrow } from '@lethe/core';
import { isJoint, type Agreement } from '@lethe/curator/federation';
import { sumParameters, type SumParameters, type Width } from '@lethe/mechanisms';
import { decode, encode } from '@lethe/numerics';
import * as z from 'zod';
import { publicIdentity } from './identity.js';
import { refusal } from './refusal.js';
import { sha256 } from './sha256.js';

const count = z.int().positive();
const positive = z.number().positive();
const identity = z.string().refine((text) => isIdentity(text), 'the text of a public key');

const secureSum = z.strictObject({
  width: z.union([z.literal(32), z.literal(64)]).describe('w: bits of a whole value on the network'),
});

const planSchema = z.strictObject({
  format: z.literal('lethe/federated-plan'),
  v: z.literal(2),
  title: z.string().max(200),
  server: identity,
  silos: z
    .array(
      z.strictObject({
        name: z
          .string()
          .regex(/^[a-z0-9-]{1,64}$/u)
          .describe('lower-case letters, digits, hyphens'),
        key: identity.describe('public key, as the silo prints it'),
      }),
    )
    .min(1)
    .max(255),
  unit: z.enum(['record', 'owner']),
  cap: count.optional().describe('records of an owner that count at most'),
  data: z.json().describe('how a silo reads its records: columns and bounds'),
  gaps: z.boolean().describe('whether a silo may miss rounds; answers are then sums so far'),
  secure: secureSum.optional().describe('of a run in secure sums'),
  deadline: positive.describe('seconds in which a silo is expected to answer'),
});

/** What all parties agree on before the first query. Everything in it is public. */
export interface FederatedPlan extends z.output<typeof planSchema> {
  /** The planned run, its start and its public coins; the run's name is 32 hexadecimal digits. */
  readonly agreement: Agreement;
}

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
  const { agreement, ...rest } = (given ?? {}) as Partial<FederatedPlan>;
  const parsed = parseOrThrow(planSchema, rest, 'the plan');
  const problem = agreement?.plan?.problem;
  if (agreement === undefined || problem === undefined || !runName.test(agreement.run))
    throw new InvalidParameter(
      'the plan has no agreement, or one whose run is not named by 32 hexadecimal digits; make it by ' +
        'agreementFor',
      {},
    );
  const { silos, server, secure, gaps, unit, cap } = parsed;
  const names = new Set(silos.map(({ name }) => name));
  const keys = new Set([server, ...silos.map(({ key }) => key)]);
  const { trust } = problem;
  const agreed = isJoint(trust) ? trust.silos : 1;
  const isSecure = trust.model === 'secure-aggregation';
  const faults = [
    ...(names.size < silos.length ? ['two silos have one name'] : []),
    ...(keys.size < silos.length + 1 ? ['two parties have one key'] : []),
    ...(agreed === silos.length
      ? []
      : [`the run is planned for ${agreed} silos, and ${silos.length} are named`]),
    ...(isSecure === (secure !== undefined)
      ? []
      : ['a run in the secure-aggregation model has secure, and no other']),
    ...(isSecure && gaps !== trust.survivors < trust.silos
      ? ['silos may miss rounds of secure sums where not all have to survive, and there alone']
      : []),
    ...((unit === 'owner') === (cap !== undefined)
      ? []
      : ['owners have a cap on their records, and single records have none']),
  ];
  if (faults.length > 0)
    throw new InvalidParameter(`the plan is not valid: ${faults.join('; ')}`, { faults });
  const bytes = encode({ ...parsed, agreement });
  return sealedIn(decode(bytes) as FederatedPlan, bytes);
}

const sealedIn = (plan: FederatedPlan, bytes: Uint8Array): SealedPlan => ({
  plan: deepFreeze(plan),
  bytes,
  digest: sha256(bytes),
  run: new Uint8Array(Buffer.from(plan.agreement.run, 'hex')),
});

const runName = /^[0-9a-f]{32}$/u;

/** A plan of format 1, as logs of silos have them: `user` is what is called `owner` since. */
interface FirstPlan extends Omit<FederatedPlan, 'v' | 'unit'> {
  readonly v: 1;
  readonly unit: 'record' | 'user';
}

/**
 * The plan that {@link sealedPlan} wrote, or that an earlier version wrote in format 1, whose bytes and
 * digest stay.
 *
 * @throws {Corrupt} for bytes that are not canonical; {InvalidParameter} for a plan that is not valid.
 */
export function readPlan(bytes: Uint8Array): SealedPlan {
  const given = decode(bytes) as FederatedPlan | FirstPlan | null;
  const isFirst = given?.v === 1 && (given.unit === 'record' || given.unit === 'user');
  const { plan, bytes: current } = sealedPlan(
    isFirst ? { ...given, v: 2, unit: given.unit === 'user' ? 'owner' : 'record' } : (given as FederatedPlan),
  );
  const canonical = isFirst ? encode({ ...plan, v: 1, unit: given.unit }) : current;
  if (Buffer.compare(canonical, bytes) !== 0)
    throw new Corrupt('a plan arrived in bytes that are not its canonical ones', {});
  return sealedIn(plan, canonical);
}

/** What is signed: the digest of the plan, marked with what it is. */
export const signedText = (role: 'server' | 'silo', digest: Uint8Array): Uint8Array =>
  new Uint8Array(Buffer.concat([Buffer.from(`lethe/plan|${role}|`), digest]));
/** What the server signs when it ends a run: the digest of its plan, and why. */
export const endText = (digest: Uint8Array, reason: string): Uint8Array =>
  new Uint8Array(Buffer.concat([Buffer.from('lethe/end|'), digest, Buffer.from(reason, 'utf8')]));

/** Whether sums travel unprotected by noise, to a server that adds it. */
export const isAggregatorTrusted = ({ agreement }: FederatedPlan): boolean => {
  const { trust } = agreement.plan.problem;
  return trust.model === 'federated' && trust.server === 'trusted';
};

/** Whether increments leave silos within secure sums alone. */
export const isSecure = ({ agreement }: FederatedPlan): boolean =>
  agreement.plan.problem.trust.model === 'secure-aggregation';

/**
 * Parameters and width of the sums of a plan.
 *
 * @throws a refusal of a plan without them; {InvalidParameter} for numbers that are no secure sum.
 */
export function sumsOf({ secure, agreement }: FederatedPlan): {
  readonly parameters: SumParameters;
  readonly width: Width;
} {
  const { trust } = agreement.plan.problem;
  if (secure === undefined || trust.model !== 'secure-aggregation')
    throw refusal('wrong-kind', 'the plan has no secure sums', {});
  const { silos, corrupted, survivors } = trust;
  return { parameters: sumParameters({ silos, corrupted, survivors }), width: secure.width };
}
