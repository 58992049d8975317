import {
  countedEvent,
  defineAccountant,
  type Accountant,
  type CoreEvent,
  type PrivacyEvent,
} from '@lethe/core';
import { subjectsOf, type Subject } from '@lethe/laws';

/** An accountant with changed methods. */
export const changed = (accountant: Accountant, change: Partial<Accountant>): Subject<'accountant'> =>
  subjectsOf(defineAccountant({ ...accountant, ...change }))[0] as Subject<'accountant'>;

/** An accountant that answers for another event than the one in the query. */
export const misreading = (
  accountant: Accountant,
  read: (event: PrivacyEvent) => PrivacyEvent,
): Subject<'accountant'> =>
  changed(accountant, {
    epsilon: (event, query) => accountant.epsilon(mapped(event, read), query),
    delta: (event, query) => accountant.delta(mapped(event, read), query),
  });

/**
 * Every event in a tree replaced, the innermost first. Values
 * that are not events are left to the accountant to refuse.
 */
export function mapped(event: PrivacyEvent, read: (event: PrivacyEvent) => PrivacyEvent): PrivacyEvent {
  const core = event as CoreEvent;
  switch (core?.kind) {
    case 'core/compose':
      return read({
        ...core,
        parts: core.parts.map((part) => ({ ...part, event: mapped(part.event, read) })),
      } as PrivacyEvent);
    case 'core/parallel':
      return read({ ...core, parts: core.parts.map((part) => mapped(part, read)) } as PrivacyEvent);
    case 'core/sampled':
    case 'core/failing':
      return read({ ...core, event: mapped(core.event, read) } as CoreEvent);
    case 'core/filtered':
      return read({ ...core, limit: mapped(core.limit, read) } as PrivacyEvent);
    default:
      return core === null || typeof core !== 'object' ? core : read(core);
  }
}

/** A composition whose parts of some kinds have count 1. */
export const countedOnce =
  (kinds: readonly string[]) =>
  (event: PrivacyEvent): PrivacyEvent => {
    const core = event as CoreEvent;
    return core.kind === 'core/compose'
      ? countedEvent(
          core.parts.map((part) =>
            kinds.includes(part.event.kind) && part.count > 0 ? { ...part, count: 1 } : part,
          ),
        )
      : event;
  };
