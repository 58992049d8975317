import {
  BudgetExceeded,
  Corrupt,
  decode,
  encode,
  InvalidParameter,
  LetheError,
  Unsupported,
} from '@lethe/numerics';

/** Why a silo, or a server, does not do what a message asks: the rule that it breaks. */
export type RefusalCode =
  // Frames.
  | 'malformed-frame'
  | 'unknown-version'
  | 'wrong-tag'
  | 'wrong-run'
  | 'wrong-plan'
  | 'wrong-party'
  | 'wrong-kind'
  | 'wrong-length'
  // The plan.
  | 'wrong-signature'
  | 'not-in-plan'
  | 'wrong-records'
  | 'data-changed'
  | 'no-room'
  | 'wrong-adjacency'
  | 'wrong-unit'
  | 'wrong-optimizer'
  | 'no-column'
  | 'start-outside'
  | 'seeded-coins'
  | 'ledger-in-use'
  | 'owner-declined'
  | 'waiting-for-owner'
  // Rounds.
  | 'no-plan'
  | 'past-round'
  | 'changed-round'
  | 'skipped-round'
  | 'beyond-plan'
  | 'not-finite'
  | 'outside-domain'
  | 'wrong-query'
  | 'lacks-point'
  | 'rolled-back'
  | 'not-stored'
  | 'ended'
  | 'failed'
  // Secure sums.
  | 'wrong-keys'
  | 'few-survivors'
  | 'wrong-set'
  | 'signed-before'
  | 'few-signatures';

const retryLater: ReadonlySet<unknown> = new Set(['waiting-for-owner', 'not-stored']);
/** Whether the same request may be answered later. */
export const isPassing = (code: RefusalCode | undefined): boolean => retryLater.has(code);

const makers = {
  'wrong-tag': Corrupt,
  'malformed-frame': Corrupt,
  'rolled-back': Corrupt,
  'data-changed': Corrupt,
  'changed-round': Corrupt,
  'past-round': Corrupt,
  'skipped-round': Corrupt,
  'not-stored': Corrupt,
  'no-room': BudgetExceeded,
  'beyond-plan': BudgetExceeded,
  'owner-declined': Unsupported,
  'waiting-for-owner': Unsupported,
  'unknown-version': Unsupported,
  'seeded-coins': Unsupported,
  'ledger-in-use': Unsupported,
  ended: Unsupported,
  failed: Unsupported,
} as const;
const isMade = (code: RefusalCode): code is keyof typeof makers => Object.hasOwn(makers, code);

/**
 * A typed error whose `details.refusal` is the code. Message and details are public: they cross the network.
 */
export function refusal(
  code: RefusalCode,
  message: string,
  details: Readonly<Record<string, string | number>> = {},
  cause?: unknown,
): LetheError {
  const Maker = isMade(code) ? makers[code] : InvalidParameter;
  return new Maker(message, { ...details, refusal: code }, ...(cause === undefined ? [] : [{ cause }]));
}

/** The code of a refusal; `undefined` for other errors. */
export function refusalOf(error: unknown): RefusalCode | undefined {
  const code = error instanceof LetheError ? error.details['refusal'] : undefined;
  return typeof code === 'string' ? (code as RefusalCode) : undefined;
}

/**
 * Does what may throw Lethe's typed errors, whose messages are public, and turns them into refusals.
 *
 * @param codes - By the code of the error. Others are thrown as they are, and cross as `failed`.
 */
export function refusing<T>(
  action: () => T,
  codes: Readonly<Partial<Record<LetheError['code'], RefusalCode>>>,
): T {
  try {
    return action();
  } catch (error) {
    const code = error instanceof LetheError ? codes[error.code] : undefined;
    if (code === undefined || refusalOf(error) !== undefined) throw error;
    throw refusal(code, (error as LetheError).message, {}, error);
  }
}

/**
 * Body of a refusal's frame. What is no refusal says that something failed and no more: it may quote records.
 * How far a limit would be passed, and what other runs have spent, is for the owner of the silo alone.
 */
export function refusalBytes(error: unknown): Uint8Array {
  const code = refusalOf(error);
  if (code === undefined || !(error instanceof LetheError))
    return encode({
      code: 'failed',
      message: 'the silo failed for a reason that its owner finds there',
      details: {},
    });
  const withheld = Object.hasOwn(ownersOnly, code) ? ownersOnly[code] : undefined;
  if (withheld !== undefined) return encode({ code, message: withheld, details: {} });
  const details = Object.fromEntries(
    Object.entries(error.details).filter(([, value]) => ['string', 'number'].includes(typeof value)),
  );
  return encode({ code, message: error.message, details });
}

/** Refusals whose reason tells of other runs on the records, in the words that leave the silo. */
const ownersOnly: Readonly<Partial<Record<RefusalCode, string>>> = {
  'no-room': 'the limit on the records of the silo has no room for this plan; its owner sees by how much',
  'beyond-plan': 'the query costs more than the plan that the silo agreed to; its owner sees by how much',
};

/** The error of a refusal's frame. @throws {Corrupt} for bytes that are none. */
export function refusalFrom(body: Uint8Array): LetheError {
  const { code, message, details } = (decode(body) ?? {}) as Partial<Record<string, unknown>>;
  if (typeof code !== 'string' || typeof message !== 'string')
    throw refusal('malformed-frame', 'a refusal without a code and a message arrived', {});
  return refusal(code as RefusalCode, message, details as Record<string, string>);
}
