import {
  canonicalJson,
  type Accountant,
  type Adjacency,
  type CoreEvent,
  type EventKind,
  type FilterMaker,
  type Json,
  type PrivacyEvent,
  type PrivacyFilter,
} from '@lethe/core';
import { BudgetExceeded, InvalidParameter, Unsupported } from '@lethe/numerics';

/**
 * A limit on the total privacy cost of a data set, under the adjacency of its ledger. A privacy filter
 * enforces it, so it holds although each query may depend on earlier answers.
 *
 * Under a limit, the costs of a ledger's runs add up, also on disjoint slots: a run reserves its event before
 * it names the slots of its queries. Charges of one run on disjoint slots compose in parallel, and so do
 * charges of all runs in {@link Ledger.total}, which may therefore be less than the cost counted against the
 * limit.
 *
 * When the limit is first given, the ledger stores the filter's parameters, such as its Rényi orders and its
 * split of δ. Give the limit before the first answer. A limit that is first given, or tightened, later counts
 * all charges on record, and only the filter decides; a run with an earlier reservation may continue within
 * it. Its ε, δ and orders may then depend on earlier answers, but the proof of a filter needs them fixed in
 * advance: the guarantee is for later queries, conditional on the earlier answers.
 */
export interface Limit {
  readonly epsilon: number;
  readonly delta: number;
  /**
   * Its `filter` decides. Queries before the first answer are fixed in advance; they are also admitted if the
   * accountant's certified `upper` is within the limit.
   */
  readonly accountant: Pick<Accountant, 'epsilon' | 'filter'>;
  /**
   * A filter with another rule. The ledger recognises it later by its `spec`, so the spec should contain all
   * parameters of the rule. With spec `null` only ε and δ are stored, and any filter with spec `null` is
   * accepted.
   *
   * @defaultValue the accountant's
   */
  readonly filter?: FilterMaker;
  readonly kinds?: readonly EventKind[];
}

/** A limit as stored in a ledger. */
export interface StoredLimit {
  readonly epsilon: number;
  readonly delta: number;
  /** Parameters of the filter; absent in ledgers written before filters existed. */
  readonly filter?: Json;
}

/** Limits in force, each with its filter. */
export interface LimitKeeper {
  /** Whether the filters alone admit a total. */
  admits(total: PrivacyEvent): boolean;
  /** The limit to write to the ledger, or `null` if it is stored already. */
  readonly fresh: StoredLimit | null;
  /**
   * @param total - Composition of all events, including `asked`.
   * @param fixed - Nothing was answered yet, so no part of `total` depends on an answer.
   * @throws {BudgetExceeded}
   * @throws {Unsupported} when a filter cannot compose `total`.
   */
  assertWithin(total: PrivacyEvent, asked: PrivacyEvent, fixed: boolean, spent: () => PrivacyEvent): void;
}

type FilteredLimit = { readonly epsilon: number; readonly delta: number; readonly filter: PrivacyFilter };

/**
 * Combines the stored limits with the one given now. A tighter limit is added, and the older ones stay in
 * force. A looser limit replaces them if the owner raises the limit.
 *
 * @throws {InvalidParameter} when the given limit is not valid, or is missing or looser than the stored one
 * without `raise`.
 */
export function keepLimits(
  stored: readonly StoredLimit[],
  given: Limit | undefined,
  raise: boolean,
  adjacency: Adjacency,
): LimitKeeper | null {
  const last = stored.at(-1);
  assertKept(last, given, raise);
  if (given === undefined) return null;
  const { epsilon, delta, accountant, kinds } = given;
  const make = given.filter ?? accountant.filter;
  if (make === undefined) {
    throw new Unsupported(
      'the accountant of the limit has no privacy filter, without which a limit does not hold when a ' +
        'query depends on earlier answers; give bestOf(accountants), or limit.filter',
      { limit: { epsilon, delta } },
    );
  }
  const kindsOf = kinds === undefined ? {} : { kinds };
  const open = (limit: Pick<Limit, 'epsilon' | 'delta'>): FilteredLimit => ({
    ...limit,
    filter: make({ epsilon: limit.epsilon, delta: limit.delta, adjacency, ...kindsOf }),
  });
  const own = open({ epsilon, delta });
  // A stored limit that is looser than the previous one was raised by the owner and replaces all previous
  // ones.
  const raisedAt = stored.findLastIndex((limit, i) => i > 0 && isLooser(limit, stored[i - 1]));
  const inForce = last !== undefined && isLooser(given, last) ? [] : stored.slice(Math.max(0, raisedAt));
  const isEqual = (limit: StoredLimit): boolean => limit.epsilon === epsilon && limit.delta === delta;
  const older = inForce.filter((limit) => !isEqual(limit)).map((limit) => remade(limit, open));
  const same = inForce.findLast(isEqual);
  if (same !== undefined) assertSameFilter(same, own.filter);
  const all = [...older, own];
  return {
    fresh:
      same !== undefined && same === last && same.filter !== undefined
        ? null
        : { epsilon, delta, filter: own.filter.spec },
    admits: (total) => all.every((limit) => refused(limit, total) === null),
    assertWithin(total, asked, fixed, spent) {
      for (const limit of all) {
        const refusal = refused(limit, total);
        if (refusal === null || (fixed && isFixed(total) && isCertified(limit, total))) continue;
        if (refusal !== 'beyond') throw refusal;
        const share = limit.filter.share(total);
        throw new BudgetExceeded(
          `the data set has a limit of epsilon ${limit.epsilon} at delta ${limit.delta}, and this charge ` +
            `would take it to ${Number((100 * share).toPrecision(4))} % of that; nothing was charged. Ask ` +
            'for a smaller epsilon. Shares of a limit add up to more than the epsilons that an ' +
            'accountant tells, so that the limit holds however later queries are chosen ' +
            `(filter '${limit.filter.rule}').`,
          { spent: spent(), asked, limit: { epsilon: limit.epsilon, delta: limit.delta }, share },
        );
      }
    },
  };

  function isCertified(limit: FilteredLimit, total: PrivacyEvent): boolean {
    // A plan that was calibrated to the limit is just within it, which an answer of usual width may not show.
    const query = { adjacency, delta: limit.delta, near: limit.epsilon, ...kindsOf };
    const { upper, certificate } = accountant.epsilon(total, query);
    if (certificate === 'estimate')
      throw new Unsupported(
        `the accountant of the data set's limit only estimates what is spent; give one that certifies it`,
        { limit: { epsilon: limit.epsilon, delta: limit.delta } },
      );
    return upper <= limit.epsilon;
  }
}

const isLooser = (limit: StoredLimit | Limit, than: StoredLimit): boolean =>
  limit.epsilon > than.epsilon || limit.delta > than.delta;

/**
 * Reason why a filter refuses an event, or `null`. An accountant may still price an event that it cannot
 * compose.
 */
function refused({ filter }: FilteredLimit, total: PrivacyEvent): Unsupported | 'beyond' | null {
  try {
    return filter.admits(total) ? null : 'beyond';
  } catch (error) {
    if (error instanceof Unsupported) return error;
    throw error;
  }
}

/**
 * Whether an event determines all queries in advance. Different alternatives in parallel inside a composition
 * are not fixed: the answer to another part may choose among them, and only a filter covers that.
 */
export function isFixed(event: PrivacyEvent, inComposition = false): boolean {
  const core = event as CoreEvent;
  switch (core.kind) {
    case 'core/compose':
      return core.parts.every(({ event: part, count }) =>
        isFixed(part, inComposition || count > 1 || core.parts.length > 1),
      );
    case 'core/parallel':
      return (
        (!inComposition || core.parts.length === 1) &&
        core.parts.every((part) => isFixed(part, inComposition))
      );
    case 'core/sampled':
    case 'core/failing':
    case 'core/group':
      return isFixed(core.event, inComposition);
    case 'core/selection':
    case 'core/negative-binomial-selection':
    case 'core/poisson-selection':
      return isFixed(core.base, true);
    default:
      return true;
  }
}

function remade(stored: StoredLimit, open: (limit: StoredLimit) => FilteredLimit): FilteredLimit {
  const limit = open(stored);
  assertSameFilter(stored, limit.filter);
  return limit;
}

/** The rule of a filter must be fixed before the first answer. */
function assertSameFilter({ epsilon, delta, filter }: StoredLimit, now: PrivacyFilter): void {
  if (filter === undefined || canonicalJson(filter) === canonicalJson(now.spec)) return;
  throw new InvalidParameter(
    `the ledger's limit of ε = ${epsilon} at δ = ${delta} is kept by another filter ` +
      `than '${now.rule}' as given now; a filter is fixed before the first answer. ` +
      'Open it with the same accountant, or limit.filter.',
    { stored: filter, given: now.spec },
  );
}

/** A stored limit must be given again, and loosening it requires `raise`. */
function assertKept(stored: StoredLimit | undefined, given: Limit | undefined, raise: boolean): void {
  if (given !== undefined) assertLimit(given);
  if (stored === undefined) return;
  const { epsilon, delta } = stored;
  const limit = { epsilon, delta };
  const kept = `ε = ${epsilon} at δ = ${delta}`;
  if (given === undefined)
    throw new InvalidParameter(
      `the ledger has a limit of ${kept}; open it with that limit and an accountant`,
      { limit },
    );
  if (!raise && isLooser(given, stored)) {
    throw new InvalidParameter(
      `the ledger has a limit of ${kept}, tighter than ε = ${given.epsilon} at δ = ${given.delta}; ` +
        'open it with the tighter one, or, in code, with raiseLimit if the owner of the data agrees',
      { limit },
    );
  }
}

function assertLimit({ epsilon, delta }: Limit): void {
  if (!(epsilon > 0) || !Number.isFinite(epsilon))
    throw new InvalidParameter(`the limit's epsilon is ${epsilon}; it must be positive and finite`, {
      epsilon,
    });
  if (!(delta >= 0 && delta < 1))
    throw new InvalidParameter(`the limit's delta is ${delta}; it must be in [0, 1)`, { delta });
}
