import type { Adjacency } from '../adjacency.js';
import { BudgetExceeded, InvalidParameter, Unsupported } from '@lethe/numerics';
import type { CoreEvent, PrivacyEvent } from '../events/schema.js';
import { canonicalJson, type Json } from '../json.js';
import type { Accountant, EventKind, FilterMaker, PrivacyFilter } from '../plugins/index.js';

/**
 * A limit on what may ever be spent on a data set, in the adjacency of its ledger. It is kept by a privacy filter, so that it
 * holds although each question depends on the answers before it.
 *
 * Under a limit the runs of a ledger add up, also where they ask of disjoint slots: a run sets aside its event before it
 * says which slots it asks of. Charges of one run on disjoint slots count as alternatives, and so do charges of all runs in
 * {@link Ledger.total}, which may therefore say less than what counts against the limit.
 *
 * The ledger stores what fixes the filter, such as its Rényi orders and how it shares δ, when the limit is first given, so
 * give the limit before the first answer. One that is first given, or tightened, later counts all charges on record and lets
 * only the filter decide; a run that set something aside before goes on within that. Its ε, δ and orders may then have been
 * chosen by what was answered, and a filter is proven for numbers that were not: its guarantee is for what is asked from
 * then on, given the answers before.
 */
export interface Limit {
  readonly epsilon: number;
  readonly delta: number;
  /**
   * Its `filter` decides. What is asked before anything was answered is fixed in advance, and is also let through where the
   * accountant's certified `upper` is within the limit.
   */
  readonly accountant: Pick<Accountant, 'epsilon' | 'filter'>;
  /**
   * A filter of another rule. The ledger recognises it later by its `spec`; with the spec `null` nothing is stored but ε and δ,
   * and every filter whose spec is `null` passes for it, so give a spec that holds all numbers of the rule.
   *
   * @defaultValue the accountant's
   */
  readonly filter?: FilterMaker;
  readonly kinds?: readonly EventKind[];
}

/** A limit as a ledger stores it. */
export interface StoredLimit {
  readonly epsilon: number;
  readonly delta: number;
  /** What fixes the filter; ledgers of before there were filters have none. */
  readonly filter?: Json;
}

/** Limits in force, each with its filter. */
export interface LimitKeeper {
  /** Whether the filters alone let this through. */
  admits(total: PrivacyEvent): boolean;
  /** What has to be written into the ledger. */
  readonly fresh: StoredLimit | null;
  /**
   * @param total - The composition of everything, `asked` included.
   * @param fixed - Nothing was answered yet, so that no part of `total` depends on an answer.
   * @throws {BudgetExceeded}
   * @throws {Unsupported} when a filter cannot add `total` up.
   */
  assertWithin(total: PrivacyEvent, asked: PrivacyEvent, fixed: boolean, spent: () => PrivacyEvent): void;
}

type Kept = { readonly epsilon: number; readonly delta: number; readonly filter: PrivacyFilter };

/**
 * Limits that are stored, with the one that is given now. A tighter one is added: what was granted under the older stays
 * within it as well. A looser one takes their place, when the owner says so.
 *
 * @throws {InvalidParameter} when the given limit is not valid, leaves out a stored one, or loosens it by the way.
 */
export function keepLimits(stored: readonly StoredLimit[], given: Limit | undefined, raise: boolean, adjacency: Adjacency): LimitKeeper | null {
  const last = stored.at(-1);
  assertKept(last, given, raise);
  if (given === undefined) return null;
  const { epsilon, delta, accountant, kinds } = given;
  const make = given.filter ?? accountant.filter;
  if (make === undefined) {
    throw new Unsupported('the accountant of the limit has no privacy filter, without which a limit does not hold when a question depends on the answers before it; give bestOf(accountants), or limit.filter', { limit: { epsilon, delta } });
  }
  const kindsOf = kinds === undefined ? {} : { kinds };
  const open = (limit: Pick<Limit, 'epsilon' | 'delta'>): Kept => ({ ...limit, filter: make({ epsilon: limit.epsilon, delta: limit.delta, adjacency, ...kindsOf }) });
  const own = open({ epsilon, delta });
  // One that is looser than the one before was raised by the owner, and takes the place of all before.
  const raisedAt = stored.findLastIndex((limit, i) => i > 0 && isLooser(limit, stored[i - 1]!));
  const inForce = last !== undefined && isLooser(given, last) ? [] : stored.slice(Math.max(0, raisedAt));
  const isEqual = (limit: StoredLimit): boolean => limit.epsilon === epsilon && limit.delta === delta;
  const older = inForce.filter((limit) => !isEqual(limit)).map((limit) => remade(limit, open));
  const same = inForce.findLast(isEqual);
  if (same !== undefined) assertSameFilter(same, own.filter);
  const all = [...older, own];
  return {
    fresh: same !== undefined && same === last && same.filter !== undefined ? null : { epsilon, delta, filter: own.filter.spec },
    admits: (total) => all.every((limit) => refused(limit, total) === null),
    assertWithin(total, asked, fixed, spent) {
      for (const limit of all) {
        const refusal = refused(limit, total);
        if (refusal === null || (fixed && isFixed(total) && isCertified(limit, total))) continue;
        if (refusal !== 'beyond') throw refusal;
        const share = limit.filter.share(total);
        throw new BudgetExceeded(`the data set's limit is ε = ${limit.epsilon} at δ = ${limit.delta}, kept by the filter '${limit.filter.rule}'; with this charge the total would be ${Number(share.toPrecision(4))} times the limit. A filter counts more than an accountant does, since later questions may depend on answers. Ask for less: a smaller budget, or more noise.`,
          { spent: spent(), asked, limit: { epsilon: limit.epsilon, delta: limit.delta }, share });
      }
    },
  };

  function isCertified(limit: Kept, total: PrivacyEvent): boolean {
    const { upper, certificate } = accountant.epsilon(total, { adjacency, delta: limit.delta, ...kindsOf });
    if (certificate === 'estimate') throw new Unsupported(`the accountant of the data set's limit only estimates what is spent; give one that certifies it`, { limit: { epsilon: limit.epsilon, delta: limit.delta } });
    return upper <= limit.epsilon;
  }
}

const isLooser = (limit: StoredLimit | Limit, than: StoredLimit): boolean => limit.epsilon > than.epsilon || limit.delta > than.delta;

/** Why a filter lets an event not through; an event that it cannot add up may still be accounted for. */
function refused({ filter }: Kept, total: PrivacyEvent): Unsupported | 'beyond' | null {
  try {
    return filter.admits(total) ? null : 'beyond';
  } catch (error) {
    if (error instanceof Unsupported) return error;
    throw error;
  }
}

/**
 * Whether the event says what is asked in every case. Of alternatives in parallel that differ, inside a composition, one may
 * be picked by an answer to another part; only a filter covers that.
 */
export function isFixed(event: PrivacyEvent, inComposition = false): boolean {
  const core = event as CoreEvent;
  switch (core.kind) {
    case 'core/compose': return core.parts.every(({ event: part, count }) => isFixed(part, inComposition || count > 1 || core.parts.length > 1));
    case 'core/parallel': return (!inComposition || core.parts.length === 1) && core.parts.every((part) => isFixed(part, inComposition));
    case 'core/sampled': case 'core/failing': case 'core/group': return isFixed(core.event, inComposition);
    case 'core/selection': return isFixed(core.base, true);
    default: return true;
  }
}

function remade(stored: StoredLimit, open: (limit: StoredLimit) => Kept): Kept {
  const kept = open(stored);
  assertSameFilter(stored, kept.filter);
  return kept;
}

/** Whoever could pick the rule after seeing answers would have no filter. */
function assertSameFilter({ epsilon, delta, filter }: StoredLimit, now: PrivacyFilter): void {
  if (filter === undefined || canonicalJson(filter) === canonicalJson(now.spec)) return;
  throw new InvalidParameter(`the ledger's limit of ε = ${epsilon} at δ = ${delta} is kept by another filter than '${now.rule}' as given now; a filter is fixed before the first answer. Open it with the same accountant, or limit.filter.`, { stored: filter, given: now.spec });
}

/** A limit that anybody could leave out, or loosen by the way, would limit nothing. */
function assertKept(stored: StoredLimit | undefined, given: Limit | undefined, raise: boolean): void {
  if (given !== undefined) assertLimit(given);
  if (stored === undefined) return;
  const { epsilon, delta } = stored, limit = { epsilon, delta };
  const kept = `ε = ${epsilon} at δ = ${delta}`;
  if (given === undefined) throw new InvalidParameter(`the ledger has a limit of ${kept}; open it with that limit and an accountant`, { limit });
  if (!raise && isLooser(given, stored)) {
    throw new InvalidParameter(`the ledger has a limit of ${kept}, tighter than ε = ${given.epsilon} at δ = ${given.delta}; open it with the tighter one, or say raiseLimit if the owner of the data means it`, { limit });
  }
}

function assertLimit({ epsilon, delta }: Limit): void {
  if (!(epsilon > 0) || !Number.isFinite(epsilon)) throw new InvalidParameter(`the limit's epsilon is ${epsilon}; it must be positive and finite`, { epsilon });
  if (!(delta >= 0 && delta < 1)) throw new InvalidParameter(`the limit's delta is ${delta}; it must be in [0, 1)`, { delta });
}
